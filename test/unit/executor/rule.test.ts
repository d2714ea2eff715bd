import { describe, expect, it } from 'vitest';
import { decide, type PolicyDecision, type PolicyInput, preapprovalObstacle } from '../../../src/executor/policy/rule.ts';

const APPROVALS = ['never', 'destructive', 'always'] as const;
const TAINTED = ['ask', 'deny'] as const;
const FINANCIAL = ['ask', 'deny'] as const;
const EFFECTS = ['read', 'write', 'destructive'] as const;
const ALLOWED = ['none', 'new', 'known'] as const;
const FACTS = ['isBank', 'isExposing', 'isTainted', 'isFinancial', 'isToTrusted', 'isToTyped', 'isInPerson', 'isAskedAbout'] as const;

/** Every combination of the facts. */
const everyFact = Array.from({ length: 2 ** FACTS.length }, (_, bits) =>
  Object.fromEntries(FACTS.map((fact, bit) => [fact, (bits & (1 << bit)) !== 0])),
) as Pick<PolicyInput, (typeof FACTS)[number]>[];

const everyPolicy: PolicyInput['policy'][] = APPROVALS.flatMap((approval) =>
  TAINTED.flatMap((tainted) => FINANCIAL.map((financial) => ({ approval, tainted, financial }))),
);

const everyCase: PolicyInput[] = everyPolicy.flatMap((policy) =>
  EFFECTS.flatMap((effect) => ALLOWED.flatMap((allowed) => everyFact.map((facts) => ({ policy, effect, ...facts, allowed })))),
);

/** Clean contexts, by what the action does: exposing, destructive, neither. */
const CLEAN: Record<(typeof APPROVALS)[number], PolicyDecision[]> = {
  never: ['run', 'run', 'run'],
  destructive: ['ask', 'ask', 'run'],
  always: ['ask', 'ask', 'ask'],
};

/** What a user has allowed in advance, and may. */
function runsAsAllowed({ policy, effect, isBank, isExposing, isTainted, isFinancial, allowed }: PolicyInput): boolean {
  const mayBe = policy.approval !== 'always' && effect !== 'destructive' && isExposing && !isBank && !isFinancial;
  return mayBe && (isTainted ? policy.tainted === 'ask' && allowed === 'known' : allowed !== 'none');
}

function expectedOn(situation: PolicyInput): PolicyDecision {
  const { policy, effect, isExposing, isTainted, isFinancial, isToTrusted, isToTyped, isInPerson, isAskedAbout } = situation;
  const isLoss = effect === 'destructive';
  const mayAsk = isToTrusted || isToTyped || (isInPerson && policy.financial === 'ask');
  if (isFinancial && isExposing && !mayAsk) return 'refuse';
  if (!isAskedAbout && runsAsAllowed(situation)) return 'run';
  if (isTainted && (isExposing || isLoss)) return policy.tainted === 'deny' ? 'refuse' : 'ask';
  if (isAskedAbout || (isFinancial && isExposing)) return 'ask';
  // A read changes nothing.
  return CLEAN[policy.approval][effect === 'read' ? 2 : isExposing ? 0 : isLoss ? 1 : 2] as PolicyDecision;
}

describe('the rule', () => {
  it('is tried with every combination', () => {
    expect(new Set(everyCase.map((one) => JSON.stringify(one))).size).toBe(3 * 2 * 2 * 3 * 3 * 2 ** 8);
  });

  it.each(everyPolicy)('%j', (policy) => {
    for (const situation of everyCase.filter((one) => one.policy === policy)) {
      expect(decide(situation), JSON.stringify(situation)).toBe(expectedOn(situation));
    }
  });

  it('asks about a bank’s data to strangers only the user in person, and only if the operator permits it', () => {
    const toStrangers = everyCase.filter((one) => one.isFinancial && one.isExposing && !one.isToTrusted && !one.isToTyped);
    const asked = toStrangers.filter((situation) => decide(situation) === 'ask');
    expect(toStrangers.filter((situation) => decide(situation) === 'run')).toEqual([]);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter(({ isInPerson, policy }) => !isInPerson || policy.financial === 'deny')).toEqual([]);
  });

  it('reads the key `financial` for the user in person only', () => {
    for (const situation of everyCase.filter(({ isInPerson }) => !isInPerson)) {
      const [asking, denying] = FINANCIAL.map((financial) => decide({ ...situation, policy: { ...situation.policy, financial } }));
      expect(asking).toBe(denying);
    }
  });

  it('never lets a tainted or a bank’s context expose unasked what the user has not allowed for known people', () => {
    const exposing = everyCase.filter(({ isExposing, isTainted, isFinancial }) => isExposing && (isTainted || isFinancial));
    const ran = exposing.filter((situation) => decide(situation) === 'run');
    expect(exposing.length).toBeGreaterThan(0);
    expect(ran.length).toBeGreaterThan(0);
    expect(ran.filter(({ allowed, isFinancial }) => allowed !== 'known' || isFinancial)).toEqual([]);
  });

  it('never runs more in a tainted context than in a clean one', () => {
    const order = ['run', 'ask', 'refuse'];
    for (const situation of everyCase) {
      const clean = decide({ ...situation, isTainted: false, isFinancial: false });
      expect(order.indexOf(decide(situation))).toBeGreaterThanOrEqual(order.indexOf(clean));
    }
  });

  it('lets an allowance change a question only, and never more than one for known people', () => {
    for (const situation of everyCase) {
      const [without, isNew, known] = ALLOWED.map((allowed) => decide({ ...situation, allowed }));
      if (without !== 'ask') expect([isNew, known]).toEqual([without, without]);
      if (isNew === 'run') expect(known).toBe('run');
    }
  });

  it('gives a reason for each call that an allowance does not cover', () => {
    for (const situation of everyCase) {
      if (preapprovalObstacle(situation) === undefined && decide(situation) !== 'refuse') expect(decide(situation)).toBe('run');
      if (situation.allowed === 'none') expect(preapprovalObstacle(situation)).toBeTypeOf('string');
    }
  });
});
