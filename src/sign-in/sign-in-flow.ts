import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { randomSecret } from '../crypto/secrets.ts';

export const FLOW_SECONDS = 600;
/** Sign-ins that a browser can have begun at a time. */
const FLOWS = 8;
/** Where a sign-in may lead: pages of the service itself, by their exact paths, so that no redirect leaves it. */
export const returnPath = z
  .string()
  .regex(
    /^\/(?:approvals(?:\/[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?|oauth\/consent\/[\w-]{43})$/,
    'must be a page of this service: /approvals, /approvals/{id} or /oauth/consent/{id}',
  )
  .meta({ examples: ['/approvals'] });

const COOKIE = /^([\w-]{43})\.(.+)$/;

/** A sign-in that a browser began. Everything follows from the secret in its cookie, so nothing is stored. */
export interface SignInFlow {
  /** Proves that the browser that ends the flow began it (RFC 6749, 10.12). */
  state: string;
  /** Binds the ID token to the flow (OIDC Core, 3.1.2.1). */
  nonce: string;
  /** PKCE verifier (RFC 7636, 4.1). */
  verifier: string;
  returnTo: string;
}

/** Begins a sign-in. @returns the flow with the value of its cookie */
export function beginFlow(returnTo: string): SignInFlow & { cookie: string } {
  const secret = randomSecret();
  return { ...flowOf(secret, returnTo), cookie: `${secret}.${returnTo}` };
}

/** The flow of a cookie; undefined unless the cookie is that of the state. */
export function resumeFlow(cookie: string | undefined, state: string | undefined): SignInFlow | undefined {
  const [, secret, path] = COOKIE.exec(cookie ?? '') ?? [];
  const returnTo = returnPath.safeParse(path);
  if (secret === undefined || !returnTo.success) return undefined;
  const flow = flowOf(secret, returnTo.data);
  return flow.state === state ? flow : undefined;
}

/** Name of the cookie: one of few, so that several tabs can each sign in, and no page can fill a browser with cookies. */
export function flowCookie(state: string): string {
  return `steward_sign_in_${state.charCodeAt(0) % FLOWS || 0}`;
}

function flowOf(secret: string, returnTo: string): SignInFlow {
  const derive = (use: string) => createHmac('sha256', secret).update(use).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier'), returnTo };
}
