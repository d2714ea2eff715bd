import type { Queryable } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import { countStarted } from '../audit/audit-repository.ts';
import type { Call } from '../call/call.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * Checks whether a user may make another paid call today, by any action. Exact while the user is locked: of such actions,
 * only paid calls are recorded as started.
 *
 * @param perDay within the last 24 hours
 * @throws AppError `rate_limited`
 */
export async function assertAffordable(tx: Queryable, { userId }: Call, { actions }: Catalog, perDay: number): Promise<void> {
  const paid = [...actions.values()].filter(({ action }) => action.mayCost).map(({ name }) => name);
  const { calls, seconds } = await countStarted(tx, userId, paid, DAY_MS);
  if (calls < perDay) return;
  throw new AppError(
    'rate_limited',
    'The day’s live balances are used up. Without `live`, the balances of the last visit at the bank are free.',
    // With a limit of 0 there is no oldest call.
    { retryAfter: Math.max(1, Math.ceil(calls === 0 ? DAY_MS / 1000 : seconds)) },
  );
}
