import type { Controls } from '../controls.ts';
import type { Signer } from '../identity/identity-keys.ts';
import type { AccessClients } from './access-clients.ts';
import type { AccessGrants } from './access-grants.ts';
import type { AccessBehaviour } from './access-state.ts';
import type { AuthorizationDesk } from './authorization-desk.ts';
import type { TicketUser } from './tickets-state.ts';

export interface AccessTokensOptions {
  issuer: string;
  /** The server's address (RFC 8707). */
  resource: string;
  clients: AccessClients;
  grants: AccessGrants;
  desk: AuthorizationDesk;
  signer: Signer;
  controls: Controls;
  behaviour: AccessBehaviour;
  /** @throws TicketProblem unless there is such a user */
  userOf(id: string): TicketUser;
}

export interface TokenAnswer {
  status: 200 | 400 | 401;
  body: Record<string, unknown>;
}

const ID_TOKEN_LIFE_SECONDS = 3_600;
const REFRESH_TOKEN_LIFE_SECONDS = 90 * 24 * 3_600;

/** The token endpoint (OAuth 2.1, 3.2) and the revocation endpoint (RFC 7009). */
export class AccessTokens {
  readonly #options: AccessTokensOptions;

  constructor(options: AccessTokensOptions) {
    this.#options = options;
  }

  /** @param authorization the header of the request */
  async answer(form: Record<string, string>, authorization: string | undefined): Promise<TokenAnswer> {
    const { clients, controls, resource } = this.#options;
    if (form.grant_type === 'authorization_code') controls.count('tickets', 'exchanges');
    if (form.grant_type === 'refresh_token') controls.count('tickets', 'refreshes');
    const clientId = clients.authenticate(form, authorization);
    if (clientId === undefined) return refused('invalid_client', 'The client is unknown, or its secret is not the right one.', 401);
    if (form.resource !== resource) return refused('invalid_target', `resource: must be ${resource}`);
    if (form.grant_type === 'authorization_code') return this.#exchange(form, clientId);
    if (form.grant_type === 'refresh_token') return this.#refresh(form, clientId);
    return refused('unsupported_grant_type', 'grant_type: must be authorization_code or refresh_token');
  }

  /** @returns 401 for a client that is not who it says; else 200, also for unknown tokens (RFC 7009, 2.2) */
  revoke(form: Record<string, string>, authorization: string | undefined): TokenAnswer {
    const { clients, grants, controls } = this.#options;
    controls.count('tickets', 'revocations');
    const clientId = clients.authenticate(form, authorization);
    if (clientId === undefined) return refused('invalid_client', 'The client is unknown, or its secret is not the right one.', 401);
    grants.revoke(form.token ?? '', clientId);
    return { status: 200, body: {} };
  }

  async #exchange(form: Record<string, string>, clientId: string): Promise<TokenAnswer> {
    const { desk, grants } = this.#options;
    const authorized = desk.redeem(form, clientId);
    if (authorized === undefined) return refused('invalid_grant', 'The code is not valid, or not for this client and verifier.');
    const { user, scopes, nonce } = authorized;
    const answer = this.#issue(grants.open({ user, clientId, scopes }), scopes);
    const idToken = scopes.includes('openid') ? { id_token: await this.#idToken(user, clientId, scopes, nonce) } : {};
    return { status: 200, body: { ...answer, ...idToken } };
  }

  #refresh(form: Record<string, string>, clientId: string): TokenAnswer {
    const grant = this.#options.grants.spend(form.refresh_token ?? '', clientId);
    if (grant === undefined) return refused('invalid_grant', 'The refresh token is not valid.');
    return { status: 200, body: this.#issue(grant.id, grant.scopes) };
  }

  #issue(grant: string, scopes: readonly string[]): Record<string, unknown> {
    const { grants, behaviour } = this.#options;
    return {
      access_token: grants.issue('access', grant, behaviour.tokenLifeSeconds),
      token_type: 'Bearer',
      expires_in: behaviour.tokenLifeSeconds,
      scope: scopes.join(' '),
      ...(!behaviour.omitRefreshToken && { refresh_token: grants.issue('refresh', grant, REFRESH_TOKEN_LIFE_SECONDS) }),
    };
  }

  #idToken(id: string, clientId: string, scopes: readonly string[], nonce: string | undefined): Promise<string> {
    const { issuer, signer, controls, userOf } = this.#options;
    const { email, name } = userOf(id);
    const now = Math.floor(controls.now() / 1_000);
    return signer.sign({
      ...{ iss: issuer, aud: clientId, sub: id, iat: now, exp: now + ID_TOKEN_LIFE_SECONDS },
      ...(scopes.includes('email') && { email, email_verified: true, name }),
      ...(nonce !== undefined && { nonce }),
    });
  }
}

function refused(error: string, description: string, status: 400 | 401 = 400): TokenAnswer {
  return { status, body: { error, error_description: description } };
}
