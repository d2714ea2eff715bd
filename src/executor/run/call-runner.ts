import type { AppError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Telemetry } from '../../observability/telemetry.ts';
import { SlidingWindowLimiter } from '../../rate-limit/sliding-window.ts';
import type { ApprovalOutcomes } from '../approvals/approval-outcomes.ts';
import type { AuditEntryBuilder } from '../audit/audit-log.ts';
import { redactError } from '../audit/call-auditor.ts';
import { Storing } from '../audit/storing.ts';
import { ActionRun, type RunDeps } from '../call/action-run.ts';
import { aborted, type Call, type CallResult, changesSomething, isPaid } from '../call/call.ts';
import { receiversOf } from '../call/context-name.ts';
import { unknownOutcome } from '../idempotency/idempotency.ts';
import { readingOf } from '../taint/taint.ts';
import { journalStart, type RunAuthorization, type StartDeps } from './record-start.ts';
import { type RunActionDeps, type RunOptions, runAction } from './run-action.ts';

export interface RunnerDeps extends RunDeps, StartDeps, RunActionDeps {
  logger: Logger;
  telemetry: Telemetry;
  outcomes: ApprovalOutcomes;
}

/** Runs calls that passed every check: reads immediately; changes, paid and approved calls once their start is on record. */
export class CallRunner {
  readonly #deps: RunnerDeps;
  readonly #readRates: SlidingWindowLimiter;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#readRates = new SlidingWindowLimiter(deps.clock);
  }

  /**
   * Runs a call, once. A change whose outcome is not known is never repeated.
   *
   * @throws AppError `aborted`, `rate_limited`, `outcome_unknown`, what {@link journalStart} and {@link runAction} throw
   */
  run(call: Call, entry: AuditEntryBuilder, basis: RunAuthorization = {}): Promise<CallResult> {
    const { configured, userId, signal } = call;
    if (signal.aborted) throw aborted();
    const changes = changesSomething(configured);
    if (!changes) this.#readRates.take(userId, configured.name, configured.policy.rate);
    if (changes || isPaid(call) || basis.approval !== undefined) return this.#runRecorded(call, entry, basis);
    entry.decision = 'allowed';
    // Only here: a call that is recorded first may have waited for the transaction of a disconnect.
    return runAction(this.#deps, new ActionRun(this.#deps, call, call.grant), call);
  }

  /** The result of an earlier call with the same key. Its caller receives it again, whatever its context has forgotten since. */
  async redelivered(call: Call, earlier: CallResult): Promise<CallResult> {
    const { taints, reads } = this.#deps;
    const reading = readingOf(call, earlier.meta.labels);
    await taints.begin(reading);
    if (earlier.meta.labels !== undefined) reads.record(reading, earlier.data, earlier.meta.labels);
    return earlier;
  }

  async #runRecorded(call: Call, entry: AuditEntryBuilder, basis: RunAuthorization): Promise<CallResult> {
    const lost = await journalStart(this.#deps, call, entry, basis);
    entry.decision = basis.allowance === undefined ? 'allowed' : 'allowance_used';
    const storing = new Storing(this.#deps, entry.callId, call.configured.name);
    entry.storing = storing;
    const { approval } = basis;
    if (approval === undefined) return lost === undefined ? this.#runStarted(call, storing) : this.#notSent(call, storing, lost);
    this.#deps.telemetry.count('approval', 'approved');
    return this.#deps.outcomes.record(approval, call, storing, () =>
      lost === undefined ? this.#runApproved(call, storing) : this.#notSent(call, storing, lost),
    );
  }

  /** Ends a call whose start may be on record. */
  async #notSent(call: Call, storing: Storing, error: AppError): Promise<never> {
    await this.#deps.keys.release(call, storing);
    throw error;
  }

  /** The caller that asked waits for the result, so the run continues if the user who approved leaves. */
  #runApproved(call: Call, storing: Storing): Promise<CallResult> {
    return this.#runStarted({ ...call, signal: new AbortController().signal }, storing, receiversOf(call));
  }

  #runStarted(call: Call, storing: Storing, readers = [call]): Promise<CallResult> {
    const run = new ActionRun(this.#deps, call);
    const options = { readers, storing };
    return changesSomething(call.configured) ? this.#runChange(run, call, options) : runAction(this.#deps, run, call, options);
  }

  async #runChange(run: ActionRun, call: Call, options: Required<RunOptions>): Promise<CallResult> {
    const { storing } = options;
    const { keys, written, logger, taints } = this.#deps;
    let writing = call;
    let result: CallResult;
    try {
      writing = { ...call, taint: call.taint ?? (await taints.of(call)) };
      // Before it is sent, too: its result may be lost.
      await written.announce(writing);
      result = await runAction(this.#deps, run, writing, options);
    } catch (error) {
      if (!run.mayHaveChanged) {
        await keys.release(call, storing);
        throw error;
      }
      await storing.store('what a change may have written could not be remembered', () => written.lost(writing, run));
      await keys.markUnknown(call, storing);
      logger.warn({ err: redactError(error), action: call.configured.name }, 'a change was sent and its outcome is not known');
      throw unknownOutcome();
    }
    await keys.storeResult(call, result, storing);
    return result;
  }
}
