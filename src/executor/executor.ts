import { randomUUID } from 'node:crypto';
import type { Undo } from '../actions/action.ts';
import { labelsOf } from '../actions/labels.ts';
import { truncateOutput } from '../actions/truncate-output.ts';
import type { Queryable } from '../database/database.ts';
import { CONCURRENT_BATCHES, StatementBatcher } from '../database/statement-batcher.ts';
import { AppError } from '../errors.ts';
import type { Emit } from '../events/emit.ts';
import type { Caller, Principal } from '../http/endpoint.ts';
import { type Catalog, type ConfiguredAction, fullName } from '../integrations/catalog.ts';
import type { Logger } from '../observability/logger.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import { isWider, UNKNOWN } from '../providers/audience.ts';
import { rateLimited, SlidingWindowLimiter } from '../rate-limit/sliding-window.ts';
import { lockUser } from '../vault/grants-repository.ts';
import type { UserKeys } from '../vault/user-keys.ts';
import { ActionRun, type RunDeps } from './action-run.ts';
import { type AgentAccountRow, selectUserAccounts, type UserAccounts } from './agent-accounts-repository.ts';
import { mayBeAllowed, type NewAllowance } from './allowance.ts';
import type { Allowances } from './allowances.ts';
import { type ApprovalOutcome, ApprovalOutcomes } from './approval-outcomes.ts';
import type { ApprovalPreview, Stored } from './approval-preview.ts';
import { Approvals, assertSameCall, assertSameRevision } from './approvals.ts';
import type { ApprovalRow } from './approvals-repository.ts';
import { ArgumentHashes } from './argument-hashes.ts';
import { AuditEntryBuilder, auditedName } from './audit-log.ts';
import { insertAuditRows } from './audit-repository.ts';
import { aborted, type Call, type CallResult, changesSomething, type Invocation, isPaid } from './call.ts';
import { CallAuditor, redactError } from './call-auditor.ts';
import { activeClient, type CheckDeps, checkCall } from './call-checks.ts';
import { selectCallStart } from './call-start-repository.ts';
import { type ClientGrant, notAClient } from './client-grant.ts';
import { useClientGrant } from './client-grants-repository.ts';
import { ContextReads } from './context-reads.ts';
import { type Assessment, Gate } from './gate.ts';
import { IdempotencyKeys, unknownOutcome } from './idempotency.ts';
import { assertAffordable } from './paid-calls.ts';
import { type Question, questionOf } from './question.ts';
import { setReadOnly } from './select-account.ts';
import { STORING_MS } from './store-with-retries.ts';
import { readingOf, Taints } from './taint.ts';
import { WrittenItems } from './written-items.ts';

export type { CallResult, Invocation };

/** An approval with the address of the page where the user decides. */
export interface LinkedPreview extends ApprovalPreview {
  url: string;
}

export interface ExecutorDeps extends RunDeps {
  catalog(): Catalog;
  userKeys: UserKeys;
  emit: Emit;
  logger: Logger;
  telemetry: Telemetry;
  /** Paid calls that a user may make within 24 hours. */
  livePerDay: number;
  allowances: Allowances;
  /** The address of an approval's page. */
  approvalUrl(approvalId: string): string;
}

export interface Decision {
  /** Verified by a first-party ID token: only the user may approve. */
  user: Pick<Caller, 'userId'>;
  surface: string;
  approvalId: string;
  approved: boolean;
  /** The arguments that the user put in place of those shown; only with an approval. */
  input?: object;
  /** Days for which calls like this one are allowed in advance; only with an approval. */
  rememberFor?: number;
  signal: AbortSignal;
  progress?(message: string): void;
}

/** On what basis a call runs that would ask the user: the user's approval, or an allowance. */
interface Basis {
  approval?: ApprovalRow;
  /** What the user allows in advance with the approval. */
  allowing?: NewAllowance | undefined;
  /** Id of the allowance. */
  allowance?: string;
}

/** The allowance of a call ended before the call started. */
class AllowanceEnded extends Error {}

/** Runs actions for every surface, and enforces all policy. */
export class Executor {
  readonly #deps: ExecutorDeps;
  readonly #checks: CheckDeps;
  readonly #accounts: StatementBatcher<string, UserAccounts>;
  readonly #auditor: CallAuditor;
  readonly #keys: IdempotencyKeys;
  readonly #approvals: Approvals;
  readonly #outcomes: ApprovalOutcomes;
  readonly #readRates = new SlidingWindowLimiter();
  readonly #taints: Taints;
  readonly #reads: ContextReads;
  readonly #written: WrittenItems;
  readonly #gate: Gate;

  constructor(deps: ExecutorDeps) {
    const { db, userKeys, emit, logger } = deps;
    this.#deps = deps;
    this.#accounts = new StatementBatcher((userIds) => selectUserAccounts(db, userIds), CONCURRENT_BATCHES);
    const hashes = new ArgumentHashes(db, userKeys);
    const client = (userId: string, clientId: string) => useClientGrant(db, userId, clientId);
    this.#checks = { ...deps, accounts: (userId) => this.#accounts.add(userId), client, hashes };
    this.#taints = new Taints(db);
    this.#reads = new ContextReads(db, userKeys, logger);
    this.#written = new WrittenItems(db);
    this.#gate = new Gate(deps, this.#taints, deps.allowances);
    this.#auditor = new CallAuditor(deps);
    this.#keys = new IdempotencyKeys(db, userKeys, logger);
    this.#approvals = new Approvals(db, userKeys, hashes, emit, deps.catalog);
    this.#outcomes = new ApprovalOutcomes(db, userKeys, { taints: this.#taints, reads: this.#reads }, logger);
  }

  /**
   * Runs an action, or requests the user's approval.
   *
   * @throws AppError the first check that fails; `approval_required` with a {@link LinkedPreview} as details
   */
  invoke(invocation: Invocation): Promise<CallResult> {
    const { user, surface } = invocation;
    const catalog = this.#deps.catalog();
    const action = fullName(catalog, invocation.action);
    // An unknown name comes from the caller, so it is sanitized for the audit log and kept out of telemetry.
    const isKnown = catalog.actions.has(action);
    const entry = new AuditEntryBuilder(randomUUID(), user.userId, surface, isKnown ? action : auditedName(action), user.clientId);
    return this.#auditor.run(entry, isKnown ? action : 'unknown', async () => {
      const call = await checkCall(this.#checks, invocation, entry);
      const earlier = call.idempotencyKey === undefined ? undefined : await this.#keys.storedResult(call);
      if (earlier !== undefined) {
        entry.decision = 'allowed';
        return earlier;
      }
      if (call.configured.action.facts !== undefined) await this.#assertNotAsked(call, entry);
      const ruling = await this.#gate.check(call);
      if (ruling === undefined) return await this.#execute(call, entry);
      const { assessment, verdict, allowance } = ruling;
      const checked = { ...call, version: assessment.version };
      if (verdict === 'run') return await this.#execute(checked, entry);
      const ask = () => this.#requestApproval(call, assessment, surface, entry);
      return await (allowance === undefined ? ask() : this.#executeAllowed(checked, entry, allowance, ask));
    });
  }

  /**
   * Applies the user's decision. Approved: repeats every check, runs the stored call once and returns its result.
   * Denied: returns `{approved: false}`. With other arguments, the call is replaced and checked like a new one; if more
   * people would see it, the user is shown the new question. With `rememberFor`, calls like it are allowed in advance.
   *
   * @throws AppError `not_found`, also for another user's approval; `conflict` when it was decided, has expired or no
   * longer matches what the user was shown; `approval_required` when the edited call has a wider audience;
   * `invalid_request` when it can't be allowed in advance; the first check that fails
   */
  approve(decision: Decision): Promise<CallResult> {
    const { user, surface, approvalId } = decision;
    const entry = new AuditEntryBuilder(randomUUID(), user.userId, surface, 'approval');
    return this.#auditor.run(entry, 'approval', async () => {
      const startedAt = performance.now();
      const row = await this.#approvals.find(user.userId, approvalId);
      const { id, action, accountId, argumentsHash } = row;
      entry.forApproval(id, action);
      entry.askedOn(row.surface ?? surface, row.clientId);
      entry.setSubject(accountId, argumentsHash);
      const stored = await this.#approvals.open(row);
      if (!decision.approved) {
        assertPlain(decision);
        await this.#approvals.deny(row);
        entry.decision = 'denied';
        this.#deps.telemetry.count('approval', 'denied');
        const ms = Math.round(performance.now() - startedAt);
        return { data: { approved: false }, meta: { account: stored.account, accountId: row.accountId, ms } };
      }
      // Checked first: otherwise a changed configuration would be reported as an unknown action.
      assertSameRevision(row, this.#deps.catalog());
      const call = await checkCall(this.#checks, invocationOf(decision, row, decision.input ?? stored.given), entry);
      const { rememberFor: days } = decision;
      if (decision.input !== undefined) return this.#executeEdited(call, entry, row, stored, days);
      assertSameCall(row, stored, call);
      const assessment = await this.#gate.recheck(call);
      await this.#approvals.assertAsShown(row, stored, assessment);
      const allowing = days === undefined ? undefined : this.#gate.allowance(call, assessment, stored.audience ?? UNKNOWN, days);
      return this.#execute({ ...call, version: assessment.version }, entry, { approval: row, allowing });
    });
  }

  /** Pending approvals that can still be decided, oldest first. */
  async approvals(userId: string): Promise<LinkedPreview[]> {
    return (await this.#approvals.pending(userId)).map((preview) => this.#linked(preview));
  }

  /** Whether calls like a pending one can be allowed in advance, unless what was read before it is a reason to ask. */
  mayBeAllowed({ action, audience }: Pick<ApprovalPreview, 'action' | 'audience'>): boolean {
    const configured = this.#deps.catalog().actions.get(action);
    return configured !== undefined && mayBeAllowed(configured, audience);
  }

  /**
   * How an approval ended, and for an hour the result of its call, for the caller that asked only.
   *
   * @throws AppError `not_found`, also for an approval that another client or user requested; `invalid_token`
   */
  async outcome({ userId, clientId }: Pick<Principal, 'userId' | 'clientId'>, approvalId: string): Promise<ApprovalOutcome> {
    const client = clientId === undefined ? undefined : await this.client(userId, clientId);
    return this.#outcomes.read({ userId, client }, approvalId);
  }

  /** A user's connected accounts, oldest connection first. */
  async accounts(userId: string): Promise<readonly AgentAccountRow[]> {
    return (await this.#accounts.add(userId)).accounts;
  }

  /** A client's grant. @throws AppError `invalid_token` when it is revoked or has expired */
  client(userId: string, clientId: string): Promise<ClientGrant> {
    return activeClient(this.#checks, userId, clientId);
  }

  /** Resolves once no call is running and every audit row is written. Call it at shutdown, after the last call was accepted. */
  settle(): Promise<void> {
    return this.#auditor.settle();
  }

  #linked(preview: ApprovalPreview): LinkedPreview {
    return { ...preview, url: this.#deps.approvalUrl(preview.approvalId) };
  }

  #approvalRequired(preview: ApprovalPreview, entry: AuditEntryBuilder): AppError {
    entry.forApproval(preview.approvalId);
    return new AppError('approval_required', 'The user has to approve this first.', { details: { ...this.#linked(preview) } });
  }

  async #requestApproval(call: Call, assessment: Assessment, surface: string, entry: AuditEntryBuilder): Promise<never> {
    const preview = await this.#approvals.request(call, surface, () => this.#question(call, assessment));
    this.#deps.telemetry.count('approval', 'requested');
    throw this.#approvalRequired(preview, entry);
  }

  #question(call: Call, assessment: Assessment): Promise<Question> {
    return questionOf({ ...this.#deps, reads: this.#reads }, call, assessment);
  }

  async #executeEdited(
    call: Call,
    entry: AuditEntryBuilder,
    row: ApprovalRow,
    stored: Stored,
    days: number | undefined,
  ): Promise<CallResult> {
    const assessment = await this.#gate.recheck(call);
    const question = await this.#question(call, assessment);
    const allowing = days === undefined ? undefined : this.#gate.allowance(call, assessment, question.audience, days);
    const replaced = { ...entry.row('ok', 'edited'), argumentsHash: row.argumentsHash };
    const preview = await this.#approvals.replace(row, call, question, replaced);
    const { version } = assessment;
    const isNew = isWider(assessment.audience, stored.audience ?? UNKNOWN) || version !== stored.version;
    if (isNew) throw this.#approvalRequired(preview, entry);
    return this.#execute({ ...call, version }, entry, { approval: row, allowing });
  }

  /** @param ask requests approval, if the allowance has ended meanwhile */
  async #executeAllowed(call: Call, entry: AuditEntryBuilder, allowance: string, ask: () => Promise<never>): Promise<CallResult> {
    // A denial of this very call holds, and one that waits for the user's decision is not run beside it.
    await this.#assertNotAsked(call, entry);
    try {
      return await this.#execute(call, entry, { allowance });
    } catch (error) {
      if (error instanceof AllowanceEnded) return ask();
      throw error;
    }
  }

  /** @throws AppError `approval_required` when an equal call waits for the user, `forbidden` when the user has denied it */
  async #assertNotAsked(call: Call, entry: AuditEntryBuilder): Promise<void> {
    const asked = await this.#approvals.shown(call);
    if (asked !== undefined) throw this.#approvalRequired(asked, entry);
  }

  #execute(call: Call, entry: AuditEntryBuilder, basis: Basis = {}): Promise<CallResult> {
    if (call.signal.aborted) throw aborted();
    const changes = changesSomething(call.configured);
    if (!changes) this.#readRates.take(call.userId, call.configured.name, call.configured.policy.rate);
    if (changes || isPaid(call) || basis.approval !== undefined) return this.#executeRecorded(call, entry, basis);
    entry.decision = 'allowed';
    // Only here: a call that is recorded first may have waited for the transaction of a disconnect.
    return this.#run(new ActionRun(this.#deps, call, call.grant), call);
  }

  async #executeRecorded(call: Call, entry: AuditEntryBuilder, basis: Basis): Promise<CallResult> {
    await this.#deps.db.transaction((tx) => this.#recordStart(tx, call, entry, basis), call.userId);
    entry.decision = basis.allowance === undefined ? 'allowed' : 'allowance_used';
    entry.isStarted = changesSomething(call.configured) || isPaid(call);
    const { approval } = basis;
    if (approval === undefined) return this.#runRecorded(call);
    this.#deps.telemetry.count('approval', 'approved');
    return this.#outcomes.record(approval, call, () => this.#runApproved(call));
  }

  /** The caller that asked waits for the result, so the run continues if the user who approved leaves. */
  async #runApproved(call: Call): Promise<CallResult> {
    // The user receives the result, too.
    const ofUser = call.client === undefined ? undefined : { ...readingOf(call), client: undefined };
    if (ofUser !== undefined) await this.#taints.begin(ofUser);
    const result = await this.#runRecorded({ ...call, signal: new AbortController().signal });
    if (ofUser !== undefined && result.meta.labels !== undefined) this.#reads.record(ofUser, result.data, result.meta.labels);
    return result;
  }

  #runRecorded(call: Call): Promise<CallResult> {
    return changesSomething(call.configured) ? this.#runChange(call) : this.#run(new ActionRun(this.#deps, call), call);
  }

  /** Records what must be on record before a change or a paid call is sent. The user's lock makes the rate limit exact. */
  async #recordStart(tx: Queryable, call: Call, entry: AuditEntryBuilder, basis: Basis): Promise<void> {
    const { userId, configured } = call;
    if (!(await lockUser(tx, userId))) throw new AppError('invalid_token', 'This user no longer exists.');
    const start = await selectCallStart(tx, call, basis.allowance);
    if (!start.isClientActive) throw notAClient();
    if (start.isReadOnly && changesSomething(configured)) throw setReadOnly(call.account);
    if (!start.isAllowed) throw new AllowanceEnded();
    if (basis.approval !== undefined) await this.#recordApproval(tx, call, entry, basis.approval, basis.allowing);
    if (isPaid(call)) await assertAffordable(tx, call, this.#deps.catalog(), this.#deps.livePerDay);
    else if (!changesSomething(configured)) return;
    if (changesSomething(configured)) {
      await this.#keys.claim(tx, call);
      const { rate } = configured.policy;
      if (start.calls >= rate.calls) throw rateLimited(start.seconds);
    }
    await insertAuditRows(tx, [entry.row('ok', 'started')]);
  }

  async #recordApproval(
    tx: Queryable,
    call: Call,
    entry: AuditEntryBuilder,
    approval: ApprovalRow,
    allowing: NewAllowance | undefined,
  ): Promise<void> {
    await this.#approvals.decide(tx, approval, call.configured.policy.timeoutMs + STORING_MS);
    await insertAuditRows(tx, [entry.row('ok', 'approved')]);
    if (allowing === undefined) return;
    await this.#deps.allowances.store(tx, call, allowing);
    await insertAuditRows(tx, [entry.row('ok', 'allowance_created')]);
  }

  async #runChange(call: Call): Promise<CallResult> {
    const run = new ActionRun(this.#deps, call);
    let result: CallResult;
    try {
      // Before it is sent, too: its result may be lost.
      await this.#written.remember(call, undefined);
      result = await this.#run(run, call);
      await this.#written.remember(call, result.data);
    } catch (error) {
      if (!run.mayHaveChanged) {
        await this.#keys.release(call);
        throw error;
      }
      await this.#keys.markUnknown(call);
      this.#deps.logger.warn({ err: redactError(error), action: call.configured.name }, 'a change was sent and its outcome is not known');
      throw unknownOutcome();
    }
    await this.#keys.storeResult(call, result);
    return result;
  }

  async #run(run: ActionRun, call: Call): Promise<CallResult> {
    const { configured, account, startedAt } = call;
    // Before anything is sent. Without a statement to wait for, nothing waits.
    const reading = readingOf(call);
    const tainting = this.#taints.begin(reading);
    if (tainting !== undefined) await tainting;
    const output = configured.action.output.parse(await run.output()) ?? null;
    const { provider, integrity, sources } = configured.action;
    const marked = sources === undefined ? undefined : await this.#written.mark(call, sources(output, call.input));
    const labels = labelsOf(provider, integrity, marked);
    const { value, truncated } = truncateOutput(output, configured.capBytes);
    this.#reads.record(reading, value, labels);
    const undo = undoOf(run, call, this.#deps.catalog());
    const ms = Math.round(performance.now() - startedAt);
    const meta = { account: account.label, accountId: account.id, ms, labels, ...(truncated && { truncated }) };
    return { data: value, meta: { ...meta, ...(undo !== undefined && { undo }) } };
  }
}

/** @throws AppError `invalid_request` for what only an approval can have */
function assertPlain({ input, rememberFor }: Decision): void {
  if (input !== undefined) throw new AppError('invalid_request', 'input: is only for a call that is approved.');
  if (rememberFor !== undefined) throw new AppError('invalid_request', 'Only a call that is approved can be allowed in advance.');
}

/** The call that reverts a run, by the name that the file in force gives to its action; undefined: it has no such action. */
function undoOf({ undo }: ActionRun, { configured }: Call, { actions }: Catalog): Undo | undefined {
  if (undo === undefined) return undefined;
  const isUndo = ({ action, policy }: ConfiguredAction) => action.name === undo.action && policy.enabled;
  const able = [...actions.values()].filter(isUndo);
  const found = able.find(({ agent }) => agent === configured.agent) ?? able[0];
  return found && { ...undo, action: found.name };
}

/** The stored call as a new invocation. */
function invocationOf({ user, surface, signal, progress }: Decision, row: ApprovalRow, input: unknown): Invocation {
  return {
    user: { userId: user.userId, ...(row.clientId !== null && { clientId: row.clientId }) },
    surface,
    action: row.action,
    account: row.accountId,
    input,
    signal,
    ...(row.idempotencyKey !== null && { idempotencyKey: row.idempotencyKey }),
    ...(progress !== undefined && { progress }),
  };
}
