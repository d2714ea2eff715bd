import type { Clock } from '../clock/clock.ts';
import type { Database } from './database.ts';
import { type PartitionedTable, partitionNames } from './partitions.ts';
import { allTables, TABLES, type Table, type TableName } from './tables.ts';

/** Rows per statement, so that no statement takes long. */
const CHUNK = 5_000;
/** Remaining rows are deleted by the next run, a minute later. */
const RUN_MS = 15_000;

/** Tables whose rows expire. */
export const EXPIRING = allTables().flatMap(([name, table]) => (conditionsOf(table).length > 0 ? [name] : []));

/** Deletes the expired rows of a table (src/database/tables.ts). */
export async function deleteExpiredRows(db: Database, name: TableName): Promise<void> {
  const table: Table = TABLES[name];
  for (const where of conditionsOf(table)) for (const part of await partsOf(db, name, table)) await deleteExpired(db, part, where);
}

function conditionsOf({ since, kept, only, expired = [] }: Table): string[] {
  if (since === undefined) return [...expired];
  return [`${since} < now() - interval '${kept}'${only === undefined ? '' : ` and ${only}`}`, ...expired];
}

/** `ctid` identifies a row of one partition only. Rows that expire with their month are deleted only where they have none. */
async function partsOf(db: Database, name: TableName, { months }: Table): Promise<string[]> {
  if (months === undefined) return [name];
  return months.rowsExpire === 'one by one' ? partitionNames(db, name as PartitionedTable) : [`${name}_default`];
}

/**
 * Deletes expired rows, a bounded number per statement, until none is left or the run's time is over. Locked rows are
 * skipped and deleted by a later run.
 *
 * @param where SQL over the table's columns
 */
function deleteExpired(db: Database, table: string, where: string): Promise<void> {
  const text = `/* all users: what has expired */ with gone as (
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
