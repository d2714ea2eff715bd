import { english } from '../../../public/language/english.js';
import { quoted } from '../../actions/shared/display-text.ts';
import { isLabelled, type Taint, taintOf, UNTAINTED } from '../../actions/shared/labels.ts';
import { AppError } from '../../errors.ts';
import type { LoadedAction } from '../../integrations/catalog.ts';
import type { Viewer } from '../../providers/shared/audience.ts';
import { SlidingWindowLimiter } from '../../rate-limit/sliding-window.ts';
import { ActionRun, type Exposure, type RunDeps } from '../call/action-run.ts';
import type { Call } from '../call/call.ts';
import { isInPerson, receiversOf } from '../call/context-name.ts';
import { readingOf, repeating, type Taints } from '../taint/taint.ts';
import { taintByError } from '../taint/taint-by-error.ts';
import type { WrittenItems } from '../taint/written-items.ts';
import { areArgumentsListed, assertReadAllowed, isAllowListed, readsAllowed } from './allow-lists.ts';
import { allows, coveredBy, type NewAllowance } from './allowance.ts';
import type { Allowances } from './allowances.ts';
import { isAskedAbout, mayBeAskedAbout } from './open-questions.ts';
import { decide, type PolicyInput, preapprovalObstacle } from './rule.ts';
import { isNamed, type ShownViewer } from './shown-viewer.ts';

/** Characters of the arguments that an allowance is bound to, as JSON: each is shown in the list of allowances. */
const MAX_ALLOWED_ARGUMENTS = 10_000;

/** What a call would do, as far as it was read before. */
export interface Assessment extends Exposure {
  /** The labels of what the call names, which is part of {@link Exposure.taint}. */
  named: Taint;
  /** Of a read that tells its arguments to others: something was read that its own account doesn't hold. */
  hasReadElsewhere: boolean;
}

/** What follows from an assessment. */
export interface Ruling {
  assessment: Assessment;
  verdict: 'run' | 'ask';
  /** Id of the allowance that answers the question. */
  allowance: string | undefined;
}

/** Whether there are calls of an action that the user is asked about. */
export function mayAsk({ action, policy }: LoadedAction): boolean {
  return policy.approval === 'always' || action.effect === 'destructive' || action.exposes !== undefined;
}

/** Whether reads of an action tell its arguments to others. */
function tells({ action }: LoadedAction): boolean {
  return action.effect === 'read' && action.exposes !== undefined;
}

/** Whether a call has to be checked by a {@link Gate}: the user may be asked about it, or what is read first decides. */
export function isGated(configured: LoadedAction): boolean {
  return mayAsk(configured) || readsAllowed(configured);
}

/** Decides whether a call runs, asks the user, or is refused; reads for that only what the rule needs. */
export class Gate {
  readonly #deps: RunDeps;
  readonly #taints: Taints;
  readonly #written: WrittenItems;
  readonly #allowances: Allowances;
  readonly #rates: SlidingWindowLimiter;

  constructor(deps: RunDeps, taints: Taints, written: WrittenItems, allowances: Allowances) {
    this.#deps = deps;
    this.#rates = new SlidingWindowLimiter(deps.clock);
    this.#taints = taints;
    this.#written = written;
    this.#allowances = allowances;
  }

  /**
   * @param call of an action that {@link isGated}, or one that {@link mayBeAskedAbout}
   * @returns without a ruling: the call may run, and nothing was read from the provider for that
   * @throws AppError `forbidden` when it is refused; what the call itself would fail with; `rate_limited`
   */
  async check(call: Call): Promise<{ taint: Taint; ruling?: Ruling }> {
    const { configured, userId } = call;
    const { action, policy } = configured;
    // What the facts resolve may have a label, whatever the arguments name.
    const mustRead = readsAllowed(configured) || (call.account.hasLabelledItems && action.facts !== undefined);
    const taint = await this.#taintOf(call);
    if (policy.approval === 'never' && !tells(configured) && !mustRead && !isLabelled(taint) && !mayBeAskedAbout(call)) return { taint };
    // Reading from the provider has the action's rate.
    if (action.facts !== undefined) this.#rates.take(userId, configured.name, policy.rate);
    const assessment = await this.#assess(call, taint);
    const isAbout = await isAskedAbout(this.#deps.db, call, assessment.facts);
    const situation = { ...situationOf(call, assessment), isAskedAbout: isAbout };
    const found = verdict(call, situation, assessment);
    // Such calls are never asked about, so that no caller would look for the result of one.
    if (found === 'ask' && !mayAsk(configured)) throw waiting();
    // Who is asked is shown names of it. A client is not.
    const isShown = found === 'ask' && call.client === undefined && isLabelled(assessment.named);
    if (isShown) await this.#taints.begin(repeating(readingOf(call), assessment.named));
    const allowance = found === 'run' ? undefined : await this.#allowanceFor(call, assessment, situation);
    return { taint: assessment.taint, ruling: { assessment, verdict: found, allowance } };
  }

  /** The same for a call that the user has approved. @throws AppError like {@link check} */
  async recheck(call: Call): Promise<Assessment> {
    const assessment = await this.#assess(call, await this.#taintOf(call), receiversOf(call));
    verdict(call, situationOf(call, assessment), assessment);
    return assessment;
  }

  /**
   * What the user allows in advance by approving a call.
   *
   * @param shown the audience that the user was shown
   * @throws AppError `invalid_request` when such calls are asked about each time
   */
  allowance(call: Call, assessment: Assessment, shown: readonly ShownViewer[], days: number): NewAllowance {
    const covered = coveredBy(call, assessment, shown);
    const allowed = covered === undefined ? 'none' : allows(covered, call, assessment);
    const isTooLong = JSON.stringify(covered?.arguments ?? []).length > MAX_ALLOWED_ARGUMENTS;
    const reason = isTooLong ? 'it has too many arguments' : preapprovalObstacle({ ...situationOf(call, assessment), allowed });
    if (covered !== undefined && reason === undefined) return { covered, days };
    throw new AppError('invalid_request', `This call can be approved, but not allowed in advance: ${reason}.`);
  }

  /** Sending an item that a tainted context wrote counts as tainted, in every context. */
  async #taintOf(call: Call): Promise<Taint> {
    return taintOf(...(await Promise.all([this.#taints.of(call), this.#written.labelsOfNamed(call, undefined)])));
  }

  /** @param readers whose contexts receive the error, if there is one */
  async #assess(call: Call, taint: Taint, readers = [call]): Promise<Assessment> {
    const run = new ActionRun(this.#deps, { ...call, taint });
    let named = UNTAINTED;
    const taintBy = async (facts: unknown) => {
      named = await this.#written.labelsOfNamed(call, facts);
      return taintOf(taint, named);
    };
    try {
      const exposure = await run.exposure(taintBy);
      // Its error names what the facts tell, such as a draft's recipients.
      assertReadAllowed(call.configured, exposure.facts);
      const hasReadElsewhere = tells(call.configured) && (await this.#taints.hasReadElsewhere(call, call.account.id));
      return { ...exposure, named, hasReadElsewhere };
    } catch (error) {
      if (run.mayHaveRead) await taintByError({ taints: this.#taints, written: this.#written }, run, call, readers, error);
      throw error;
    }
  }

  /** Reads the allowances only if one could make a difference. */
  async #allowanceFor(call: Call, assessment: Assessment, situation: PolicyInput): Promise<string | undefined> {
    if (decide({ ...situation, allowed: 'known' }) !== 'run') return undefined;
    const found = await this.#allowances.covering(call, assessment);
    return found.find(({ allowed }) => decide({ ...situation, allowed }) === 'run')?.id;
  }
}

/** Without allowances. */
function situationOf(call: Call, { audience, taint, facts, hasReadElsewhere }: Assessment): PolicyInput {
  const { action, policy } = call.configured;
  const isCovered = areArgumentsListed(call.configured, call.input);
  return {
    policy,
    effect: action.effect,
    isInPerson: isInPerson(call),
    isBank: action.provider === 'bank',
    isExposing: audience.length > 0,
    isTainted: tells(call.configured) ? hasReadElsewhere && action.isTrusted !== true && !isCovered : taint.isTainted,
    isFinancial: taint.isFinancial,
    isToTrusted: audience.every((viewer) => (viewer.kind === 'service' ? isCovered : isKnown(call, facts, viewer))),
    isToTyped: call.thread !== undefined && audience.every((viewer) => isKnown(call, facts, viewer) || isNamed(call, viewer)),
    isAskedAbout: false,
    allowed: 'none',
  };
}

function verdict(call: Call, situation: PolicyInput, assessment: Pick<Assessment, 'taint' | 'named' | 'audience'>): 'run' | 'ask' {
  const found = decide(situation);
  if (found === 'refuse') throw refused(call, assessment);
  return found;
}

function isKnown({ configured, input, ownAddresses }: Call, facts: unknown, viewer: Viewer): boolean {
  if (viewer.kind !== 'person') return false;
  return ownAddresses.includes(viewer.address) || isAllowListed(configured, input, facts, viewer.address);
}

function waiting(): AppError {
  return new AppError('conflict', 'The user is being asked about something that this would change. Call again once that is decided.');
}

function refused(
  { thread, configured: { policy } }: Call,
  { taint, named, audience }: Pick<Assessment, 'taint' | 'named' | 'audience'>,
): AppError {
  if (policy.tainted === 'deny' && taint.isTainted) {
    const when =
      thread === undefined ? 'within an hour after text of others was read' : 'in a conversation in which text of others was read';
    return new AppError('forbidden', `The operator denies this call ${when}.`);
  }
  const [when, typed] =
    thread === undefined ? ['within the last hour', ''] : ['in this conversation', ', to those that the user typed in it,'];
  const services = audience.flatMap((viewer) => (viewer.kind === 'service' ? [quoted(viewer.name)] : []));
  const why = named.isFinancial ? 'What it names was written after a bank’s data was read' : `A bank’s data was read ${when}`;
  if (services.length > 0) {
    return new AppError('forbidden', `${why}, so ${english.list(services)} may be told only what is on the action’s allow-list.`);
  }
  return new AppError(
    'forbidden',
    `${why}, so this may go only to the user’s own addresses${typed} and to those on the action’s allow-list.`,
  );
}
