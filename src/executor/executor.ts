import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock/clock.ts';
import { loadOnce } from '../concurrency/load-once.ts';
import type { Database } from '../database/database.ts';
import { CONCURRENT_BATCHES, StatementBatcher } from '../database/statement-batcher.ts';
import { AppError } from '../errors.ts';
import type { RecordEvent } from '../events/events.ts';
import { type Catalog, fullName } from '../integrations/catalog.ts';
import type { Logger } from '../observability/logger.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import type { Principal } from '../principal.ts';
import type { ToolBinding } from '../sources/tool-binding.ts';
import type { UserKeys } from '../vault/keys/user-keys.ts';
import { ApprovalDecisions, type Decision } from './approval-decisions.ts';
import { type ApprovalOutcome, ApprovalOutcomes, awaitOutcome, type OutcomeWait } from './approvals/approval-outcomes.ts';
import { type ApprovalPreview, type AutomationNames, type LinkedPreview, withNames } from './approvals/approval-preview.ts';
import { ApprovalPrompts } from './approvals/approval-prompts.ts';
import { ApprovalRequests, type RequestDeps } from './approvals/approval-requests.ts';
import { Approvals } from './approvals/approvals.ts';
import type { ApprovalSubject } from './approvals/approvals-repository.ts';
import { type AskedPreview, errorForAsker } from './approvals/asked-preview.ts';
import type { EndedQuestion } from './approvals/ended-questions.ts';
import { draftInPlaceOf, SkippedCall } from './approvals/skipped-call.ts';
import { AuditEntryBuilder, auditedName } from './audit/audit-log.ts';
import { CallAuditor } from './audit/call-auditor.ts';
import { Storing } from './audit/storing.ts';
import type { RunDeps } from './call/action-run.ts';
import { type AccountsQuery, type AgentAccountRow, selectUserAccounts, type UserAccounts } from './call/agent-accounts-repository.ts';
import { ArgumentHashes } from './call/argument-hashes.ts';
import type { Call, CallResult, Invocation } from './call/call.ts';
import { askerEnded, type ClientGrant } from './call/client-grant.ts';
import { useClientGrant } from './call/client-grants-repository.ts';
import { isInPerson } from './call/context-name.ts';
import { mayHaveGrant, type ThreadGrant } from './call/thread-grants-repository.ts';
import { activeClient, type CheckDeps, type ClientCredential, checkCall } from './checks/call-checks.ts';
import type { ThreadGrants } from './checks/thread-grants.ts';
import { IdempotencyKeys } from './idempotency/idempotency.ts';
import { mayBeAllowed } from './policy/allowance.ts';
import type { Allowances } from './policy/allowances.ts';
import { Gate, isGated, mayAsk } from './policy/gate.ts';
import { mayBeAskedAbout } from './policy/open-questions.ts';
import { CallRunner } from './run/call-runner.ts';
import { AllowanceEnded, type RunAuthorization } from './run/record-start.ts';
import { ContextReads } from './taint/context-reads.ts';
import { Taints } from './taint/taint.ts';
import { WrittenItems } from './taint/written-items.ts';

export type { AskedPreview, CallResult, Decision, Invocation, LinkedPreview };

export interface ExecutorDeps extends RunDeps, RequestDeps {
  catalog(): Catalog;
  userKeys: UserKeys;
  emit: RecordEvent;
  logger: Logger;
  telemetry: Telemetry;
  /** Paid calls that a user may make within 24 hours. */
  livePerDay: number;
  allowances: Allowances;
  toolBinding: CheckDeps['toolBinding'];
  /** The address of an approval's page. */
  approvalUrl(approvalId: string): string;
  /** Left out: questions don't name the automations that ask. */
  automationNames?: AutomationNames;
}

/** The account, with the tools that may be called now: none where they can't be read. */
async function withTools(account: AgentAccountRow, binding: ToolBinding, catalog: Catalog, userId: string): Promise<AgentAccountRow> {
  const source = account.source === null ? undefined : catalog.sources.get(account.source);
  if (source === undefined) return account;
  const agents = [...catalog.agents.values()].filter((agent) => agent.source === source.name);
  const actions = agents.flatMap((agent) => agent.actions.map(({ action }) => action));
  return { ...account, tools: await binding.shown(actions, source, userId, account) };
}

/** Who may read how an approval ended: the client, the thread, or with neither the user in person that asked. */
type Asking = Pick<Principal, 'userId' | 'clientId'> & { thread?: string };

/** Runs actions for every surface, and enforces all policy. */
export class Executor {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #catalog: () => Catalog;
  readonly #checks: CheckDeps;
  readonly #accounts: StatementBatcher<AccountsQuery, UserAccounts>;
  readonly #threadGrants: () => Promise<ThreadGrants>;
  readonly #auditor: CallAuditor;
  readonly #keys: IdempotencyKeys;
  readonly #gate: Gate;
  readonly #requests: ApprovalRequests;
  readonly #prompts: ApprovalPrompts;
  readonly #runner: CallRunner;
  readonly #approvals: Approvals;
  readonly #decisions: ApprovalDecisions;
  readonly #outcomes: ApprovalOutcomes;
  readonly #automationNames: AutomationNames | undefined;

  constructor(deps: ExecutorDeps) {
    const { db, clock, userKeys, emit, logger, telemetry, catalog } = deps;
    this.#db = db;
    this.#clock = clock;
    this.#logger = logger;
    this.#catalog = catalog;
    this.#automationNames = deps.automationNames;
    this.#auditor = new CallAuditor(deps);
    this.#accounts = new StatementBatcher((queries) => selectUserAccounts(db, clock, queries), CONCURRENT_BATCHES);
    this.#threadGrants = loadOnce(async () => new (await import('./checks/thread-grants.ts')).ThreadGrants(db));
    const hashes = new ArgumentHashes(db, userKeys);
    const client = (userId: string, clientId: string, action?: string) => useClientGrant(db, userId, clientId, action);
    const threadGrant = (userId: string, threadId: string) => this.threadGrant(userId, threadId);
    this.#checks = { ...deps, accounts: (query: AccountsQuery) => this.#accounts.add(query), client, threadGrant, hashes };
    const contexts = { taints: new Taints(db), reads: new ContextReads(db, userKeys, logger), written: new WrittenItems(db) };
    this.#gate = new Gate(deps, contexts.taints, contexts.written, deps.allowances);
    this.#requests = new ApprovalRequests(deps, hashes);
    this.#prompts = new ApprovalPrompts({ ...deps, ...contexts, requests: this.#requests });
    this.#keys = new IdempotencyKeys(db, userKeys);
    this.#approvals = new Approvals(db, userKeys, emit, catalog);
    this.#outcomes = new ApprovalOutcomes(db, userKeys, contexts);
    this.#runner = new CallRunner({ ...deps, ...contexts, keys: this.#keys, approvals: this.#approvals, outcomes: this.#outcomes });
    // For a call that a client requested and the user decides on.
    const asker = async (userId: string, clientId: string) => (await client(userId, clientId)) ?? Promise.reject(askerEnded());
    this.#decisions = new ApprovalDecisions({
      checks: { ...this.#checks, client: asker },
      approvals: this.#approvals,
      requests: this.#requests,
      prompts: this.#prompts,
      gate: this.#gate,
      runner: this.#runner,
      telemetry,
    });
  }

  /**
   * Runs an action, or requests the user's approval.
   *
   * @throws AppError the first check that fails; `approval_required` with a {@link LinkedPreview} as details, or for a client an {@link AskedPreview}
   */
  invoke(invocation: Invocation): Promise<CallResult> {
    const made = this.#make(invocation, this.#checks);
    if (invocation.thread === undefined) return made;
    return made.catch((error: unknown) => {
      if (!(error instanceof SkippedCall)) throw error;
      return this.#doInPlaceOf(error, invocation);
    });
  }

  #make(invocation: Invocation, checks: CheckDeps): Promise<CallResult> {
    const { user, surface } = invocation;
    const catalog = this.#catalog();
    const action = fullName(catalog, invocation.action);
    // An unknown name comes from the caller, so it is sanitized for the audit log and kept out of telemetry.
    const isKnown = catalog.actions.has(action);
    const entry = new AuditEntryBuilder(
      this.#clock,
      randomUUID(),
      user.userId,
      surface,
      isKnown ? action : auditedName(action),
      user.clientId,
    );
    return this.#auditor.run(entry, isKnown ? action : 'unknown', async () => {
      const call = await checkCall(checks, invocation, entry).catch((error) => {
        throw errorForAsker(error, invocation);
      });
      const earlier = call.idempotencyKey === undefined ? undefined : await this.#keys.storedResult(call);
      if (earlier !== undefined) {
        entry.decision = 'allowed';
        return await this.#runner.redelivered(call, earlier);
      }
      return await this.#runOrAsk(call, surface, entry);
    });
  }

  /**
   * Puts on record what a surface refuses by itself: a call of a tool that there is not.
   *
   * @throws AppError the error, always
   */
  async refuse({ user, surface, action }: Pick<Invocation, 'user' | 'surface' | 'action'>, error: AppError): Promise<never> {
    const entry = new AuditEntryBuilder(this.#clock, randomUUID(), user.userId, surface, auditedName(action), user.clientId);
    await this.#auditor.run(entry, 'unknown', () => Promise.reject(error));
    throw error;
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
    const { user, surface } = decision;
    const entry = new AuditEntryBuilder(this.#clock, randomUUID(), user.userId, surface, 'approval');
    return this.#auditor.run(entry, 'approval', () => this.#decisions.apply(decision, entry));
  }

  /** Pending approvals that can still be decided, oldest first. */
  async approvals(userId: string): Promise<LinkedPreview[]> {
    const pending = (await this.#approvals.pending(userId)).map((preview) => this.#prompts.linked(preview));
    return withNames(userId, pending, this.#automationNames);
  }

  /** A user's questions of the last day that can't be decided any more, newest first. @param id only this one */
  async ended(userId: string, id?: string): Promise<EndedQuestion[]> {
    const { endedQuestions } = await import('./approvals/ended-questions.ts');
    return endedQuestions(this.#db, this.#catalog(), await this.accounts(userId), userId, id);
  }

  /** JSON Schema of the arguments of a pending call; undefined: there is no such action any more, or it may not be called now. */
  async inputSchema(userId: string, { action, accountId }: Pick<ApprovalPreview, 'action' | 'accountId'>): Promise<object | undefined> {
    const found = this.#catalog().actions.get(action)?.action;
    if (found?.pinned === undefined) return (await found?.schemas())?.input;
    const account = (await this.accounts(userId)).find(({ id }) => id === accountId);
    return account?.tools?.get(action)?.input;
  }

  /** Whether calls like a pending one can be allowed in advance, unless what was read before it is a reason to ask. */
  mayBeAllowed({ action, audience }: Pick<ApprovalPreview, 'action' | 'audience'>): boolean {
    const configured = this.#catalog().actions.get(action);
    return configured !== undefined && mayBeAllowed(configured, audience);
  }

  /**
   * How an approval ended, and for an hour the result of its call, for the caller that asked only.
   *
   * @param wait for its end; left out: not at all
   * @throws AppError `not_found`, also for an approval that another client, thread or user requested; `invalid_token`
   */
  outcome({ userId, clientId, thread }: Asking, approvalId: string, wait: OutcomeWait = { limitMs: 0 }): Promise<ApprovalOutcome> {
    const look = async () => {
      const client = clientId === undefined ? undefined : await this.client({ userId, clientId });
      return this.#outcomes.read({ userId, client, thread }, approvalId);
    };
    return awaitOutcome(this.#clock, look, wait);
  }

  /** A user's connected accounts, oldest connection first; those to sources with the tools that may be called now. */
  async accounts(userId: string): Promise<readonly AgentAccountRow[]> {
    const { accounts } = await this.#accounts.add({ userId, provider: undefined });
    if (accounts.every(({ source }) => source === null)) return accounts;
    const binding = await this.#checks.toolBinding();
    return Promise.all(accounts.map((account) => withTools(account, binding, this.#catalog(), userId)));
  }

  /** What a client may do with its credential. @throws AppError `invalid_token` when its grant is revoked or has expired */
  client(credential: ClientCredential): Promise<ClientGrant> {
    return activeClient(this.#checks, credential);
  }

  /**
   * What the assistant may do in a conversation; undefined: what the user may, who began it.
   *
   * @throws AppError `aborted` when it was deleted
   */
  async threadGrant(userId: string, threadId: string): Promise<ThreadGrant | undefined> {
    return mayHaveGrant(threadId) ? (await this.#threadGrants()).of(userId, threadId) : undefined;
  }

  /** Resolves once no call is running and every audit row is written. Call it at shutdown, after the last call was accepted. */
  settle(): Promise<void> {
    return this.#auditor.settle();
  }

  /** @throws the error, if nothing is done in its place; what the draft's call fails with */
  async #doInPlaceOf(skipped: SkippedCall, invocation: Invocation): Promise<CallResult> {
    const draft = draftInPlaceOf(skipped.call, this.#catalog());
    if (draft === undefined) throw skipped;
    const checks = { ...this.#checks, threadGrant: async () => draft.grant };
    const { data, meta } = await this.#make({ ...invocation, ...draft.call }, checks);
    return { data, meta: { ...meta, drafted: true } };
  }

  #runOrAsk(call: Call, surface: string, entry: AuditEntryBuilder): Promise<CallResult> {
    // Most reads: nothing is asked, and nothing has to be read to tell.
    return isGated(call.configured) || mayBeAskedAbout(call) ? this.#check(call, surface, entry) : this.#runner.run(call, entry);
  }

  async #check(call: Call, surface: string, entry: AuditEntryBuilder): Promise<CallResult> {
    // A pending approval wins over a policy that has changed since.
    if (mayAsk(call.configured)) await this.#prompts.assertNotAsked(call, entry);
    const subject = !isInPerson(call) && mayAsk(call.configured) ? await this.#requests.subjectOf(call) : undefined;
    // Before the gate, which reads facts that the approved run has changed: what it has deleted is not there any more.
    const received = subject && (await this.#unreceived(call, subject, entry));
    if (received !== undefined) {
      entry.decision = 'allowed';
      return received;
    }
    const { taint, ruling } = await this.#gate.check(call);
    if (ruling === undefined) return this.#runner.run({ ...call, taint }, entry, { subject });
    const { assessment, verdict, allowance } = ruling;
    const checked = { ...call, taint, version: assessment.version };
    if (verdict === 'run') return this.#runner.run(checked, entry, { subject });
    const ask = async () => {
      if (call.threadGrant !== undefined && call.threadGrant.whenAsked !== 'wait') throw new SkippedCall(call);
      return this.#prompts.ask(call, assessment, surface, entry);
    };
    return allowance === undefined ? ask() : this.#runAllowed(checked, entry, { allowance, subject }, ask);
  }

  /** What an equal call gave that the user has approved, if its client or thread doesn't know the outcome yet. */
  async #unreceived(call: Call, subject: ApprovalSubject, { callId }: AuditEntryBuilder): Promise<CallResult | undefined> {
    const storing = new Storing({ clock: this.#clock, logger: this.#logger }, callId, call.configured.name);
    try {
      const received = await this.#outcomes.undelivered(call, subject);
      if (received !== undefined) await this.#keys.adopt(call, received, storing);
      return received;
    } catch (error) {
      if (error instanceof AppError && error.code === 'outcome_unknown') await this.#keys.adopt(call, undefined, storing);
      throw error;
    }
  }

  /** @param ask requests approval, if the allowance has ended meanwhile */
  async #runAllowed(call: Call, entry: AuditEntryBuilder, basis: RunAuthorization, ask: () => Promise<never>): Promise<CallResult> {
    // A denial of this very call holds, and one that waits for the user's decision is not run beside it.
    await this.#prompts.assertNotAsked(call, entry);
    try {
      return await this.#runner.run(call, entry, basis);
    } catch (error) {
      if (error instanceof AllowanceEnded) return ask();
      throw error;
    }
  }
}
