import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../database/database.ts';
import { lockExistingUser, lockUser } from '../database/user-lock.ts';
import { AppError } from '../errors.ts';
import type { RecordEvent } from '../events/events.ts';
import type { ApprovalExpiry } from '../executor/approvals/approval-expiry.ts';
import { AuditEntryBuilder } from '../executor/audit/audit-log.ts';
import { insertAuditRows } from '../executor/audit/audit-repository.ts';
import { selectConnection } from '../executor/call/agent-accounts-repository.ts';
import { isActiveClient } from '../executor/call/client-grants-repository.ts';
import { deleteReadOnly, insertReadOnly, type ReadOnlyRow, selectReadOnly } from '../executor/call/read-only-repository.ts';

const SURFACE = 'http';
/** The switch is about every action. */
const ACTION = '*';

/** Accounts and banks that users have set to read-only, for everything or for one client. */
export class ReadOnlySwitches {
  readonly #db: Database;
  readonly #emit: RecordEvent;
  readonly #approvalExpiry: ApprovalExpiry;

  constructor(db: Database, emit: RecordEvent, approvalExpiry: ApprovalExpiry) {
    this.#db = db;
    this.#emit = emit;
    this.#approvalExpiry = approvalExpiry;
  }

  list(userId: string): Promise<ReadOnlyRow[]> {
    return selectReadOnly(this.#db, userId);
  }

  /**
   * Sets an account to read-only: no change starts on any replica afterwards, and pending approvals for it end. What is set
   * already stays as it is.
   *
   * @param clientId null: for everything
   * @throws AppError `invalid_request` for an account or a client that the user does not have
   */
  set(userId: string, accountId: string, clientId: string | null): Promise<ReadOnlyRow> {
    return this.#db.transaction(async (tx) => {
      // Changes start under the same lock, so that none starts afterwards.
      await lockExistingUser(tx, userId);
      await assertOwn(tx, userId, accountId, clientId);
      const set = await insertReadOnly(tx, userId, { id: randomUUID(), accountId, clientId });
      if (set === undefined) return existing(await selectReadOnly(tx, userId), accountId, clientId);
      await this.#approvalExpiry.readOnly(tx, userId, set);
      await this.#record(tx, userId, set, true);
      return set;
    }, userId);
  }

  /** @throws AppError `not_found` */
  async lift(userId: string, id: string): Promise<void> {
    await this.#db.transaction(async (tx) => {
      await lockUser(tx, userId);
      const lifted = await deleteReadOnly(tx, userId, id);
      if (lifted === undefined) throw new AppError('not_found', 'There is no such read-only setting.');
      await this.#record(tx, userId, lifted, false);
    }, userId);
  }

  async #record(tx: Queryable, userId: string, { id, accountId, clientId }: ReadOnlyRow, readOnly: boolean): Promise<void> {
    const entry = new AuditEntryBuilder(this.#db.clock, id, userId, SURFACE, ACTION, clientId ?? undefined);
    await insertAuditRows(tx, [{ ...entry.row('ok', readOnly ? 'read_only_set' : 'read_only_lifted'), accountId }]);
    await this.#emit(tx, userId, 'account.read_only', { account: accountId, client: clientId, readOnly });
  }
}

async function assertOwn(tx: Queryable, userId: string, accountId: string, clientId: string | null): Promise<void> {
  if ((await selectConnection(tx, userId, accountId, undefined)) === undefined) {
    throw new AppError('invalid_request', 'account_id: no such account is connected.');
  }
  if (clientId !== null && !(await isActiveClient(tx, userId, clientId))) {
    throw new AppError('invalid_request', 'client_id: there is no such token, or it has ended.');
  }
}

function existing(rows: readonly ReadOnlyRow[], accountId: string, clientId: string | null): ReadOnlyRow {
  return rows.find((row) => row.accountId === accountId && row.clientId === clientId) as ReadOnlyRow;
}
