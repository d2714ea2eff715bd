import type { Database, Queryable } from '../database/database.ts';
import { type GrantStatus, lockUser, type RecordStatus, selectGrant, selectGrantStatus, updateGrantStatus } from './grants-repository.ts';
import { openTokens } from './token-encryption.ts';
import type { UserKeys } from './user-keys.ts';

/** A grant, and the provider's own id of its account. */
export interface GrantIdentity {
  userId: string;
  grantId: string;
  subject: string;
}

/** The status of grants, as providers report it. Each transition is recorded once, in the transaction that makes it. */
export class GrantStatuses {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  readonly #record: RecordStatus;

  constructor(db: Database, userKeys: UserKeys, record: RecordStatus) {
    this.#db = db;
    this.#userKeys = userKeys;
    this.#record = record;
  }

  /**
   * Sets a grant's status.
   *
   * @returns false when the grant is gone or now belongs to another subject, about which a late response says nothing
   */
  async set(tx: Queryable, grant: GrantIdentity, status: GrantStatus): Promise<boolean> {
    // The user is locked before the grant, as in linking: recording the change may lock the user, and the reverse order could deadlock.
    await lockUser(tx, grant.userId);
    const current = await selectGrantStatus(tx, grant);
    if (current === undefined) return false;
    if (current.status === status) return true;
    await updateGrantStatus(tx, grant, status);
    await this.#record(tx, { userId: grant.userId, grantId: grant.grantId, provider: current.provider, status });
    return true;
  }

  /**
   * Sets the status that a provider's rejection of this token implies.
   *
   * @returns false when the grant is gone, or has another token by now
   */
  async rejected(userId: string, grantId: string, accessToken: string, status: GrantStatus): Promise<boolean> {
    const seen = await selectGrant(this.#db, userId, grantId);
    if (seen === undefined) return false;
    // Fetched before the transaction, because the key service may be slow.
    await this.#userKeys.toOpen(this.#db, userId, seen.tokens);
    return this.#db.transaction(async (tx) => {
      const grant = await selectGrant(tx, userId, grantId);
      if (grant === undefined) return false;
      const tokens = openTokens(await this.#userKeys.toOpen(tx, userId, grant.tokens), grant);
      if (tokens.accessToken !== accessToken) return false;
      return this.set(tx, { userId, grantId, subject: grant.subject }, status);
    }, userId);
  }
}
