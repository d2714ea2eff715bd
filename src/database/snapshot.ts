import type { Queryable } from './database.ts';

/** Makes the transaction, whose first statement this must be, see one moment of the database and change nothing. */
export async function beginSnapshot(tx: Queryable): Promise<void> {
  await tx.query('set transaction isolation level repeatable read, read only');
}
