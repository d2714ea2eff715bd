import type { Clock } from '../../clock/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { deleteUnneededWatches, updateWatchedSince, upsertNeededWatches, wakeWatches } from './watches-repository.ts';

/**
 * Makes the accounts be looked at that the user's active automations need, and no others. Called in the transaction of each
 * change of an automation (made, changed, paused, resumed, deleted), which has locked the user, after the change. A look in
 * progress stores nothing then, and is repeated with the automations as they are now.
 */
export async function ensureWatches(tx: Queryable, userId: string, clock: Clock): Promise<void> {
  const now = new Date(clock.now());
  await updateWatchedSince(tx, userId, now);
  await deleteUnneededWatches(tx, userId);
  await upsertNeededWatches(tx, userId, now);
}

/** Makes an account be looked at now, in the transaction in which it was connected again. */
export function lookAgain(tx: Queryable, userId: string, accountId: string, clock: Clock): Promise<void> {
  return wakeWatches(tx, userId, accountId, new Date(clock.now()));
}
