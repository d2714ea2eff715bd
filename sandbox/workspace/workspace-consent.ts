import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { emailAddress, validate } from '../../src/validation/validate.ts';
import { OPENID, parseScopes } from '../consent-scopes.ts';
import type { Controls } from '../controls.ts';
import type { Grants } from './workspace-grants.ts';

export interface Decision {
  allow: boolean;
  /** Chosen from the list. */
  account: string | undefined;
  /** Entered; takes precedence over the list. */
  otherAccount: string | undefined;
  scopes: string[];
}

export type Decided = { kind: 'redirect'; location: string } | { kind: 'wrong_account'; pending: PendingRequest } | { kind: 'gone' };

const PENDING_LIFE_MS = 10 * 60_000;
const MAX_PENDING = 1_000;

const optional = z.string().max(1_024).optional();
const authorizationRequest = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  response_type: z.literal('code', 'must be "code"'),
  scope: z
    .string()
    .max(4_096)
    .transform((scope, context) => {
      const scopes = parseScopes(scope);
      if (scopes !== undefined) return scopes;
      context.addIssue('names a scope that this provider does not know');
      return z.NEVER;
    }),
  state: z.string().min(1).max(2_048),
  code_challenge: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be the base64url SHA-256 of the verifier'),
  code_challenge_method: z.literal('S256', 'must be "S256"'),
  nonce: optional,
  access_type: optional,
  prompt: optional,
  login_hint: optional,
});

/** An authorization request (RFC 6749, 4.1.1) that awaits the user's decision. */
export interface PendingRequest extends z.output<typeof authorizationRequest> {
  id: string;
  expiresAt: number;
  /** The redirect of the decision. A second submission redirects there again. */
  location: string | undefined;
}

export interface ConsentOptions {
  clientId: string;
  /** The only redirect URI of the only client. */
  redirectUri: string;
  issuer: string;
  grants: Grants;
  controls: Controls;
}

/** The authorization endpoint: requests, decisions, and redirects. */
export class ConsentDesk {
  readonly #options: ConsentOptions;
  readonly #pending = new Map<string, PendingRequest>();

  constructor(options: ConsentOptions) {
    this.#options = options;
  }

  /**
   * Opens an authorization request.
   *
   * @param query the query parameters as received
   * @throws AppError `invalid_request` naming the parameter; the browser is not redirected, as with the provider (RFC 6749,
   * 4.1.2.1 requires this for client and redirect URI)
   */
  open(query: unknown): PendingRequest {
    const given = validate(authorizationRequest, query);
    if (given.client_id !== this.#options.clientId) throw new AppError('invalid_request', 'client_id: is not registered');
    if (given.redirect_uri !== this.#options.redirectUri)
      throw new AppError('invalid_request', 'redirect_uri: is not registered for this client');
    const request: PendingRequest = {
      id: randomBytes(32).toString('base64url'),
      ...given,
      expiresAt: this.#options.controls.now() + PENDING_LIFE_MS,
      location: undefined,
    };
    this.#remember(request);
    return request;
  }

  /** Accepts the user's decision, once. The redirect contains `iss` (RFC 9207). */
  decide(id: string, decision: Decision): Decided {
    const pending = this.#pending.get(id);
    if (pending === undefined || pending.expiresAt <= this.#options.controls.now()) return { kind: 'gone' };
    if (pending.location !== undefined) return { kind: 'redirect', location: pending.location };
    const granted = pending.scope.filter((scope) => scope === OPENID || decision.scopes.includes(scope));
    if (!decision.allow || granted.length === 0) return this.#close(pending, { error: 'access_denied' });
    const email = emailAddress.safeParse(decision.otherAccount ?? decision.account);
    if (!email.success) return { kind: 'wrong_account', pending };
    const code = this.#issueCode(pending, email.data, granted);
    return this.#close(pending, { code, scope: granted.join(' ') });
  }

  #issueCode(pending: PendingRequest, email: string, scopes: string[]): string {
    const { grants } = this.#options;
    const { sub } = grants.accountOf(email);
    const consented = pending.prompt?.split(' ').includes('consent') === true || !grants.isConnected(sub);
    const { redirect_uri: redirectUri, code_challenge: challenge, nonce, access_type: accessType } = pending;
    return grants.issueCode({ sub, scopes, redirectUri, challenge, nonce, offline: accessType === 'offline' && consented });
  }

  #close(pending: PendingRequest, parameters: Record<string, string>): Decided {
    const location = new URL(pending.redirect_uri);
    const query = { ...parameters, state: pending.state, iss: this.#options.issuer };
    for (const [name, value] of Object.entries(query)) location.searchParams.set(name, value);
    pending.location = location.href;
    return { kind: 'redirect', location: location.href };
  }

  #remember(request: PendingRequest): void {
    for (const [id, { expiresAt }] of this.#pending) {
      if (this.#pending.size < MAX_PENDING && expiresAt > this.#options.controls.now()) break;
      this.#pending.delete(id);
    }
    this.#pending.set(request.id, request);
  }
}
