import { AppError } from '../errors.ts';
import type { Viewer } from '../providers/audience.ts';
import { SlidingWindowLimiter } from '../rate-limit/sliding-window.ts';
import { ActionRun, type Exposure, type RunDeps } from './action-run.ts';
import { assertReadAllowed, isAllowListed, readsAllowed } from './allow-lists.ts';
import type { Call } from './call.ts';
import { verdictOn } from './rule.ts';
import type { Taint, Taints } from './taint.ts';

/** What a call would do, as far as it was read before. */
export interface Assessment extends Exposure {
  taint: Taint;
}

/** With what follows from it. */
export interface Checked extends Assessment {
  verdict: 'run' | 'ask';
}

/** Decides whether a call runs, asks the user, or is refused; reads for that only what the rule needs. */
export class Gate {
  readonly #deps: RunDeps;
  readonly #taints: Taints;
  readonly #rates = new SlidingWindowLimiter();

  constructor(deps: RunDeps, taints: Taints) {
    this.#deps = deps;
    this.#taints = taints;
  }

  /**
   * @returns undefined: the call may run, and nothing was read for that
   * @throws AppError `forbidden` when it is refused; what the call itself would fail with; `rate_limited`
   */
  async check(call: Call): Promise<Checked | undefined> {
    const { configured, userId } = call;
    const { action, policy } = configured;
    const mustRead = readsAllowed(configured);
    const mayAsk = policy.approval === 'always' || action.effect === 'destructive' || action.exposes !== undefined;
    if (!mayAsk && !mustRead) return undefined;
    const taint = await this.#taints.of(call);
    if (policy.approval === 'never' && !mustRead && !taint.isTainted && !taint.isFinancial) return undefined;
    // Reading from the provider has the action's rate.
    if (action.facts !== undefined) this.#rates.take(userId, configured.name, policy.rate);
    const assessment = await this.#assess(call, taint);
    return { ...assessment, verdict: this.#verdict(call, assessment) };
  }

  /** The same for a call that the user has approved. @throws AppError like {@link check} */
  async recheck(call: Call): Promise<Assessment> {
    const assessment = await this.#assess(call, await this.#taints.of(call));
    this.#verdict(call, assessment);
    return assessment;
  }

  async #assess(call: Call, taint: Taint): Promise<Assessment> {
    const exposure = await new ActionRun(this.#deps, call).exposure();
    assertReadAllowed(call.configured, exposure.read);
    return { ...exposure, taint };
  }

  #verdict(call: Call, { audience, taint }: Assessment): 'run' | 'ask' {
    const { action, policy } = call.configured;
    const verdict = verdictOn({
      policy,
      effect: action.effect,
      isExposing: audience.length > 0,
      isTainted: taint.isTainted,
      isFinancial: taint.isFinancial,
      isToKnown: audience.every((viewer) => isKnown(call, viewer)),
    });
    if (verdict === 'refuse') throw refused(taint, policy.tainted === 'deny');
    return verdict;
  }
}

function isKnown({ configured, ownAddresses }: Call, viewer: Viewer): boolean {
  if (viewer.kind !== 'person') return false;
  return ownAddresses.includes(viewer.address) || isAllowListed(configured, viewer.address);
}

function refused({ isTainted, sources }: Taint, isDenied: boolean): AppError {
  const message =
    isDenied && isTainted
      ? 'The operator denies this after text of others was read.'
      : 'A bank’s data was read before, and goes only to the user and to those whom the operator’s allow-list names.';
  return new AppError('forbidden', message, { details: { sources } });
}
