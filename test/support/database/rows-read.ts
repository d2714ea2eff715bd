import type { Queryable } from '../../../src/database/database.ts';

/**
 * The rows of a table and its partitions that a transaction has read until now.
 *
 * @param tx a connection's transaction; also counts what its connection has read just before
 */
export async function rowsRead(tx: Queryable, table: string): Promise<number> {
  const [row] = await tx.query<{ read: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables where starts_with(relname, $1)`,
    [table],
  );
  return row?.read ?? 0;
}
