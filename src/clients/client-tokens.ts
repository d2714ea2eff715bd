import type { Database } from '../database/database.ts';
import { notAClient } from '../executor/call/client-grant.ts';
import { type ClientGrantRow, selectGrantOfToken } from '../executor/call/client-grants-repository.ts';
import type { ClientGrants } from '../executor/client-grants.ts';
import type { Principal } from '../principal.ts';
import { hashOfToken, isWellFormed, newClientToken } from './client-token.ts';

const LAST_CHARACTERS = 4;

export interface ClientTokensDeps {
  db: Database;
  grants: ClientGrants;
  /** @throws AppError `forbidden` for users whom the operator does not admit any more */
  assertAllowed(email: string | null): void;
}

export interface TokenRequest {
  name: string;
  actions: readonly string[];
  access: 'read' | 'write';
  /** undefined: all accounts, also later ones. */
  accounts?: readonly string[] | undefined;
  /** Until it expires. */
  days: number;
}

/** Personal access tokens: credentials of a user's scripts and assistants, with which they can only list and call actions. */
export class ClientTokens {
  readonly #deps: ClientTokensDeps;

  constructor(deps: ClientTokensDeps) {
    this.#deps = deps;
  }

  /**
   * The user and the client that a token identifies.
   *
   * @throws AppError `invalid_token`, `forbidden`
   */
  async authenticate(token: string): Promise<Principal> {
    const found = isWellFormed(token) ? await selectGrantOfToken(this.#deps.db, hashOfToken(token)) : undefined;
    if (found === undefined) throw notAClient();
    const { id: clientId, userId, name, expiresAt, email } = found;
    this.#deps.assertAllowed(email);
    return { userId, clientId, label: name, expiresAt: Math.floor(expiresAt.getTime() / 1000) };
  }

  /**
   * Makes a token. It is returned once; only its hash is stored.
   *
   * @throws AppError what {@link ClientGrants.create} throws
   */
  async create(userId: string, request: TokenRequest): Promise<{ token: string; grant: ClientGrantRow }> {
    const { name, actions, access, accounts, days } = request;
    const token = newClientToken();
    const grant = await this.#deps.grants.create({
      userId,
      kind: 'personal_access_token',
      name,
      tokenHash: hashOfToken(token),
      lastFour: token.slice(-LAST_CHARACTERS),
      oauthClientId: null,
      redirectHost: null,
      actions,
      access,
      accountIds: accounts ?? null,
      exceptAccountIds: [],
      days,
    });
    return { token, grant };
  }

  /** A user's tokens, newest first; those that have ended stay for 30 days. */
  async list(userId: string): Promise<ClientGrantRow[]> {
    return (await this.#deps.grants.list(userId)).filter(({ kind }) => kind === 'personal_access_token');
  }

  /**
   * Ends a token: {@link ClientGrants.revoke}.
   *
   * @throws AppError `not_found`
   */
  revoke(userId: string, id: string): Promise<void> {
    return this.#deps.grants.revoke(userId, id, 'personal_access_token');
  }
}
