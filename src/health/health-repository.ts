import type { Queryable } from '../database/database.ts';

/** Whether the database takes writes: a standby after a failover answers but doesn't. */
export async function isWritable(db: Queryable): Promise<boolean> {
  const rows = await db.query<{ writable: boolean }>(
    `select not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off' as writable`,
  );
  return rows[0]?.writable === true;
}
