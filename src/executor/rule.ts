import type { Policy } from '../integrations/catalog.ts';
import type { Effect } from '../providers/declared-call.ts';

/** Everything that decides whether a call runs. */
export interface Situation {
  policy: Pick<Policy, 'approval' | 'tainted'>;
  effect: Effect;
  /** Someone other than the user sees the effect. */
  isExposing: boolean;
  /** Text of others was read in the call's context. */
  isTainted: boolean;
  /** Data of a bank was read in the call's context. */
  isFinancial: boolean;
  /** Everyone who sees it is the user, or on the action's allow-list. */
  isToKnown: boolean;
}

export type Verdict = 'run' | 'ask' | 'refuse';

/**
 * The rule of the gate. What is exposed or lost after reading others' text is asked about, whatever the policy says;
 * a bank's data goes to known recipients only.
 */
export function verdictOn({ policy, effect, isExposing, isTainted, isFinancial, isToKnown }: Situation): Verdict {
  const isIrreversible = isExposing || effect === 'destructive';
  if (isFinancial && isExposing && !isToKnown) return 'refuse';
  if (isTainted && isIrreversible) return policy.tainted === 'deny' ? 'refuse' : 'ask';
  if (isFinancial && isExposing) return 'ask';
  if (policy.approval === 'destructive') return isIrreversible ? 'ask' : 'run';
  return policy.approval === 'always' ? 'ask' : 'run';
}
