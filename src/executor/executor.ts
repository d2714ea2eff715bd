import { randomUUID } from 'node:crypto';
import { truncateOutput } from '../actions/truncate-output.ts';
import type { Queryable } from '../database/database.ts';
import { CONCURRENT_BATCHES, StatementBatcher } from '../database/statement-batcher.ts';
import { AppError } from '../errors.ts';
import type { Emit } from '../events/emit.ts';
import type { Caller } from '../http/endpoint.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { withContext } from '../observability/log-context.ts';
import { describeError, type LoggedError, type Logger } from '../observability/logger.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import { rateLimited, SlidingWindowLimiter } from '../rate-limit/sliding-window.ts';
import { lockUser } from '../vault/grants-repository.ts';
import type { UserKeys } from '../vault/user-keys.ts';
import { ActionRun, type RunDeps } from './action-run.ts';
import { type AgentAccountRow, selectAgentAccounts } from './agent-accounts-repository.ts';
import type { ApprovalPreview } from './approval-preview.ts';
import { Approvals, assertSameCall, assertSameRevision } from './approvals.ts';
import type { ApprovalRow } from './approvals-repository.ts';
import { ArgumentHashes } from './argument-hashes.ts';
import { AuditEntryBuilder, AuditLog, auditedName } from './audit-log.ts';
import { type AuditRow, countStarted, insertAuditRows } from './audit-repository.ts';
import { aborted, type Call, changesSomething, type Invocation, isPaid, needsApproval, type Outcome } from './call.ts';
import { type CheckDeps, checkCall } from './call-checks.ts';
import { IdempotencyKeys, unknownOutcome } from './idempotency.ts';
import { assertAffordable } from './paid-calls.ts';
import { ProviderRejectionLog } from './provider-rejection-log.ts';
import { RejectionCounter } from './rejection-counter.ts';

export type { Invocation, Outcome };

/** What the executor works with; wired once, in the context. */
export interface ExecutorDeps extends RunDeps {
  catalog(): Catalog;
  userKeys: UserKeys;
  emit: Emit;
  logger: Logger;
  telemetry: Telemetry;
  /** How many calls a day a user may make that are paid for each time. */
  livePerDay: number;
}

export interface Decision {
  /** Proved by a first-party ID token: nobody else may approve. */
  user: Pick<Caller, 'userId'>;
  surface: string;
  approvalId: string;
  approved: boolean;
  signal: AbortSignal;
  progress?(message: string): void;
}

/** The one way to run an action, whoever asks: socket today, a model or MCP later. All policy is decided here. */
export class Executor {
  readonly #deps: ExecutorDeps;
  readonly #checks: CheckDeps;
  readonly #accounts: StatementBatcher<string, AgentAccountRow[]>;
  readonly #audit: AuditLog;
  readonly #rejections: RejectionCounter;
  readonly #keys: IdempotencyKeys;
  readonly #approvals: Approvals;
  readonly #readRates = new SlidingWindowLimiter();
  readonly #providerRejections: ProviderRejectionLog;
  #running = 0;
  /** Those who wait until nothing runs. */
  #settling: (() => void)[] = [];

  constructor(deps: ExecutorDeps) {
    const { db, tokens, userKeys, emit, logger } = deps;
    this.#deps = deps;
    this.#accounts = new StatementBatcher(async (userIds) => {
      const { accounts, grants } = await selectAgentAccounts(db, userIds);
      tokens.justRead(grants);
      return accounts;
    }, CONCURRENT_BATCHES);
    const hashes = new ArgumentHashes(db, userKeys);
    this.#checks = { ...deps, accounts: (userId) => this.accounts(userId), hashes };
    this.#audit = new AuditLog(db);
    this.#rejections = new RejectionCounter((row) => this.#audit.write(row), logger);
    this.#keys = new IdempotencyKeys(db, userKeys, logger);
    this.#approvals = new Approvals(db, userKeys, hashes, emit, () => deps.catalog().revision);
    this.#providerRejections = new ProviderRejectionLog(logger);
  }

  /**
   * Runs an action, or asks the user first.
   *
   * @throws AppError whatever stood in the way; `approval_required` with an {@link ApprovalPreview} as details
   */
  invoke(invocation: Invocation): Promise<Outcome> {
    const { user, surface, action } = invocation;
    // A name that nobody has declared is the caller's invention.
    const isKnown = this.#deps.catalog().actions.has(action);
    const entry = new AuditEntryBuilder(randomUUID(), user.userId, surface, isKnown ? action : auditedName(action));
    return this.#audited(entry, isKnown ? action : 'unknown', async () => {
      const call = await checkCall(this.#checks, invocation, entry);
      const earlier = call.idempotencyKey === undefined ? undefined : await this.#keys.earlier(call);
      if (earlier !== undefined) {
        entry.decision = 'allowed';
        return earlier;
      }
      return await (needsApproval(call) ? this.#ask(call, surface, entry) : this.#carryOut(call, entry));
    });
  }

  /**
   * Takes the user's decision. Approved: runs what was stored, once, and answers its result; every check is made
   * again. Denied: answers `{approved: false}`.
   *
   * @throws AppError `not_found`, also for another user's; `conflict` when it was decided, has expired or is no longer
   * what was asked about; whatever stands in the way of the run
   */
  approve(decision: Decision): Promise<Outcome> {
    const { user, surface, approvalId } = decision;
    const entry = new AuditEntryBuilder(randomUUID(), user.userId, surface, 'approval');
    return this.#audited(entry, 'approval', async () => {
      const startedAt = performance.now();
      const row = await this.#approvals.find(user.userId, approvalId);
      const { id, action, accountId, argumentsHash } = row;
      entry.approves(id, action);
      entry.decides(row.surface ?? surface);
      entry.about(accountId, argumentsHash);
      const stored = await this.#approvals.open(row);
      if (!decision.approved) {
        await this.#approvals.deny(row);
        entry.decision = 'denied';
        this.#deps.telemetry.count('approval', 'denied');
        const ms = Math.round(performance.now() - startedAt);
        return { data: { approved: false }, meta: { account: stored.account, accountId: row.accountId, ms } };
      }
      // First: what the new configuration lacks is no news to whoever said yes to the old one's.
      assertSameRevision(row, this.#deps.catalog().revision);
      const call = await checkCall(this.#checks, invocationOf(decision, row, stored.given), entry);
      assertSameCall(row, stored, call);
      return this.#carryOut(call, entry, row);
    });
  }

  /** What waits for the user's decision and can still be carried out, oldest first. */
  approvals(userId: string): Promise<ApprovalPreview[]> {
    return this.#approvals.pending(userId, this.#deps.catalog().revision);
  }

  /** A user's connected accounts, connected longest first. */
  accounts(userId: string): Promise<AgentAccountRow[]> {
    return this.#accounts.add(userId);
  }

  /** Resolves when nothing runs any more and all is written down: for the end of the process, once nobody calls. */
  async settle(): Promise<void> {
    while (this.#running > 0) await new Promise<void>((resolve) => this.#settling.push(resolve));
    await this.#rejections.flush();
  }

  /** Runs the work and writes down how it ended before its answer goes out. */
  #audited(entry: AuditEntryBuilder, name: string, work: () => Promise<Outcome>): Promise<Outcome> {
    const { telemetry } = this.#deps;
    this.#running += 1;
    return withContext({ call: entry.callId }, () => telemetry.step({ kind: 'call', name }, () => this.#toEnd(entry, work)));
  }

  async #toEnd(entry: AuditEntryBuilder, work: () => Promise<Outcome>): Promise<Outcome> {
    try {
      const outcome = await work().catch((thrown: unknown) => this.#failed(thrown, entry));
      // A change is a fact, and its beginning is on record: an answer that hid it would invite a second one.
      await (entry.began ? this.#note(entry.row('ok')) : this.#audit.write(entry.row('ok')));
      return outcome;
    } finally {
      this.#running -= 1;
      if (this.#running === 0) for (const settled of this.#settling.splice(0)) settled();
    }
  }

  async #failed(thrown: unknown, entry: AuditEntryBuilder): Promise<never> {
    const error = this.#toAppError(thrown, entry);
    const row = entry.row(error.code, error.code === 'approval_required' ? 'approval_required' : entry.decision);
    this.#providerRejections.note(error, row.action);
    await this.#note(row);
    throw error;
  }

  async #ask(call: Call, surface: string, entry: AuditEntryBuilder): Promise<never> {
    const preview = await this.#approvals.request(call, surface, () => new ActionRun(this.#deps, call).summary());
    entry.approves(preview.approvalId);
    this.#deps.telemetry.count('approval', 'requested');
    throw new AppError('approval_required', 'The user has to approve this first.', { details: { ...preview } });
  }

  #carryOut(call: Call, entry: AuditEntryBuilder, approval?: ApprovalRow): Promise<Outcome> {
    if (call.signal.aborted) throw aborted();
    const changes = changesSomething(call.configured);
    if (!changes) this.#readRates.take(call.userId, call.configured.name, call.configured.policy.rate);
    if (changes || isPaid(call) || approval !== undefined) return this.#onRecord(call, entry, approval);
    entry.decision = 'allowed';
    return this.#run(new ActionRun(this.#deps, call), call);
  }

  async #onRecord(call: Call, entry: AuditEntryBuilder, approval: ApprovalRow | undefined): Promise<Outcome> {
    await this.#deps.db.transaction((tx) => this.#begin(tx, call, entry, approval), call.userId);
    if (approval !== undefined) this.#deps.telemetry.count('approval', 'approved');
    entry.decision = 'allowed';
    entry.began = changesSomething(call.configured) || isPaid(call);
    return await (changesSomething(call.configured) ? this.#change(call) : this.#run(new ActionRun(this.#deps, call), call));
  }

  /** What must be on record before a change is sent, or money spent. Decided one at a time for each user, so that a rate is kept exactly. */
  async #begin(tx: Queryable, call: Call, entry: AuditEntryBuilder, approval: ApprovalRow | undefined): Promise<void> {
    const { userId, configured } = call;
    if (!(await lockUser(tx, userId))) throw new AppError('invalid_token', 'This user no longer exists.');
    if (approval !== undefined) {
      await this.#approvals.decide(tx, approval, true);
      await insertAuditRows(tx, [entry.row('ok', 'approved')]);
    }
    if (isPaid(call)) await assertAffordable(tx, call, this.#deps.catalog(), this.#deps.livePerDay);
    else if (!changesSomething(configured)) return;
    if (changesSomething(configured)) {
      await this.#keys.claim(tx, call);
      const { rate } = configured.policy;
      const started = await countStarted(tx, userId, [configured.name], rate.perMs);
      if (started.calls >= rate.calls) throw rateLimited(started.seconds);
    }
    await insertAuditRows(tx, [entry.row('ok', 'started')]);
  }

  async #change(call: Call): Promise<Outcome> {
    const run = new ActionRun(this.#deps, call);
    let outcome: Outcome;
    try {
      outcome = await this.#run(run, call);
    } catch (error) {
      if (!run.mayHaveChanged) {
        await this.#keys.free(call);
        throw error;
      }
      await this.#keys.unknown(call);
      this.#deps.logger.warn({ err: safely(error), action: call.configured.name }, 'a change was sent and its outcome is not known');
      throw unknownOutcome();
    }
    await this.#keys.done(call, outcome);
    return outcome;
  }

  #run(run: ActionRun, { configured, account, startedAt }: Call): Promise<Outcome> {
    return run.output().then((output) => {
      const { value, truncated } = truncateOutput(configured.action.output.parse(output) ?? null, configured.capBytes);
      const ms = Math.round(performance.now() - startedAt);
      return { data: value, meta: { account: account.label, accountId: account.id, ms, ...(truncated && { truncated }) } };
    });
  }

  /** Writes a row whose loss must not change the answer. */
  async #note(row: AuditRow): Promise<void> {
    const written = row.decision === 'refused' ? this.#rejections.note(row) : this.#audit.write(row);
    await written.catch((error: unknown) => {
      this.#deps.logger.warn({ err: describeError(error), call: row.callId }, 'an audit row could not be written');
    });
  }

  #toAppError(thrown: unknown, entry: AuditEntryBuilder): AppError {
    const known = thrown instanceof AppError ? thrown : new AppError('internal', 'Something went wrong on our side.');
    if (known.code === 'internal') this.#deps.logger.error({ err: safely(thrown), call: entry.callId }, 'a call failed');
    return known;
  }
}

/** The stored arguments, as if they came again. */
function invocationOf({ user, surface, signal, progress }: Decision, row: ApprovalRow, input: unknown): Invocation {
  return {
    user,
    surface,
    action: row.action,
    account: row.accountId,
    input,
    signal,
    ...(row.idempotencyKey !== null && { idempotencyKey: row.idempotencyKey }),
    ...(progress !== undefined && { progress }),
  };
}

/** Errors that are not ours may quote what an account holds (a parser's does): their name and place must do. */
function safely(thrown: unknown): LoggedError {
  if (thrown instanceof AppError) return describeError(thrown);
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: '' };
  const frames = thrown.stack?.split('\n').filter((line) => /^ {4}at /.test(line)) ?? [];
  return { type: thrown.name, message: '', stack: frames.join('\n') };
}
