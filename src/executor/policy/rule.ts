import type { Policy } from '../../integrations/catalog.ts';
import type { Effect } from '../../providers/shared/declared-call.ts';

/**
 * Whether the user has allowed a call in advance, for everyone who sees it. `new`: someone was new to the user then;
 * `known`: no one was.
 */
export type Allowed = 'none' | 'new' | 'known';

/** Everything that decides whether a call runs. */
export interface PolicyInput {
  policy: Pick<Policy, 'approval' | 'tainted' | 'financial'>;
  effect: Effect;
  /** The user calls: no client, and not the assistant. Of an approved call, the caller that asked for it counts. */
  isInPerson: boolean;
  /** The account is a bank's. */
  isBank: boolean;
  /** Someone other than the user sees the effect, or is told the arguments. */
  isExposing: boolean;
  /** Text of others was read in the call's context; of a read, anything that those who are told its arguments don't know. */
  isTainted: boolean;
  /** Data of a bank was read in the call's context. */
  isFinancial: boolean;
  /** Everyone who sees it is the user, or on the action's allow-list. */
  isToTrusted: boolean;
  /** Everyone else who sees it was named by the user in the thread in which the assistant calls. */
  isToTyped: boolean;
  /** The call's own context waits for the user's answer about something that the call changes. */
  isAskedAbout: boolean;
  allowed: Allowed;
}

export type PolicyDecision = 'run' | 'ask' | 'refuse';

/**
 * The rule of the gate. What is exposed or lost after reading others' text is asked about, whatever the policy says. A read that
 * tells its arguments to others is asked about only then, since it changes nothing. A bank's data goes to known recipients only, to those whom the user has named to the assistant, and to strangers if the user
 * calls in person; each time it asks. What the user has allowed in advance runs, unless it is of a kind that is asked about
 * each time.
 */
export function decide(situation: PolicyInput): PolicyDecision {
  const { policy, effect, isExposing, isTainted, isFinancial, isAskedAbout } = situation;
  const isLossOrExposure = isExposing || effect === 'destructive';
  if (isFinancial && isExposing && !mayAskAboutBankData(situation)) return 'refuse';
  if (isTainted && isLossOrExposure && policy.tainted === 'deny') return 'refuse';
  if (preapprovalObstacle(situation) === undefined) return 'run';
  if (isAskedAbout || (isTainted && isLossOrExposure) || (isFinancial && isExposing)) return 'ask';
  if (policy.approval === 'destructive') return isLossOrExposure && effect !== 'read' ? 'ask' : 'run';
  return policy.approval === 'always' ? 'ask' : 'run';
}

/** Whether the user may be asked about a call after a bank's data was read. */
function mayAskAboutBankData({ policy, isInPerson, isToTrusted, isToTyped }: PolicyInput): boolean {
  return isToTrusted || isToTyped || (isInPerson && policy.financial === 'ask');
}

/** Why no allowance of the user covers the call; undefined: it runs under one. */
export function preapprovalObstacle({
  policy,
  effect,
  isBank,
  isExposing,
  isTainted,
  isFinancial,
  isAskedAbout,
  allowed,
}: Omit<PolicyInput, 'isInPerson' | 'isToTrusted' | 'isToTyped'>): string | undefined {
  if (isAskedAbout) return 'the user is being asked about what it changes';
  if (policy.approval === 'always') return 'the operator requires approval of each call';
  if (effect === 'destructive') return 'each call that deletes or shares is approved';
  if (isBank) return 'each call on a bank is approved';
  if (isFinancial) return 'a bank’s data was read before';
  if (!isExposing) return 'nobody else sees it';
  if (allowed === 'none') return 'not all who see it are people known by their addresses';
  if (isTainted && allowed === 'new') return 'text of others was read before, and someone who sees it is new to you';
  return undefined;
}
