import { randomUUID } from 'node:crypto';
import { type DataKey, open, type Place, seal } from '../crypto/envelope.ts';
import type { Database, Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Emit } from '../vault/emit.ts';
import { lockUser } from '../vault/grants-repository.ts';
import { readable } from '../vault/readable.ts';
import type { UserKeys } from '../vault/user-keys.ts';
import {
  type ApprovalRow,
  countAsked,
  decideApproval,
  insertApproval,
  selectApproval,
  selectLikeApprovals,
  selectPendingApprovals,
} from './approvals-repository.ts';
import { canonicalJson } from './argument-hashes.ts';
import type { Call } from './call.ts';
import { rateLimited } from './read-rates.ts';

/** What the user is asked: exactly what will happen. */
export interface ApprovalPreview {
  approvalId: string;
  action: string;
  /** The account's label. */
  account: string;
  accountId: string;
  summary: string;
  /** The arguments, defaults included. */
  input: unknown;
  /** ISO 8601. */
  expiresAt: string;
}

/** What is sealed in the row. */
interface Stored {
  account: string;
  summary: string;
  given: unknown;
  input: unknown;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** More at a time nobody reads: an agent could bury one request among others. */
const PENDING_MAX = 50;

/** Questions to the user, each bound to one account, action, arguments and configuration, and answered once. */
export class Approvals {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  readonly #emit: Emit;

  constructor(db: Database, userKeys: UserKeys, emit: Emit) {
    this.#db = db;
    this.#userKeys = userKeys;
    this.#emit = emit;
  }

  /**
   * Asks the user; a call that already waits for its answer is not asked twice.
   *
   * @param summary what will happen, in one line
   * @returns what the user is asked
   * @throws AppError `forbidden` when the key's call was denied, `conflict` when it has other arguments, `rate_limited` when too much waits
   */
  async request(call: Call, summary: string): Promise<ApprovalPreview> {
    const row = newRow(call);
    const stored = storedOf(call, summary);
    return this.#db.transaction(async (tx) => {
      if (!(await lockUser(tx, call.userId))) throw new AppError('invalid_token', 'This user no longer exists.');
      const key = await this.#userKeys.forUser(tx, call.userId);
      const sealed = seal(key, place(row), JSON.stringify(stored));
      for (const waiting of waitingOf(await selectLikeApprovals(tx, row), row)) {
        const shown = unseal(key, waiting);
        // As it was shown: its summary may be told differently by now.
        if (shown !== undefined && isAbout(shown, call)) return preview(waiting, shown);
      }
      await assertRoom(tx, call);
      const expiry = await insertApproval(tx, { ...row, arguments: sealed });
      const { action, accountId: account } = row;
      await this.#emit(tx, call.userId, 'approval.requested', { approvalId: row.id, action, account, expiresAt: expiry.toISOString() });
      return preview({ ...row, expiresAt: expiry }, stored);
    });
  }

  /** What waits for the user under this revision, oldest first; what can't be read could not be approved either. */
  async pending(userId: string, revision: string): Promise<ApprovalPreview[]> {
    const rows = await selectPendingApprovals(this.#db, userId, revision);
    if (rows.length === 0) return [];
    const key = await this.#userKeys.forUser(this.#db, userId);
    return rows.flatMap((row) => {
      const stored = unseal(key, row);
      return stored === undefined ? [] : [preview(row, stored)];
    });
  }

  /** @throws AppError `not_found`, also for another user's; `conflict` when it was decided or has expired */
  async find(userId: string, approvalId: string): Promise<ApprovalRow> {
    const row = UUID.test(approvalId) ? await selectApproval(this.#db, userId, approvalId) : undefined;
    if (row === undefined) throw new AppError('not_found', 'There is no such request for approval.');
    if (row.status !== 'pending') throw decided();
    if (row.expired) throw new AppError('conflict', 'This request for approval has expired. Ask for it again.');
    return row;
  }

  /** @throws AppError `conflict` when it is not what was once stored */
  async open(row: ApprovalRow): Promise<Stored> {
    const sealed = row.arguments ?? Buffer.alloc(0);
    const key = await readable(() => this.#userKeys.toOpen(this.#db, row.userId, sealed));
    const stored = key && unseal(key, row);
    if (stored === undefined) throw changed();
    return stored;
  }

  /** @throws AppError `conflict` when another decision was faster, or it has expired */
  async deny(row: ApprovalRow): Promise<void> {
    await this.#db.transaction(async (tx) => {
      // In the order in which an approval takes the two rows: another would deadlock.
      await lockUser(tx, row.userId);
      await this.decide(tx, row, false);
    });
  }

  /**
   * Takes the decision inside the transaction that acts on it, and that has locked the user.
   *
   * @throws AppError `conflict` when another decision was faster, or it has expired
   */
  async decide(tx: Queryable, { userId, id, action, accountId }: ApprovalRow, approved: boolean): Promise<void> {
    if (!(await decideApproval(tx, userId, id, approved ? 'approved' : 'denied'))) throw decided();
    await this.#emit(tx, userId, 'approval.decided', { approvalId: id, action, account: accountId, approved });
  }
}

/** @throws AppError `conflict` when the configuration is no longer that under which it was asked */
export function assertSameRevision(row: ApprovalRow, revision: string): void {
  if (revision !== row.revision) throw new AppError('conflict', 'The configuration has changed since. Ask for approval again.');
}

/** @throws AppError `conflict` when the call that would run is not the one that was asked about */
export function assertSameCall(row: ApprovalRow, stored: Stored, call: Call): void {
  assertSameRevision(row, call.revision);
  if (call.argumentsHash !== row.argumentsHash || !isAbout(stored, call)) throw changed();
}

/** The arguments that were shown are those that would run: a newer version of the service may have other defaults. */
function isAbout(stored: Stored, { input }: Call): boolean {
  return canonicalJson(stored.input) === canonicalJson(JSON.parse(JSON.stringify(input)));
}

/**
 * A user is asked no more often than the action may run, and never about too many calls at once.
 *
 * @throws AppError `rate_limited`
 */
async function assertRoom(tx: Queryable, { userId, revision, configured: { name, policy } }: Call): Promise<void> {
  if ((await selectPendingApprovals(tx, userId, revision)).length >= PENDING_MAX) {
    throw new AppError('rate_limited', 'Too many calls wait for approval. Decide on some of them first.', { retryAfter: 60 });
  }
  const asked = await countAsked(tx, userId, name, policy.rate.perMs);
  if (asked.calls >= policy.rate.calls) throw rateLimited(asked.seconds);
}

function newRow({ userId, account, configured, argumentsHash, idempotencyKey, revision }: Call) {
  const [id, accountId, action] = [randomUUID(), account.id, configured.name];
  return { id, userId, accountId, action, argumentsHash, idempotencyKey: idempotencyKey ?? null, revision };
}

function storedOf({ account, given, input }: Call, summary: string): Stored {
  return { account: account.label, summary, given, input };
}

/**
 * The requests for this call that still wait, newest first.
 *
 * @throws AppError `forbidden`, `conflict`
 */
function waitingOf(rows: readonly ApprovalRow[], row: ReturnType<typeof newRow>): ApprovalRow[] {
  const waits = ({ status, expired }: ApprovalRow) => status === 'pending' && !expired;
  const ofKey = rows.filter(({ idempotencyKey }) => idempotencyKey !== null && idempotencyKey === row.idempotencyKey);
  if (ofKey.some((one) => waits(one) && one.argumentsHash !== row.argumentsHash)) {
    throw new AppError('conflict', 'idempotencyKey: was used for other arguments.');
  }
  // Asking until someone slips is no way round a refusal.
  if (ofKey.some(({ status }) => status === 'denied')) throw new AppError('forbidden', 'The user has refused this.');
  return rows.filter((one) => waits(one) && one.revision === row.revision && one.idempotencyKey === row.idempotencyKey);
}

function preview(
  row: Pick<ApprovalRow, 'id' | 'action' | 'accountId' | 'expiresAt'>,
  { account, summary, input }: Stored,
): ApprovalPreview {
  const { id: approvalId, action, accountId, expiresAt } = row;
  return { approvalId, action, account, accountId, summary, input, expiresAt: expiresAt.toISOString() };
}

/** What a request showed the user; undefined once it is decided, and where it can't be read. */
export function unseal(key: DataKey, row: Pick<ApprovalRow, 'id' | 'userId' | 'revision' | 'arguments'>): Stored | undefined {
  if (row.arguments === null) return undefined;
  try {
    return JSON.parse(open(key, place(row), row.arguments).toString('utf8')) as Stored;
  } catch {
    return undefined;
  }
}

function decided(): AppError {
  return new AppError('conflict', 'This request for approval was decided already, or has expired.');
}

function changed(): AppError {
  return new AppError('conflict', 'This request for approval can’t be carried out as it was asked. Ask for it again.');
}

/** The configuration is part of the place: arguments approved under one don't open under another. */
function place({ id, userId, revision }: Pick<ApprovalRow, 'id' | 'userId' | 'revision'>): Place {
  return { table: 'approvals', column: `arguments/${revision}`, userId, rowId: id };
}
