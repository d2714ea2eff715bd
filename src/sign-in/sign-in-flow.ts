import { createHmac, hash } from 'node:crypto';
import { randomSecret } from '../crypto/secrets.ts';
import { returnPath } from '../http/access/return-path.ts';

export const FLOW_SECONDS = 600;
/** Sign-ins of which a browser keeps a cookie at a time: those in its tabs, and no page can fill it with cookies. */
const FLOWS = 16;
const COOKIE_NAME = 'steward_sign_in_';
/** A secret or, once the flow has finished, this word; whether the user has to sign in anew; and where it leads. */
const COOKIE = /^([\w-]{43}|finished)\.(anew\.)?(\/.*)$/;
const FINISHED = 'finished';

/** A sign-in that a browser began. Everything follows from the secret in its cookie, so nothing is stored. */
export interface SignInFlow {
  /** Proves that the browser that ends the flow began it (RFC 6749, 10.12). */
  state: string;
  /** Binds the ID token to the flow (OIDC Core, 3.1.2.1). */
  nonce: string;
  /** PKCE verifier (RFC 7636, 4.1). */
  verifier: string;
  /** The user has to sign in, whether or not the issuer knows the browser. */
  isAnew: boolean;
  returnTo: string;
}

/** Begins a sign-in. @returns the flow with the value of its cookie */
export function beginFlow(returnTo: string, isAnew: boolean): SignInFlow & { cookie: string } {
  const secret = randomSecret();
  return { ...flowOf(secret, isAnew, returnTo), cookie: `${secret}.${isAnew ? 'anew.' : ''}${returnTo}` };
}

/** The flow of a cookie; of one that has finished, where it led. @returns undefined unless the cookie is that of the state */
export function resumeFlow(cookie: string | undefined, state: string): SignInFlow | { finishedAt: string } | undefined {
  const [, secret, anew, path] = COOKIE.exec(cookie ?? '') ?? [];
  const returnTo = returnPath.safeParse(path);
  if (secret === undefined || !returnTo.success) return undefined;
  if (secret === FINISHED) return { finishedAt: returnTo.data };
  const flow = flowOf(secret, anew !== undefined, returnTo.data);
  return flow.state === state ? flow : undefined;
}

/** The value of a flow's cookie from its end on: a repeated request leads on, and signs in nobody. */
export function finishedCookie(returnTo: string): string {
  return `${FINISHED}.${returnTo}`;
}

/** Name of a flow's cookie: each has one of its own, so that several tabs can sign in. */
export function flowCookie(state: string): string {
  return COOKIE_NAME + hash('sha256', state, 'base64url').slice(0, 16);
}

/** @param names of a browser's cookies, oldest first (RFC 6265, 5.4) @returns those of flows that give way to another one */
export function flowsToDrop(names: readonly string[]): string[] {
  return names.filter((name) => name.startsWith(COOKIE_NAME)).slice(0, -(FLOWS - 1));
}

function flowOf(secret: string, isAnew: boolean, returnTo: string): SignInFlow {
  const derive = (use: string) => createHmac('sha256', secret).update(use).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier'), isAnew, returnTo };
}
