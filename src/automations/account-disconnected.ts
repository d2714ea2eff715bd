import type { Clock } from '../clock/clock.ts';
import type { Queryable } from '../database/database.ts';
import type { RecordEvent } from '../events/events.ts';
import { cancelDueRuns, pauseNaming } from './automations-repository.ts';
import { ensureWatches } from './looking/ensure-watches.ts';

/**
 * Pauses the automations that name an account, within the transaction that disconnects it and has locked the user. Their
 * user has to say which account comes in its place.
 */
export async function pauseForAccount(
  tx: Queryable,
  userId: string,
  accountId: string,
  { clock, emit }: { clock: Clock; emit: RecordEvent },
): Promise<void> {
  const paused = await pauseNaming(tx, userId, accountId);
  if (paused.length === 0) return;
  await cancelDueRuns(tx, userId, paused, new Date(clock.now()));
  await ensureWatches(tx, userId, clock);
  for (const automation of paused) await emit(tx, userId, 'automation.paused', { automation, reason: 'account' });
}
