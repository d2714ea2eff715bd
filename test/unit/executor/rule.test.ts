import { describe, expect, it } from 'vitest';
import { type Situation, type Verdict, verdictOn } from '../../../src/executor/rule.ts';

const APPROVALS = ['never', 'destructive', 'always'] as const;
const TAINTED = ['ask', 'deny'] as const;
const EFFECTS = ['read', 'write', 'destructive'] as const;
const BOTH = [false, true];

const everyCase: Situation[] = APPROVALS.flatMap((approval) =>
  TAINTED.flatMap((tainted) =>
    EFFECTS.flatMap((effect) =>
      BOTH.flatMap((isExposing) =>
        BOTH.flatMap((isTainted) =>
          BOTH.flatMap((isFinancial) =>
            BOTH.map((isToKnown) => ({ policy: { approval, tainted }, effect, isExposing, isTainted, isFinancial, isToKnown })),
          ),
        ),
      ),
    ),
  ),
);

/** Clean contexts, by what the action does: exposing, destructive, neither. */
const CLEAN: Record<(typeof APPROVALS)[number], Verdict[]> = {
  never: ['run', 'run', 'run'],
  destructive: ['ask', 'ask', 'run'],
  always: ['ask', 'ask', 'ask'],
};

describe('the rule', () => {
  it('is tried with every combination', () => {
    expect(everyCase).toHaveLength(3 * 2 * 3 * 2 * 2 * 2 * 2);
  });

  it.each(everyCase)('%j', (situation) => {
    const { policy, effect, isExposing, isTainted, isFinancial, isToKnown } = situation;
    const verdict = verdictOn(situation);
    const isLoss = effect === 'destructive';
    const usual = CLEAN[policy.approval][isExposing ? 0 : isLoss ? 1 : 2];
    if (isFinancial && isExposing && !isToKnown) expect(verdict).toBe('refuse');
    else if (isTainted && (isExposing || isLoss)) expect(verdict).toBe(policy.tainted === 'deny' ? 'refuse' : 'ask');
    else if (isFinancial && isExposing) expect(verdict).toBe('ask');
    else expect(verdict).toBe(usual);
  });

  it('never lets a tainted or a bank’s context expose unasked', () => {
    const exposing = everyCase.filter(({ isExposing, isTainted, isFinancial }) => isExposing && (isTainted || isFinancial));
    expect(exposing.length).toBeGreaterThan(0);
    expect(exposing.filter((situation) => verdictOn(situation) === 'run')).toEqual([]);
  });

  it('never runs more in a tainted context than in a clean one', () => {
    const order = ['run', 'ask', 'refuse'];
    for (const situation of everyCase) {
      const clean = verdictOn({ ...situation, isTainted: false, isFinancial: false });
      expect(order.indexOf(verdictOn(situation))).toBeGreaterThanOrEqual(order.indexOf(clean));
    }
  });
});
