import { afterCommit, type Database, type Queryable } from '../database/database.ts';
import type { StatusChange } from '../vault/access-tokens.ts';
import { deleteOldEvents, insertEvent, insertEventForAll, selectAccountId } from './events-repository.ts';

/** Writes down what a user's front ends should hear of; kept for 24 hours. */
export class Events {
  readonly #db: Database;
  readonly #recorded: () => void;

  /** @param recorded told after each commit that brought events */
  constructor(db: Database, recorded: () => void) {
    this.#db = db;
    this.#recorded = recorded;
  }

  /**
   * Records an event within the caller's transaction. It locks the user's row: whoever locks grants too, locks the user first.
   *
   * @param data ids and states only, nothing of what accounts hold
   */
  async record(tx: Queryable, userId: string, event: string, data: object): Promise<void> {
    await insertEvent(tx, userId, event, data);
    afterCommit(tx, this.#recorded);
  }

  async recordForAll(userIds: readonly string[], event: string, data: object): Promise<void> {
    if (userIds.length === 0) return;
    await insertEventForAll(this.#db, userIds, event, data);
    this.#recorded();
  }

  /** `account.status`, once per transition. */
  async recordStatus(tx: Queryable, { userId, grantId, provider, status }: StatusChange): Promise<void> {
    const account = await selectAccountId(tx, grantId);
    if (account !== undefined) await this.record(tx, userId, 'account.status', { account, provider, status });
  }

  async sweep(): Promise<void> {
    await deleteOldEvents(this.#db);
  }
}
