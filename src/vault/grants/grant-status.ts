import type { Database, Queryable } from '../../database/database.ts';
import { lockUser } from '../../database/user-lock.ts';
import {
  confirmGrantStatus,
  type GrantStatus,
  type RecordStatus,
  selectGrant,
  selectGrantStatus,
  selectGrantVersion,
  updateGrantStatus,
} from './grants-repository.ts';

/** A grant, and the provider's own id of its account. */
export interface GrantIdentity {
  userId: string;
  grantId: string;
  subject: string;
}

/**
 * The status of grants, as providers report it. Each transition is recorded once, in the transaction that makes it. A
 * grant's version is the fence: what a provider said of an earlier one may be outdated.
 */
export class GrantStatuses {
  readonly #db: Database;
  readonly #record: RecordStatus;

  constructor(db: Database, record: RecordStatus) {
    this.#db = db;
    this.#record = record;
  }

  /** The version to report a {@link rejected rejection} with; read it before the token. @returns undefined when the grant is gone */
  version(userId: string, grantId: string): Promise<number | undefined> {
    return selectGrantVersion(this.#db, userId, grantId);
  }

  /**
   * Sets the status that a reading has found.
   *
   * @returns false when the grant is gone or now belongs to another subject, about which a late response says nothing
   */
  async set(tx: Queryable, grant: GrantIdentity, status: GrantStatus): Promise<boolean> {
    const current = await this.#lock(tx, grant);
    if (current === undefined) return false;
    if (current.status === status) await confirmGrantStatus(tx, grant);
    else await this.#change(tx, grant, current.provider, status);
    return true;
  }

  /**
   * Sets the status that a provider's rejection implies.
   *
   * @param version of the grant, as it was before the rejected request was sent
   * @returns false when the grant is gone or was changed since, with another status or token
   */
  rejected(userId: string, grantId: string, version: number | undefined, status: GrantStatus): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const found = await selectGrant(tx, userId, grantId);
      const grant = found && { userId, grantId, subject: found.subject };
      const current = grant && (await this.#lock(tx, grant));
      if (grant === undefined || current === undefined) return false;
      // Of several calls that were rejected for the same reason, the first one has set it.
      if (current.status === status) return true;
      if (current.version !== version) return false;
      await this.#change(tx, grant, current.provider, status);
      return true;
    }, userId);
  }

  /** The user is locked before the grant, as in linking: recording the change may lock the user, and the reverse order could deadlock. */
  async #lock(tx: Queryable, grant: GrantIdentity) {
    await lockUser(tx, grant.userId);
    return selectGrantStatus(tx, grant);
  }

  async #change(tx: Queryable, grant: GrantIdentity, provider: string, status: GrantStatus): Promise<void> {
    await updateGrantStatus(tx, grant, status);
    await this.#record(tx, { userId: grant.userId, grantId: grant.grantId, provider, status });
  }
}
