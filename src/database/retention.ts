import type { Queryable } from './database.ts';

/** Rows of one statement: few enough that none takes long. */
const CHUNK = 5_000;
/** What is left then is the next minute's. */
const RUN_MS = 15_000;

/** What one statement did. */
export interface Chunk {
  /** There may be more. */
  isFull: boolean;
}

/**
 * Deletes rows that have had their time, a bounded number in each statement, until none is left or the time is up. Rows
 * that somebody has locked are left for the next run: they must hold up no others.
 *
 * @param where SQL over the table's columns
 */
export function deleteExpired(db: Queryable, table: string, where: string): Promise<void> {
  const text = `with gone as (
                  delete from ${table} where ctid = any(array(select ctid from ${table} where ${where} limit ${CHUNK} for update skip locked))
                  returning 1)
                select count(*)::int as rows from gone`;
  return inChunks(async () => {
    const [gone] = await db.query<{ rows: number }>(text);
    return { isFull: gone?.rows === CHUNK };
  });
}

/** Repeats a step until it says that there is no more, or the time is up. */
export async function inChunks(step: () => Promise<Chunk>): Promise<void> {
  const endAt = performance.now() + RUN_MS;
  while ((await step()).isFull && performance.now() < endAt);
}
