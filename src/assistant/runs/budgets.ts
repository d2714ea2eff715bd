import type { Clock } from '../../clock/clock.ts';
import type { ModelBudget, ModelSettings } from '../../config/config.ts';
import type { Queryable } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import { type DayUsage, secondsOfDayLeft, selectDayUsage, type Usage } from './runs-repository.ts';

type Kind = keyof ModelBudget;

export type BudgetOfDay = { day: string } & Record<Kind, { used: number; limit: number | null }>;

const KINDS = ['runs', 'steps', 'tokens', 'seconds', 'cost'] as const satisfies readonly Kind[];
const PER_MILLION = 1_000_000;

/** What one user's runs may use within a day. */
export class Budgets {
  readonly #budget: ModelBudget;
  readonly #clock: Clock;

  constructor(budget: ModelBudget, clock: Clock) {
    this.#budget = budget;
    this.#clock = clock;
  }

  async ofDay(db: Queryable, userId: string): Promise<BudgetOfDay> {
    const used = await selectDayUsage(db, userId);
    const shown = KINDS.map((kind) => [kind, { used: used[kind], limit: this.#budget[kind] ?? null }]);
    return { day: used.day, ...Object.fromEntries(shown) };
  }

  /** @throws AppError `rate_limited` when a budget is used up; it names which. @param but a budget that isn't checked */
  async assertLeft(db: Queryable, userId: string, but?: Kind): Promise<void> {
    if (KINDS.every((kind) => this.#budget[kind] === undefined)) return;
    const exceeded = this.#exceeded(await selectDayUsage(db, userId), but);
    if (exceeded === undefined) return;
    const message = `Your budget of ${exceeded} for today is used up. A new one begins at midnight UTC.`;
    throw new AppError('rate_limited', message, { retryAfter: secondsOfDayLeft(this.#clock.now()), details: { budget: exceeded } });
  }

  #exceeded(used: DayUsage, but: Kind | undefined): Kind | undefined {
    return KINDS.find((kind) => {
      const limit = this.#budget[kind];
      return kind !== but && limit !== undefined && used[kind] >= limit;
    });
  }
}

/** What tokens cost, in the currency of the prices. */
export function costOf(
  { inputPrice = 0, outputPrice = 0 }: ModelSettings,
  { inputTokens, outputTokens }: Omit<Usage, 'steps' | 'cost'>,
): number {
  return (inputTokens * inputPrice + outputTokens * outputPrice) / PER_MILLION;
}
