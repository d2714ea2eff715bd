import type { Database, Queryable } from '../../database/database.ts';
import { lockUser } from '../../database/user-lock.ts';
import type { RecordEvent } from '../../events/events.ts';
import { contextOf } from '../call/context-name.ts';
import type { ReadOnlyRow } from '../call/read-only-repository.ts';
import { forgetResults } from '../idempotency/idempotency-repository.ts';
import { deleteOutcomes } from './approval-outcomes-repository.ts';
import { type ApprovalRow, type EndReason, endApprovals, selectUsersToEnd } from './approvals-repository.ts';

/** Users selected at a time. */
const BATCH = 200;

/** Ends approvals that can't be decided any more, and notifies the user's clients. */
export class ApprovalExpiry {
  readonly #db: Database;
  readonly #emit: RecordEvent;

  constructor(db: Database, emit: RecordEvent) {
    this.#db = db;
    this.#emit = emit;
  }

  /** Ends approvals whose time is up. */
  endExpired(): Promise<void> {
    return this.#endAll('expired', new Date(this.#db.clock.now()).toISOString());
  }

  /**
   * Ends approvals of actions that have changed, are switched off or gone, permanently: restoring the earlier file must not
   * reactivate them.
   *
   * @param revisions of the actions in force, by name
   */
  reconfigured(revisions: Readonly<Record<string, string>>): Promise<void> {
    return this.#endAll('reconfigured', JSON.stringify(revisions));
  }

  /** Ends an approval whose audience has grown since it was shown. */
  async endWidened({ userId, id }: Pick<ApprovalRow, 'userId' | 'id'>): Promise<void> {
    await this.#endOf(userId, 'exposed', id);
  }

  /**
   * Ends the approvals that a client requested, and deletes the results of earlier ones, within the transaction that
   * revokes its grant and has locked the user.
   */
  async endForClient(tx: Queryable, userId: string, clientId: string): Promise<void> {
    await this.#end(tx, userId, 'revoked', clientId);
    await deleteOutcomes(tx, userId, 'client_id', clientId);
    await forgetResults(tx, userId, 'asker', contextOf({ client: { id: clientId } }));
  }

  /** The same for a thread, within the transaction that deletes it and has locked the user. */
  async threadDeleted(tx: Queryable, userId: string, threadId: string): Promise<void> {
    await this.#end(tx, userId, 'thread_deleted', threadId);
    await deleteOutcomes(tx, userId, 'thread_id', threadId);
    await forgetResults(tx, userId, 'asker', contextOf({ thread: threadId }));
  }

  /** The same for an account, within the transaction that disconnects it and has locked the user. */
  async disconnected(tx: Queryable, userId: string, accountId: string): Promise<void> {
    await this.#end(tx, userId, 'disconnected', accountId);
    await deleteOutcomes(tx, userId, 'account_id', accountId);
    await forgetResults(tx, userId, 'account_id', accountId);
  }

  /** Ends an account's approvals, or those that one client requested, within the transaction that sets it to read-only. */
  readOnly(tx: Queryable, userId: string, { accountId, clientId }: Pick<ReadOnlyRow, 'accountId' | 'clientId'>): Promise<void> {
    return this.#end(tx, userId, 'read_only', JSON.stringify({ accountId, clientId }));
  }

  async #endAll(reason: EndReason, value: string): Promise<void> {
    for (let userIds = ['']; userIds.length > 0; ) {
      userIds = await selectUsersToEnd(this.#db, reason, value, BATCH);
      for (const userId of userIds) await this.#endOf(userId, reason, value);
    }
  }

  async #endOf(userId: string, reason: EndReason, value: string): Promise<void> {
    await this.#db.transaction(async (tx) => {
      // The same lock order as a decision's, because another would deadlock.
      await lockUser(tx, userId);
      await this.#end(tx, userId, reason, value);
    }, userId);
  }

  async #end(tx: Queryable, userId: string, reason: EndReason, value: string): Promise<void> {
    for (const { id, action, accountId, clientId, threadId, shown } of await endApprovals(tx, userId, reason, value)) {
      if (!shown) continue;
      const about = { approvalId: id, action, account: accountId, ...(threadId !== null && { thread: threadId }) };
      if (reason === 'expired') await this.#emit(tx, userId, 'approval.expired', about, clientId);
      else await this.#emit(tx, userId, 'approval.ended', { ...about, reason }, clientId);
    }
  }
}
