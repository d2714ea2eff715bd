import { AppError } from '../errors.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import type { Caller } from '../principal.ts';
import { UNKNOWN } from '../providers/shared/audience.ts';
import { addressKey } from '../validation/email-address.ts';
import { assertSameCall, assertSameRevision, changeSince } from './approvals/approval-checks.ts';
import { type LinkedPreview, preview, type Stored } from './approvals/approval-preview.ts';
import type { ApprovalPrompts } from './approvals/approval-prompts.ts';
import type { ApprovalRequests } from './approvals/approval-requests.ts';
import type { Approvals } from './approvals/approvals.ts';
import type { ApprovalRow } from './approvals/approvals-repository.ts';
import type { AuditEntryBuilder } from './audit/audit-log.ts';
import type { Call, CallResult, Invocation } from './call/call.ts';
import { type CheckDeps, checkCall } from './checks/call-checks.ts';
import type { NewAllowance } from './policy/allowance.ts';
import type { Assessment, Gate } from './policy/gate.ts';
import { hashesOfSubjects } from './policy/open-questions.ts';
import { namedAmong, type ShownViewer } from './policy/shown-viewer.ts';
import type { CallRunner } from './run/call-runner.ts';

export interface Decision {
  /** Verified by a first-party credential, an ID token or a session of the pages: only the user may approve. */
  user: Pick<Caller, 'userId'>;
  surface: string;
  approvalId: string;
  approved: boolean;
  /** The arguments that the user put in place of those shown; only with an approval. */
  input?: object;
  /** Days for which calls like this one are allowed in advance; only with an approval. */
  rememberFor?: number;
  /** Throws unless the question, as it is decided, is the one that the user was shown. Left out: as it is now. */
  assertShown?(question: LinkedPreview): void;
  signal: AbortSignal;
  progress?(message: string): void;
}

export interface DecisionDeps {
  checks: CheckDeps;
  approvals: Approvals;
  requests: ApprovalRequests;
  prompts: ApprovalPrompts;
  gate: Gate;
  runner: CallRunner;
  telemetry: Telemetry;
}

/** An approved call that was checked again. */
interface Approved {
  row: ApprovalRow;
  /** What the user was shown. */
  stored: Stored;
  call: Call;
  rememberFor: number | undefined;
}

/** Applies the user's decisions on approvals. */
export class ApprovalDecisions {
  readonly #deps: DecisionDeps;

  constructor(deps: DecisionDeps) {
    this.#deps = deps;
  }

  /** Denies, or checks the stored call again and runs it. @throws AppError as the executor’s `approve` does */
  async apply(decision: Decision, entry: AuditEntryBuilder): Promise<CallResult> {
    const { user, approvalId, approved, input, rememberFor } = decision;
    const { approvals, checks, prompts } = this.#deps;
    const startedAt = checks.clock.monotonic();
    const row = await approvals.find(user.userId, approvalId);
    entry.forApproval(row.id, row.action);
    entry.askedOn(row.surface, row.clientId);
    entry.setSubject(row.accountId, row.argumentsHash);
    const stored = await approvals.open(row);
    decision.assertShown?.(prompts.linked(await preview(row, stored)));
    if (!approved) {
      assertPlain(decision);
      await this.#deny(row, entry);
      const ms = Math.round(checks.clock.monotonic() - startedAt);
      return { data: { approved: false }, meta: { account: stored.account, accountId: row.accountId, ms } };
    }
    // Checked first: otherwise a changed configuration would be reported as an unknown action.
    assertSameRevision(row, checks.catalog());
    const call = await checkCall(checks, invocationOf(decision, row, stored, input ?? stored.rawInput), entry);
    const found = { row, stored, call, rememberFor };
    return input === undefined ? this.#runAsShown(found, entry) : this.#runEdited(found, entry);
  }

  async #deny(row: ApprovalRow, entry: AuditEntryBuilder): Promise<void> {
    await this.#deps.approvals.deny(row);
    entry.decision = 'denied';
    this.#deps.telemetry.count('approval', 'denied');
  }

  async #runAsShown({ row, stored, call, rememberFor }: Approved, entry: AuditEntryBuilder): Promise<CallResult> {
    const { approvals, gate, runner } = this.#deps;
    assertSameCall(row, stored, call);
    const assessment = await gate.recheck(call);
    // The user has allowed another definition of the tool since: the same call may do something else now.
    if (call.configured.action.pinned !== undefined && changeSince(stored, assessment) === 'subject') {
      throw await this.#askedAgain(row, call, assessment, entry);
    }
    await approvals.assertAsShown(row, stored, assessment);
    const allowing = this.#allowing(call, assessment, stored.audience ?? UNKNOWN, rememberFor);
    const edited = row.askedArgumentsHash !== null && { edited: true as const };
    return runner.run({ ...call, ...edited, taint: assessment.taint, version: assessment.version }, entry, { approval: row, allowing });
  }

  async #askedAgain(row: ApprovalRow, call: Call, assessment: Assessment, entry: AuditEntryBuilder): Promise<AppError> {
    const { requests, prompts } = this.#deps;
    const prompt = await prompts.ofRedefined(call, assessment);
    return prompts.required(await requests.renew(row, call, prompt, hashesOfSubjects(call, assessment.facts)), entry);
  }

  async #runEdited({ row, stored, call, rememberFor }: Approved, entry: AuditEntryBuilder): Promise<CallResult> {
    const { requests, prompts, gate, runner } = this.#deps;
    const assessment = await gate.recheck(call);
    const prompt = await prompts.of(call, assessment);
    const allowing = this.#allowing(call, assessment, prompt.audience, rememberFor);
    const replaced = { ...entry.row('ok', 'edited'), argumentsHash: row.argumentsHash };
    const asked = await requests.replace(row, call, prompt, hashesOfSubjects(call, assessment.facts), replaced);
    if (changeSince(stored, assessment) !== undefined) throw prompts.required(asked, entry);
    const { argumentsHash } = call;
    const approval = { ...row, argumentsHash, askedArgumentsHash: row.askedArgumentsHash ?? row.argumentsHash };
    return runner.run({ ...call, edited: true, taint: assessment.taint, version: assessment.version }, entry, { approval, allowing });
  }

  /** @param shown the audience that the user was shown */
  #allowing(call: Call, assessment: Assessment, shown: readonly ShownViewer[], days: number | undefined): NewAllowance | undefined {
    return days === undefined ? undefined : this.#deps.gate.allowance(call, assessment, shown, days);
  }
}

/** @throws AppError `invalid_request` for what only an approval can have */
function assertPlain({ input, rememberFor }: Decision): void {
  if (input !== undefined) throw new AppError('invalid_request', 'input: is only for a call that is approved.');
  if (rememberFor !== undefined) throw new AppError('invalid_request', 'Only a call that is approved can be allowed in advance.');
}

/** The stored call as a new invocation. */
function invocationOf({ user, signal, progress }: Decision, row: ApprovalRow, stored: Stored, input: unknown): Invocation {
  return {
    user: { userId: user.userId, ...(row.clientId !== null && { clientId: row.clientId }) },
    // Of the caller that asked, which receives the result, too.
    surface: row.surface,
    action: row.action,
    account: row.accountId,
    input,
    signal,
    ...(row.threadId !== null && { thread: row.threadId, named: new Set(namedAmong(stored.audience ?? []).map(addressKey)) }),
    ...(row.idempotencyKey !== null && { idempotencyKey: row.idempotencyKey }),
    ...(progress !== undefined && { progress }),
  };
}
