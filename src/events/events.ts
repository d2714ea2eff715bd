import { afterCommit, type Database, type Queryable } from '../database/database.ts';
import { deleteOldEvents, insertEvent, insertEventForMany, selectAccountId } from './events-repository.ts';

/** A grant whose status became another one. */
export interface StatusEvent {
  userId: string;
  grantId: string;
  provider: string;
  status: string;
}

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

  /**
   * The same event for many users. Those whose row is locked get theirs when it is free, one after the other.
   *
   * @throws the first error there was, once everyone has had a turn
   */
  async recordForAll(userIds: readonly string[], event: string, data: object): Promise<void> {
    if (userIds.length === 0) return;
    const told = new Set(await insertEventForMany(this.#db, userIds, event, data));
    if (told.size > 0) this.#recorded();
    const errors: unknown[] = [];
    for (const userId of userIds) {
      if (told.has(userId)) continue;
      await this.record(this.#db, userId, event, data).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  }

  /** `account.status`, once per transition. */
  async recordStatus(tx: Queryable, { userId, grantId, provider, status }: StatusEvent): Promise<void> {
    const account = await selectAccountId(tx, grantId);
    if (account !== undefined) await this.record(tx, userId, 'account.status', { account, provider, status });
  }

  async sweep(): Promise<void> {
    await deleteOldEvents(this.#db);
  }
}
