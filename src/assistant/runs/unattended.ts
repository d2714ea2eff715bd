import type { Queryable } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import type { FixedCall } from '../models/fixed-call.ts';
import { selectThreadUsage, type Usage } from './runs-repository.ts';

/** What all answers in one conversation may use that its user doesn't follow. */
export interface RunBudget {
  steps: number;
  /** Read and written. */
  tokens: number;
  /** In the currency of the configured prices; null: any amount. */
  cost: number | null;
}

/** How an answer is made that no front end has asked for. */
export interface Unattended {
  budget: RunBudget;
  /** In place of a model's answer. */
  call?: FixedCall | undefined;
}

/** @throws AppError `rate_limited` when the answers in a thread, and this one so far, have used up the budget; it names what of it */
export async function assertBudgetLeft(
  db: Queryable,
  { userId, threadId }: { userId: string; threadId: string },
  budget: RunBudget,
): Promise<void> {
  const exceeded = exceededOf(await selectThreadUsage(db, userId, threadId), budget);
  if (exceeded === undefined) return;
  throw new AppError('rate_limited', `The budget of ${exceeded} for this run is used up.`, { details: { budget: exceeded } });
}

function exceededOf({ steps, inputTokens, outputTokens, cost }: Usage, budget: RunBudget): keyof RunBudget | undefined {
  if (steps >= budget.steps) return 'steps';
  if (inputTokens + outputTokens >= budget.tokens) return 'tokens';
  return budget.cost !== null && cost >= budget.cost ? 'cost' : undefined;
}
