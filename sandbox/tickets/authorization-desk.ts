import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { check, validate } from '../../src/validation/validate.ts';
import type { Controls } from '../controls.ts';
import type { AccessClients } from './access-clients.ts';
import type { AccessBehaviour } from './access-state.ts';

/** What may be asked for; the first two say who is signed in. */
export const SCOPES = ['openid', 'email', 'tickets:read', 'tickets:write'] as const;
export const WRITE_SCOPE = 'tickets:write';
const CODE_LIFE_MS = 60_000;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** What has to be right before a browser is led back to the client (RFC 6749, 4.1.2.1). */
const addressed = z.object({
  client_id: z.string().max(2_000),
  redirect_uri: z.string().max(2_000),
  state: z.string().max(2_048).optional(),
});

const asked = z.object({
  response_type: z.literal('code'),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
  code_challenge_method: z.literal('S256'),
  scope: z.string().max(1_000).optional(),
  nonce: z.string().max(1_000).optional(),
});

/** A request that is in order, as it is posted again with the decision. */
export interface AuthorizationRequest {
  client_id: string;
  redirect_uri: string;
  state: string | undefined;
  resource: string;
  code_challenge: string;
  scopes: string[];
  nonce: string | undefined;
}

/** A code's authorization, which its exchange has to prove. */
export interface Authorized {
  user: string;
  clientId: string;
  redirectUri: string;
  challenge: string;
  scopes: string[];
  nonce: string | undefined;
  expiresAt: number;
}

/** Where an authorization request leads: to the question, or with an error back to the client. */
export type Opened = { request: AuthorizationRequest; clientName: string } | { location: string };

export interface AuthorizationDeskOptions {
  issuer: string;
  /** The server's address (RFC 8707). */
  resource: string;
  clients: AccessClients;
  controls: Controls;
  behaviour: AccessBehaviour;
}

/** The authorization endpoint, and its codes, which live in memory. */
export class AuthorizationDesk {
  readonly #options: AuthorizationDeskOptions;
  readonly #codes = new Map<string, Authorized>();

  constructor(options: AuthorizationDeskOptions) {
    this.#options = options;
  }

  /** @throws AppError `invalid_request` where the browser must not be led to the address that it names */
  async open(query: Record<string, unknown>): Promise<Opened> {
    const to = validate(addressed, query);
    const client = await this.#options.clients.find(to.client_id);
    if (!client.redirectUris.includes(to.redirect_uri)) {
      throw new AppError('invalid_request', 'redirect_uri: is not registered for this client');
    }
    const fail = (error: string, problem: string) => ({ location: this.#back(to, { error, error_description: problem }) });
    // A challenge that is missing is the downgrade that PKCE is against (RFC 9700, 2.1.1).
    const checked = check(asked, query);
    if ('problem' in checked) return fail('invalid_request', checked.problem);
    if (query.resource !== this.#options.resource) return fail('invalid_target', `resource: must be ${this.#options.resource}`);
    const { scope, code_challenge, nonce } = checked.value;
    const scopes = [...new Set((scope ?? SCOPES.join(' ')).split(' ').filter((one) => one !== ''))];
    if (!scopes.every((one) => (SCOPES as readonly string[]).includes(one))) return fail('invalid_scope', 'scope: names an unknown one');
    const { client_id, redirect_uri, state } = to;
    const request = { client_id, redirect_uri, state, resource: this.#options.resource, code_challenge, scopes, nonce };
    return { request, clientName: client.name };
  }

  /** The way back to the client, with `iss` (RFC 9207). @param user undefined: access was denied */
  decide(request: AuthorizationRequest, user: string | undefined, scopes: string[]): string {
    if (user === undefined) return this.#back(request, { error: 'access_denied' });
    const now = this.#options.controls.now();
    for (const [code, { expiresAt }] of this.#codes) if (expiresAt <= now) this.#codes.delete(code);
    const code = randomBytes(32).toString('base64url');
    const { client_id: clientId, redirect_uri: redirectUri, code_challenge: challenge, nonce } = request;
    this.#codes.set(code, { user, clientId, redirectUri, challenge, scopes, nonce, expiresAt: now + CODE_LIFE_MS });
    return this.#back(request, { code });
  }

  /** The authorization of a code, once; undefined for what doesn't prove that it asked for it. */
  redeem(form: Record<string, string>, clientId: string): Authorized | undefined {
    const { code = '', code_verifier: verifier = '', redirect_uri: redirectUri } = form;
    const found = this.#codes.get(code);
    this.#codes.delete(code);
    if (found === undefined || found.expiresAt <= this.#options.controls.now()) return undefined;
    if (found.clientId !== clientId || found.redirectUri !== redirectUri || !VERIFIER.test(verifier)) return undefined;
    return hash('sha256', verifier, 'base64url') === found.challenge ? found : undefined;
  }

  #back({ redirect_uri, state }: { redirect_uri: string; state?: string | undefined }, answer: Record<string, string>): string {
    const { issuer, behaviour } = this.#options;
    const location = new URL(redirect_uri);
    const query = { ...answer, ...(state !== undefined && { state }), ...(!behaviour.omitIss && { iss: issuer }) };
    for (const [name, value] of Object.entries(query)) location.searchParams.set(name, value);
    return location.href;
  }
}
