import type { Clock } from '../clock/clock.ts';
import type { Database } from './database.ts';

/** Rows per statement, so that no statement takes long. */
const CHUNK = 5_000;
/** Remaining rows are deleted by the next run, a minute later. */
const RUN_MS = 15_000;

/**
 * Deletes expired rows, a bounded number per statement, until none is left or the run's time is over. Locked rows are
 * skipped and deleted by a later run.
 *
 * @param where SQL over the table's columns
 */
export function deleteExpired(db: Database, table: string, where: string): Promise<void> {
  const text = `with gone as (
                  delete from ${table} where ctid = any(array(select ctid from ${table} where ${where} limit ${CHUNK} for update skip locked))
                  returning 1)
                select count(*)::int as rows from gone`;
  return inChunks(db.clock, async () => {
    const [gone] = await db.query<{ rows: number }>(text);
    return { isFull: gone?.rows === CHUNK };
  });
}

/** Repeats a step until no rows are left or the run's time is over. @param step `isFull`: there may be more rows */
export async function inChunks(clock: Clock, step: () => Promise<{ isFull: boolean }>): Promise<void> {
  const endAt = clock.monotonic() + RUN_MS;
  while ((await step()).isFull && clock.monotonic() < endAt);
}
