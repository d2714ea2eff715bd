import { randomUUID } from 'node:crypto';
import { SingleFlight } from '../../concurrency/single-flight.ts';
import type { DataKey } from '../../crypto/envelope.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { CONCURRENT_BATCHES, StatementBatcher } from '../../database/statement-batcher.ts';
import { lockExistingUser } from '../../database/user-lock.ts';
import type { RecordEvent } from '../../events/events.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import { disconnected } from '../../vault/grants/active-uses.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import { type AuditRow, insertAuditRows } from '../audit/audit-repository.ts';
import { selectConnection } from '../call/agent-accounts-repository.ts';
import type { ArgumentHashes } from '../call/argument-hashes.ts';
import { type Call, changesSomething } from '../call/call.ts';
import { notAClient } from '../call/client-grant.ts';
import { isActiveClient } from '../call/client-grants-repository.ts';
import { isOwnAccount, setReadOnly } from '../call/select-account.ts';
import { alreadyDecided, assertSameRevision, notAsAsked } from './approval-checks.ts';
import { type ApprovalPreview, asJson, preview, type Stored, sealed, storedOf, unseal } from './approval-preview.ts';
import type { ApprovalPrompt } from './approval-prompt.ts';
import {
  type ApprovalLike,
  type ApprovalRow,
  type ApprovalSubject,
  renewPreview,
  replaceArguments,
  selectApproval,
  selectLikeApprovals,
  showApproval,
} from './approvals-repository.ts';
import { openApprovals, reserveSlot, shownAmong } from './pending-approval-slots.ts';

export interface RequestDeps {
  db: Database;
  userKeys: UserKeys;
  emit: RecordEvent;
  /** The configuration in force. */
  catalog(): Catalog;
  /** For how long what a run of an automation asks can be decided, milliseconds. */
  parkedApprovalMs: number;
}

/** Requests the approval of calls. */
export class ApprovalRequests {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  readonly #hashes: ArgumentHashes;
  readonly #emit: RecordEvent;
  readonly #catalog: () => Catalog;
  readonly #parkedMs: number;
  /** Approvals whose preview this process is reading, by id: equal calls share one preview. */
  readonly #showing = new SingleFlight<ApprovalPreview>();
  readonly #like: StatementBatcher<ApprovalLike, ApprovalRow[]>;

  constructor({ db, userKeys, emit, catalog, parkedApprovalMs }: RequestDeps, hashes: ArgumentHashes) {
    this.#db = db;
    this.#userKeys = userKeys;
    this.#hashes = hashes;
    this.#emit = emit;
    this.#catalog = catalog;
    this.#parkedMs = parkedApprovalMs;
    this.#like = new StatementBatcher((asked) => selectLikeApprovals(db, asked), CONCURRENT_BATCHES);
  }

  /**
   * Requests the user's approval; equal calls share one. The approval is inserted, and counts, before its preview is
   * read, so that concurrent calls do not read many previews.
   *
   * @param surface where the call came from
   * @param items hashes of the ids of what it is about
   * @param describe describes the call to the user; may call the provider
   * @returns what the user is shown
   * @throws AppError `forbidden` when this was denied, `conflict` when the key's call has other arguments or the
   * configuration has changed, `not_found` when the account was disconnected meanwhile, `rate_limited` when approval was
   * requested too often or too many approvals are open
   */
  async request(call: Call, surface: string, items: readonly Buffer[], describe: () => Promise<ApprovalPrompt>): Promise<ApprovalPreview> {
    const { userId } = call;
    const row = {
      ...(await this.subjectOf(call)),
      id: randomUUID(),
      surface,
      items,
      parked: call.threadGrant !== undefined,
      askedAt: this.#now(),
    };
    // Outside the transaction, because the key service may be slow.
    await this.#userKeys.forUser(this.#db, userId);
    const reserved = await this.#db.transaction(async (tx) => reserveSlot(tx, call, row, await this.#lock(tx, call)), userId);
    if (typeof reserved !== 'string') return reserved;
    return this.#showing.run(reserved, async () => this.#show(call, reserved, storedOf(call, await describe())));
  }

  /**
   * What the user is shown of an equal call already.
   *
   * @throws AppError `forbidden` when it was denied, `conflict` when the key's call has other arguments
   */
  async shown(call: Call): Promise<ApprovalPreview | undefined> {
    const subject = await this.subjectOf(call);
    const open = openApprovals(await this.#like.add(subject), subject);
    return open.length === 0 ? undefined : shownAmong(open, await this.#userKeys.forUser(this.#db, call.userId));
  }

  /**
   * Replaces the arguments of a pending approval by those that the user chose.
   *
   * @param replaced the audit row with the hash of the former arguments
   * @throws AppError `conflict` when it was decided meanwhile, or has expired
   */
  async replace(
    row: ApprovalRow,
    call: Call,
    prompt: ApprovalPrompt,
    items: readonly Buffer[],
    replaced: AuditRow,
  ): Promise<ApprovalPreview> {
    const { id, userId } = row;
    const { argumentsHash, normalizedHash, revision } = await this.subjectOf(call);
    const stored = storedOf(call, prompt);
    return this.#db.transaction(async (tx) => {
      const key = await this.#lock(tx, call);
      const about = { userId, id, argumentsHash, normalizedHash, items };
      const isOpen = await replaceArguments(tx, about, sealed(key, { id, userId, revision }, stored));
      if (!isOpen) throw alreadyDecided();
      await insertAuditRows(tx, [replaced]);
      return this.#announced(tx, userId, await preview(row, stored));
    }, userId);
  }

  /**
   * Shows a pending approval anew, with the same arguments, because what they are for has changed.
   *
   * @throws AppError `conflict` when it was decided meanwhile, or has expired
   */
  async renew(row: ApprovalRow, call: Call, prompt: ApprovalPrompt, items: readonly Buffer[]): Promise<ApprovalPreview> {
    const { id, userId, argumentsHash } = row;
    const stored = storedOf(call, prompt);
    return this.#db.transaction(async (tx) => {
      const key = await this.#lock(tx, call);
      const isOpen = await renewPreview(
        tx,
        { userId, id, argumentsHash, items },
        sealed(key, { id, userId, revision: call.revision }, stored),
      );
      if (!isOpen) throw alreadyDecided();
      return this.#announced(tx, userId, await preview(row, stored));
    }, userId);
  }

  /** What the approval of a call is bound to. Calls are equal when their arguments with defaults are. */
  async subjectOf(call: Call): Promise<ApprovalSubject> {
    const { userId, account, configured, input, argumentsHash, idempotencyKey, revision, client, thread } = call;
    const stored = asJson(input);
    const normalizedHash = await this.#hashes.of(userId, configured.name, account.id, stored);
    const about = { userId, accountId: account.id, action: configured.name, argumentsHash, normalizedHash };
    return { ...about, idempotencyKey: idempotencyKey ?? null, revision, clientId: client?.id ?? null, threadId: thread ?? null };
  }

  /** Shows a reserved approval to the user. If another replica has already shown it, returns that one. */
  #show(call: Call, id: string, stored: Stored): Promise<ApprovalPreview> {
    const { userId, revision, configured, account } = call;
    return this.#db.transaction(async (tx) => {
      const key = await this.#lock(tx, call);
      const parkedUntil = new Date(this.#now().getTime() + this.#parkedMs);
      const asked = await showApproval(tx, userId, id, sealed(key, { id, userId, revision }, stored), parkedUntil);
      if (asked === undefined) return shownPreview(await selectApproval(tx, userId, id), key);
      return this.#announced(tx, userId, await preview({ id, action: configured.name, accountId: account.id, ...asked }, stored));
    }, userId);
  }

  #now(): Date {
    return new Date(this.#db.clock.now());
  }

  /** Notifies the user's clients of what is shown from now on. */
  async #announced(tx: Queryable, userId: string, shown: ApprovalPreview): Promise<ApprovalPreview> {
    const { approvalId, action, accountId: account, expiresAt, thread } = shown;
    const about = { approvalId, action, account, expiresAt, ...(thread !== undefined && { thread }) };
    await this.#emit(tx, userId, 'approval.requested', about);
    return shown;
  }

  /**
   * Locks the user, as a disconnect does, and repeats the checks whose result may have changed: an approval inserted
   * after its account, client or configuration is gone would never be ended.
   *
   * @returns the user's key, which isn't replaced while the user is locked
   * @throws AppError `not_found`, `forbidden`, `conflict`
   */
  async #lock(tx: Queryable, { userId, account, configured, revision, client }: Call): Promise<DataKey> {
    await lockExistingUser(tx, userId);
    if (client !== undefined && !(await isActiveClient(tx, userId, client.id))) throw notAClient();
    if (!isOwnAccount(userId, account.id)) {
      const connection = await selectConnection(tx, userId, account.id, client?.id);
      if (connection === undefined) throw disconnected();
      if (connection.isReadOnly && changesSomething(configured)) throw setReadOnly(account);
    }
    assertSameRevision({ action: configured.name, revision }, this.#catalog());
    return this.#userKeys.forUser(tx, userId);
  }
}

/** @throws AppError `conflict` when it has ended meanwhile */
async function shownPreview(row: ApprovalRow | undefined, key: DataKey): Promise<ApprovalPreview> {
  const shown = row?.status === 'pending' ? unseal(key, row) : undefined;
  if (row === undefined || shown === undefined) throw notAsAsked();
  return preview(row, shown);
}
