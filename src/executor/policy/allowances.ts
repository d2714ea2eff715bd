import { randomUUID } from 'node:crypto';
import { type AssociatedData, type DataKey, open, seal } from '../../crypto/envelope.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { lockUser } from '../../database/user-lock.ts';
import { AppError } from '../../errors.ts';
import type { RecordEvent } from '../../events/events.ts';
import { actionRevisions } from '../../integrations/action-revision.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import { disconnected } from '../../vault/grants/active-uses.ts';
import { ignoreDecryptionFailure } from '../../vault/keys/ignore-decryption-failure.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import { AuditEntryBuilder } from '../audit/audit-log.ts';
import { insertAuditRows } from '../audit/audit-repository.ts';
import type { Exposure } from '../call/action-run.ts';
import { askerOf } from '../call/asker.ts';
import type { Call } from '../call/call.ts';
import { allows, type Covered, type NewAllowance } from './allowance.ts';
import {
  type AllowanceRow,
  countAllowances,
  deleteAllowance,
  deleteReconfiguredAllowances,
  insertAllowance,
  selectAllowances,
  selectAllowancesOf,
} from './allowances-repository.ts';
import type { Allowed } from './rule.ts';

const MAX_ACTIVE = 100;

/** An allowance as its user sees it. */
export interface ListedAllowance extends Omit<AllowanceRow, 'covered'>, Covered {}

/** What users have allowed in advance, when they approved a call. */
export class Allowances {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  readonly #emit: RecordEvent;
  readonly #catalog: () => Catalog;

  /** @param catalog the configuration in force */
  constructor(db: Database, userKeys: UserKeys, emit: RecordEvent, catalog: () => Catalog) {
    this.#db = db;
    this.#userKeys = userKeys;
    this.#emit = emit;
    this.#catalog = catalog;
  }

  /** The allowances for a call, newest first, without those that can't be decrypted. */
  async covering(call: Call, exposure: Exposure): Promise<{ id: string; allowed: Allowed }[]> {
    const { userId, account, configured, revision } = call;
    const of = { userId, grantId: account.grantId, action: configured.name, revision, ...askerOf(call) };
    const rows = await selectAllowancesOf(this.#db, of);
    const opened = await this.#opened(userId, rows);
    return opened.flatMap(({ id, covered }) => (covered === undefined ? [] : [{ id, allowed: allows(covered, call, exposure) }]));
  }

  /**
   * Stores an allowance, inside the transaction that approves its call and has locked the user.
   *
   * @throws AppError `conflict` when the user has too many, `not_found` when the account was disconnected meanwhile
   */
  async store(tx: Queryable, call: Call, { covered, days }: NewAllowance): Promise<void> {
    const { userId, account, configured, revision } = call;
    if ((await countAllowances(tx, userId)) >= MAX_ACTIVE) {
      throw new AppError('conflict', `There are ${MAX_ACTIVE} allowances. Revoke one of them first.`);
    }
    const id = randomUUID();
    const key = await this.#userKeys.forUser(tx, userId);
    const stored = await insertAllowance(tx, {
      id,
      userId,
      accountId: account.id,
      grantId: account.grantId,
      ...askerOf(call),
      action: configured.name,
      revision,
      covered: seal(key, associatedData({ id, userId }), JSON.stringify(covered)),
      days,
    });
    if (stored === undefined) throw disconnected();
    const expiresAt = stored.expiresAt.toISOString();
    await this.#emit(tx, userId, 'allowance.created', { id, action: configured.name, account: account.id, expiresAt });
  }

  /** A user's allowances, newest first; of those that can't be decrypted, no recipients are known. */
  async list(userId: string): Promise<ListedAllowance[]> {
    const rows = await selectAllowances(this.#db, userId, actionRevisions(this.#catalog()));
    const opened = await this.#opened(userId, rows);
    return opened.map(({ covered = { recipients: [], arguments: [] }, ...row }) => ({ ...row, ...covered }));
  }

  /**
   * Ends an allowance. It counts for every call that has not started.
   *
   * @param surface where the user revoked it, for the audit log
   * @throws AppError `not_found`
   */
  async revoke(userId: string, id: string, surface: string): Promise<void> {
    await this.#db.transaction(async (tx) => {
      // Changes start under the same lock, so that none starts afterwards.
      await lockUser(tx, userId);
      const row = await deleteAllowance(tx, userId, id);
      if (row === undefined) throw new AppError('not_found', 'There is no such allowance.');
      const { accountId, action } = row;
      const entry = new AuditEntryBuilder(this.#db.clock, id, userId, surface, action).row('ok', 'allowance_revoked');
      await insertAuditRows(tx, [{ ...entry, accountId }]);
      await this.#emit(tx, userId, 'allowance.revoked', { id, action, account: accountId });
    }, userId);
  }

  /** Ends allowances of actions that have changed or are gone, permanently. @param revisions of the actions in force, by name */
  reconfigured(revisions: Readonly<Record<string, string>>): Promise<void> {
    return deleteReconfiguredAllowances(this.#db, revisions);
  }

  #opened(userId: string, rows: readonly AllowanceRow[]) {
    const keyFor = this.#userKeys.forRecords(this.#db, userId);
    const open = (row: AllowanceRow) => ignoreDecryptionFailure(async () => openCovered(await keyFor(row.covered), row));
    return Promise.all(rows.map(async (row) => ({ ...row, covered: await open(row) })));
  }
}

/** Decrypts what an allowance is for. @throws AppError `internal` when it can't be decrypted */
export function openCovered(key: DataKey, row: Pick<AllowanceRow, 'id' | 'userId' | 'covered'>): Covered {
  return JSON.parse(open(key, associatedData(row), row.covered).toString('utf8')) as Covered;
}

function associatedData({ id, userId }: Pick<AllowanceRow, 'id' | 'userId'>): AssociatedData {
  return { table: 'allowances', column: 'covered', userId, rowId: id };
}
