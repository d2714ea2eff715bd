import { hashSecret } from '../crypto/secrets.ts';
import type { Database } from '../database/database.ts';
import { notAClient } from '../executor/call/client-grant.ts';
import type { Principal } from '../principal.ts';
import { selectClientOfToken } from './entries/entries-repository.ts';
import { PATHS } from './protocol.ts';

const FORM = /^[\w-]{43}$/;

export interface ClientAccessTokensDeps {
  db: Database;
  publicUrl: string;
  /** @throws AppError `forbidden` for users whom the operator does not admit any more */
  assertAllowed(email: string | null): void;
}

/** Access tokens of the authorization server, verified with one statement and without the server's library. */
export class ClientAccessTokens {
  readonly #deps: ClientAccessTokensDeps;

  constructor(deps: ClientAccessTokensDeps) {
    this.#deps = deps;
  }

  /**
   * The user and the client that an access token for `{PUBLIC_URL}/mcp` identifies, while the user's permission is active.
   *
   * @param token without `Bearer `
   * @throws AppError `invalid_token`, also for refresh tokens, codes and tokens for another resource; `forbidden`
   */
  async authenticate(token: string): Promise<Principal> {
    const { db, publicUrl, assertAllowed } = this.#deps;
    const found = FORM.test(token) ? await selectClientOfToken(db, hashSecret(token), publicUrl + PATHS.resource) : undefined;
    if (found === undefined) throw notAClient();
    const { id: clientId, userId, name, expiresAt, email } = found;
    assertAllowed(email);
    return { userId, clientId, label: name, expiresAt: Math.floor(expiresAt.getTime() / 1000) };
  }
}
