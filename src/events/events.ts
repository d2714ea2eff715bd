import { afterCommit, type Database, type Queryable } from '../database/database.ts';
import type { EventData, EventName } from './event-data.ts';
import { insertEvent, insertEventForMany, selectAccountId } from './events-repository.ts';

/** A grant whose status has changed. */
export interface StatusEvent {
  userId: string;
  grantId: string;
  provider: string;
  status: EventData['account.status']['status'];
}

/** {@link Events.record}, as it is given to those who record events. */
export type RecordEvent = Events['record'];

/** Has the user told of an event also where no front end is open. */
export type TellEvent = <Name extends EventName>(tx: Queryable, userId: string, event: Name, data: EventData[Name]) => Promise<void>;

/** Records events for a user's front ends, which are kept for 24 hours. */
export class Events {
  readonly #db: Database;
  readonly #recorded: () => void;
  readonly #tell: TellEvent;

  /**
   * @param recorded called after each commit with events
   * @param tell is called in the transaction of each event of one user
   */
  constructor(db: Database, recorded: () => void, tell: TellEvent) {
    this.#db = db;
    this.#recorded = recorded;
    this.#tell = tell;
  }

  /**
   * Records an event in the caller's transaction. It locks the user's row; a transaction that also locks grants must lock
   * the user first.
   *
   * @param data ids and states only, no content of accounts
   * @param clientId a client that receives it, too
   */
  async record<Name extends EventName>(
    tx: Queryable,
    userId: string,
    event: Name,
    data: EventData[Name],
    clientId: string | null = null,
  ): Promise<void> {
    await insertEvent(tx, userId, event, data, clientId);
    await this.#tell(tx, userId, event, data);
    afterCommit(tx, this.#recorded);
  }

  /**
   * Records the same event for many users. For users whose row is locked, it waits, one after the other.
   *
   * @throws the first error, after all users were tried
   */
  async recordForAll<Name extends EventName>(userIds: readonly string[], event: Name, data: EventData[Name]): Promise<void> {
    if (userIds.length === 0) return;
    const done = new Set(await insertEventForMany(this.#db, userIds, event, data));
    if (done.size > 0) this.#recorded();
    const errors: unknown[] = [];
    for (const userId of userIds) {
      if (done.has(userId)) continue;
      await this.record(this.#db, userId, event, data).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  }

  /** `account.status`, once per transition. @returns the account; undefined: it isn't connected any more */
  async recordStatus(tx: Queryable, { userId, grantId, provider, status }: StatusEvent): Promise<string | undefined> {
    const account = await selectAccountId(tx, userId, grantId);
    if (account !== undefined) await this.record(tx, userId, 'account.status', { account, provider, status });
    return account;
  }
}
