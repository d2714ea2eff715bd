import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { validate } from '../../src/validation/validate.ts';
import type { Controls } from '../controls.ts';

const CODE_LIFE_MS = 60_000;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
const optional = z.string().max(1_024).optional();

/** An authorization request (RFC 6749, 4.1.1; RFC 7636, 4.3). */
const authorizationRequest = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  response_type: z.literal('code', 'must be "code"'),
  scope: z.string().max(1_024),
  state: z.string().min(1).max(2_048),
  nonce: optional,
  code_challenge: z.string('is missing: this issuer requires PKCE').regex(/^[\w-]{43}$/, 'must be the base64url SHA-256 of the verifier'),
  code_challenge_method: z.literal('S256', 'must be "S256"'),
});

export type AuthorizationRequest = z.output<typeof authorizationRequest>;

interface Code {
  user: string;
  nonce: string | undefined;
  challenge: string;
  expiresAt: number;
}

export interface AuthorizationOptions {
  clientId: string;
  /** The only redirect URI of the only client. */
  redirectUri: string;
  issuer: string;
  controls: Controls;
}

/** The authorization endpoint of the issuer, and its codes, which live in memory. */
export class IdentityAuthorization {
  readonly #options: AuthorizationOptions;
  readonly #codes = new Map<string, Code>();

  constructor(options: AuthorizationOptions) {
    this.#options = options;
  }

  /** Checks a request. @throws AppError `invalid_request`; the browser is not redirected */
  parse(query: unknown): AuthorizationRequest {
    const request = validate(authorizationRequest, query);
    if (request.client_id !== this.#options.clientId) throw new AppError('invalid_request', 'client_id: is not registered');
    if (request.redirect_uri !== this.#options.redirectUri) {
      throw new AppError('invalid_request', 'redirect_uri: is not registered for this client');
    }
    return request;
  }

  /** The redirect after the user signed in, with `iss` (RFC 9207); without a user, after a refusal. */
  decide(request: AuthorizationRequest, user: string | undefined): string {
    const location = new URL(request.redirect_uri);
    const outcome: Record<string, string> = user === undefined ? { error: 'access_denied' } : { code: this.#issue(request, user) };
    for (const [name, value] of Object.entries({ ...outcome, state: request.state, iss: this.#options.issuer })) {
      location.searchParams.set(name, value);
    }
    return location.href;
  }

  /** The user and nonce of a code, once; undefined for any other, and without the verifier. */
  redeem(form: Record<string, unknown>): Pick<Code, 'user' | 'nonce'> | undefined {
    const { code, code_verifier: verifier, redirect_uri: redirectUri, client_id: clientId } = form;
    const found = this.#codes.get(String(code));
    this.#codes.delete(String(code));
    if (found === undefined || found.expiresAt <= this.#options.controls.now()) return undefined;
    if (redirectUri !== this.#options.redirectUri || clientId !== this.#options.clientId) return undefined;
    const proves = typeof verifier === 'string' && VERIFIER.test(verifier) && hash('sha256', verifier, 'base64url') === found.challenge;
    return proves ? found : undefined;
  }

  #issue({ nonce, code_challenge: challenge }: AuthorizationRequest, user: string): string {
    const now = this.#options.controls.now();
    for (const [code, { expiresAt }] of this.#codes) if (expiresAt <= now) this.#codes.delete(code);
    const code = randomBytes(32).toString('base64url');
    this.#codes.set(code, { user, nonce, challenge, expiresAt: now + CODE_LIFE_MS });
    return code;
  }
}
