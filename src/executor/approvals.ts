import { randomUUID } from 'node:crypto';
import type { DataKey } from '../crypto/envelope.ts';
import type { Database, Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Emit } from '../events/emit.ts';
import { actionRevisions } from '../integrations/action-revision.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { isWider, UNKNOWN } from '../providers/audience.ts';
import { disconnected } from '../vault/active-uses.ts';
import { lockUser } from '../vault/grants-repository.ts';
import { ignoreDecryptionFailure } from '../vault/ignore-decryption-failure.ts';
import type { UserKeys } from '../vault/user-keys.ts';
import type { Exposure } from './action-run.ts';
import { selectConnection } from './agent-accounts-repository.ts';
import { ApprovalExpiry } from './approval-expiry.ts';
import { type ApprovalPreview, asJson, isAbout, preview, type Stored, sealed, storedOf, unseal } from './approval-preview.ts';
import {
  type ApprovalRow,
  decideApproval,
  isApprovalId,
  type NewApproval,
  replaceArguments,
  selectApproval,
  selectLikeApprovals,
  selectPendingApprovals,
  showApproval,
} from './approvals-repository.ts';
import type { ArgumentHashes } from './argument-hashes.ts';
import { type AuditRow, insertAuditRows } from './audit-repository.ts';
import { type Call, changesSomething } from './call.ts';
import { notAClient } from './client-grant.ts';
import { isActiveClient } from './client-grants-repository.ts';
import { openApprovals, reserveSlot, shownAmong } from './pending-approval-slots.ts';
import type { Question } from './question.ts';
import { setReadOnly } from './select-account.ts';

/** Approvals, each bound to one account, action, arguments and configuration, and decided once. */
export class Approvals {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  readonly #hashes: ArgumentHashes;
  readonly #emit: Emit;
  readonly #expiry: ApprovalExpiry;
  readonly #catalog: () => Catalog;
  /** Approvals whose preview this process is reading, by id. */
  readonly #showing = new Map<string, Promise<ApprovalPreview>>();

  /** @param catalog the configuration in force */
  constructor(db: Database, userKeys: UserKeys, hashes: ArgumentHashes, emit: Emit, catalog: () => Catalog) {
    this.#db = db;
    this.#userKeys = userKeys;
    this.#hashes = hashes;
    this.#emit = emit;
    this.#expiry = new ApprovalExpiry(db, emit);
    this.#catalog = catalog;
  }

  /**
   * Requests the user's approval; equal calls share one. The approval is inserted, and counts, before its preview is
   * read, so that concurrent calls do not read many previews.
   *
   * @param surface where the call came from
   * @param describe describes the call to the user; may call the provider
   * @returns what the user is shown
   * @throws AppError `forbidden` when this was denied, `conflict` when the key's call has other arguments or the
   * configuration has changed, `not_found` when the account was disconnected meanwhile, `invalid_token` when the client was
   * revoked, `rate_limited` when approval was
   * requested too often or too many approvals are open
   */
  async request(call: Call, surface: string, describe: () => Promise<Question>): Promise<ApprovalPreview> {
    const { userId } = call;
    const row = await this.#newRow(call, surface);
    // Outside the transaction, because the key service may be slow.
    await this.#userKeys.forUser(this.#db, userId);
    const reserved = await this.#db.transaction(async (tx) => reserveSlot(tx, call, row, await this.#lock(tx, call)), userId);
    return typeof reserved === 'string' ? this.#showOnce(call, reserved, async () => storedOf(call, await describe())) : reserved;
  }

  /**
   * What the user is shown of an equal call already.
   *
   * @throws AppError `forbidden` when it was denied, `conflict` when the key's call has other arguments
   */
  async shown(call: Call): Promise<ApprovalPreview | undefined> {
    const row = await this.#newRow(call, '');
    const open = openApprovals(await selectLikeApprovals(this.#db, row), row);
    return open.length === 0 ? undefined : shownAmong(open, await this.#userKeys.forUser(this.#db, call.userId));
  }

  /**
   * Ends an approval whose effect others see by now whom the user wasn't told of, or whose subject has changed since it
   * was shown.
   *
   * @throws AppError `conflict` then
   */
  async assertAsShown(row: ApprovalRow, { audience, version }: Stored, now: Pick<Exposure, 'audience' | 'version'>): Promise<void> {
    const wider = isWider(now.audience, audience ?? UNKNOWN);
    if (!wider && now.version === version) return;
    await this.#expiry.exposed(row);
    const why = wider ? 'Others would see this by now.' : 'This has changed since it was shown.';
    throw new AppError('conflict', `${why} Ask for approval again.`);
  }

  /** Pending approvals of actions that are still the same, oldest first, without those that can't be decrypted. */
  async pending(userId: string): Promise<ApprovalPreview[]> {
    const rows = await selectPendingApprovals(this.#db, userId, actionRevisions(this.#catalog()));
    if (rows.length === 0) return [];
    const key = await this.#userKeys.forUser(this.#db, userId);
    return rows.flatMap((row) => {
      const stored = unseal(key, row);
      return stored === undefined ? [] : [preview(row, stored)];
    });
  }

  /** @throws AppError `not_found`, also for another user's approval; `conflict` when it was decided or has expired */
  async find(userId: string, approvalId: string): Promise<ApprovalRow> {
    const row = isApprovalId(approvalId) ? await selectApproval(this.#db, userId, approvalId) : undefined;
    if (row === undefined) throw noSuchApproval();
    if (row.status !== 'pending') throw decided();
    if (row.expired) throw new AppError('conflict', 'This request for approval has expired. Ask for it again.');
    return row;
  }

  /** Decrypts what the user was shown. @throws AppError `conflict` when that fails */
  async open(row: ApprovalRow): Promise<Stored> {
    const sealed = row.arguments ?? Buffer.alloc(0);
    const key = await ignoreDecryptionFailure(() => this.#userKeys.toOpen(this.#db, row.userId, sealed));
    const stored = key && unseal(key, row);
    if (stored === undefined) throw changed();
    return stored;
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
    const { userId, id: approvalId, action, accountId: account, clientId } = row;
    const done = await decideApproval(tx, row, runMs);
    if (done === undefined) throw decided();
    const { edited } = done;
    await this.#emit(tx, userId, 'approval.decided', { approvalId, action, account, approved: runMs !== null, edited }, clientId);
  }

  /** Calls are equal when their arguments with defaults are. */
  async #newRow(
    { userId, account, configured, input, argumentsHash, idempotencyKey, revision, client }: Call,
    surface: string,
  ): Promise<NewApproval> {
    const normalizedHash = await this.#hashes.of(userId, configured.name, account.id, asJson(input));
    const about = { userId, accountId: account.id, action: configured.name, argumentsHash, normalizedHash };
    return { id: randomUUID(), ...about, idempotencyKey: idempotencyKey ?? null, revision, surface, clientId: client?.id ?? null };
  }

  /**
   * Replaces the arguments of a pending approval by those that the user chose.
   *
   * @param replaced the audit row with the hash of the former arguments
   * @throws AppError `conflict` when it was decided meanwhile, or has expired
   */
  async replace(row: ApprovalRow, call: Call, question: Question, replaced: AuditRow): Promise<ApprovalPreview> {
    const { id, userId, action, accountId, expiresAt } = row;
    const { normalizedHash } = await this.#newRow(call, '');
    const stored = storedOf(call, question);
    return this.#db.transaction(async (tx) => {
      const key = await this.#lock(tx, call);
      const { argumentsHash, revision } = call;
      const isOpen = await replaceArguments(
        tx,
        { userId, id, argumentsHash, normalizedHash },
        sealed(key, { id, userId, revision }, stored),
      );
      if (!isOpen) throw decided();
      await insertAuditRows(tx, [replaced]);
      await this.#emit(tx, userId, 'approval.requested', {
        approvalId: id,
        action,
        account: accountId,
        expiresAt: expiresAt.toISOString(),
      });
      return preview(row, stored);
    }, userId);
  }

  /** Equal calls of this process share one preview. */
  #showOnce(call: Call, id: string, describe: () => Promise<Stored>): Promise<ApprovalPreview> {
    const underWay = this.#showing.get(id) ?? this.#show(call, id, describe).finally(() => this.#showing.delete(id));
    this.#showing.set(id, underWay);
    return underWay;
  }

  /** Shows a reserved approval to the user. If another replica has already shown it, returns that one. */
  async #show(call: Call, id: string, describe: () => Promise<Stored>): Promise<ApprovalPreview> {
    const { userId, revision, configured, account } = call;
    const [action, accountId] = [configured.name, account.id];
    const stored = await describe();
    return this.#db.transaction(async (tx) => {
      const key = await this.#lock(tx, call);
      const expiresAt = await showApproval(tx, userId, id, sealed(key, { id, userId, revision }, stored));
      if (expiresAt === undefined) return shownPreview(await selectApproval(tx, userId, id), key);
      await this.#emit(tx, userId, 'approval.requested', {
        approvalId: id,
        action,
        account: accountId,
        expiresAt: expiresAt.toISOString(),
      });
      return preview({ id, action, accountId, expiresAt }, stored);
    }, userId);
  }

  /**
   * Locks the user, as a disconnect does, and repeats the checks whose result may have changed: an approval inserted
   * after its account, client or configuration is gone would never be ended.
   *
   * @returns the user's key, which isn't replaced while the user is locked
   * @throws AppError `invalid_token`, `not_found`, `forbidden`, `conflict`
   */
  async #lock(tx: Queryable, { userId, account, configured, revision, client }: Call): Promise<DataKey> {
    if (!(await lockUser(tx, userId))) throw new AppError('invalid_token', 'This user no longer exists.');
    if (client !== undefined && !(await isActiveClient(tx, userId, client.id))) throw notAClient();
    const connection = await selectConnection(tx, userId, account.id, client?.id);
    if (connection === undefined) throw disconnected();
    if (connection.isReadOnly && changesSomething(configured)) throw setReadOnly(account);
    assertSameRevision({ action: configured.name, revision }, this.#catalog());
    return this.#userKeys.forUser(tx, userId);
  }
}

/** @throws AppError `conflict` when the action has changed since the approval was requested, or is gone */
export function assertSameRevision({ action, revision }: Pick<ApprovalRow, 'action' | 'revision'>, { actions }: Catalog): void {
  if (actions.get(action)?.revision !== revision) throw reconfigured();
}

function reconfigured(): AppError {
  return new AppError('conflict', 'The configuration has changed since. Ask for approval again.');
}

/** @throws AppError `conflict` when the call that would run differs from what the user was shown */
export function assertSameCall(row: ApprovalRow, stored: Stored, call: Call): void {
  if (row.revision !== call.revision) throw reconfigured();
  if (call.argumentsHash !== row.argumentsHash || !isAbout(stored, call)) throw changed();
}

/** @throws AppError `conflict` when it has ended meanwhile */
function shownPreview(row: ApprovalRow | undefined, key: DataKey): ApprovalPreview {
  const shown = row?.status === 'pending' ? unseal(key, row) : undefined;
  if (row === undefined || shown === undefined) throw changed();
  return preview(row, shown);
}

export function noSuchApproval(): AppError {
  return new AppError('not_found', 'There is no such request for approval.');
}

function decided(): AppError {
  return new AppError('conflict', 'This request for approval was decided already, or has expired.');
}

function changed(): AppError {
  return new AppError('conflict', 'This request for approval can’t be carried out as it was asked. Ask for it again.');
}
