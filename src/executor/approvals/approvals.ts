import type { Database, Queryable } from '../../database/database.ts';
import { lockUser } from '../../database/user-lock.ts';
import { AppError } from '../../errors.ts';
import type { RecordEvent } from '../../events/events.ts';
import { actionRevisions } from '../../integrations/action-revision.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import { ignoreDecryptionFailure } from '../../vault/keys/ignore-decryption-failure.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import type { Exposure } from '../call/action-run.ts';
import { alreadyDecided, changeSince, hasExpired, noSuchApproval, notAsAsked } from './approval-checks.ts';
import { ApprovalExpiry } from './approval-expiry.ts';
import { type ApprovalPreview, preview, type Stored, unseal } from './approval-preview.ts';
import { type ApprovalRow, decideApproval, isApprovalId, selectApproval, selectPendingApprovals } from './approvals-repository.ts';

/** Approvals that were requested, each bound to one account, action, arguments and configuration, and decided once. */
export class Approvals {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  readonly #emit: RecordEvent;
  readonly #expiry: ApprovalExpiry;
  readonly #catalog: () => Catalog;

  /** @param catalog the configuration in force */
  constructor(db: Database, userKeys: UserKeys, emit: RecordEvent, catalog: () => Catalog) {
    this.#db = db;
    this.#userKeys = userKeys;
    this.#emit = emit;
    this.#expiry = new ApprovalExpiry(db, emit);
    this.#catalog = catalog;
  }

  /** Pending approvals of actions that are still the same, oldest first, without those that can't be decrypted. */
  async pending(userId: string): Promise<ApprovalPreview[]> {
    const rows = await selectPendingApprovals(this.#db, userId, actionRevisions(this.#catalog()));
    if (rows.length === 0) return [];
    const key = await this.#userKeys.forUser(this.#db, userId);
    const shown = rows.flatMap((row) => {
      const stored = unseal(key, row);
      return stored === undefined ? [] : [preview(row, stored)];
    });
    return Promise.all(shown);
  }

  /** @throws AppError `not_found`, also for another user's approval; `conflict` when it was decided or has expired */
  async find(userId: string, approvalId: string): Promise<ApprovalRow> {
    const row = isApprovalId(approvalId) ? await selectApproval(this.#db, userId, approvalId) : undefined;
    if (row === undefined) throw noSuchApproval();
    if (row.status !== 'pending') throw alreadyDecided();
    if (row.expired || (row.parked && row.expiresAt.getTime() <= this.#db.clock.now())) throw hasExpired();
    return row;
  }

  /** Decrypts what the user was shown. @throws AppError `conflict` when that fails */
  async open(row: ApprovalRow): Promise<Stored> {
    const sealed = row.arguments ?? Buffer.alloc(0);
    const key = await ignoreDecryptionFailure(() => this.#userKeys.toOpen(this.#db, row.userId, sealed));
    const stored = key && unseal(key, row);
    if (stored === undefined) throw notAsAsked();
    return stored;
  }

  /**
   * Ends an approval whose audience has grown, or whose subject has changed, since it was shown.
   *
   * @throws AppError `conflict` then
   */
  async assertAsShown(row: ApprovalRow, stored: Stored, now: Pick<Exposure, 'audience' | 'version'>): Promise<void> {
    const change = changeSince(stored, now);
    if (change === undefined) return;
    await this.#expiry.endWidened(row);
    const why = change === 'audience' ? 'Other people would now see this.' : 'This has changed since it was shown.';
    throw new AppError('conflict', `${why} Ask for approval again.`);
  }

  /** @throws AppError `conflict` when it was decided meanwhile, or has expired */
  async deny(row: ApprovalRow): Promise<void> {
    await this.#db.transaction(async (tx) => {
      // The same lock order as an approval's, because another would deadlock.
      await lockUser(tx, row.userId);
      await this.decide(tx, row, null);
    }, row.userId);
  }

  /**
   * Stores the decision, inside the transaction that acts on it and has locked the user.
   *
   * @param runMs approved: the run ends within this time; null: denied
   * @throws AppError `conflict` when it was decided meanwhile, has expired, or is to be approved with arguments that were
   * replaced
   */
  async decide(tx: Queryable, row: ApprovalRow, runMs: number | null): Promise<void> {
    const { userId, id: approvalId, action, accountId: account, clientId, threadId } = row;
    const done = await decideApproval(tx, row, runMs);
    if (done === undefined) throw alreadyDecided();
    const { edited } = done;
    const about = { approvalId, action, account, approved: runMs !== null, edited, ...(threadId !== null && { thread: threadId }) };
    await this.#emit(tx, userId, 'approval.decided', about, clientId);
  }
}
