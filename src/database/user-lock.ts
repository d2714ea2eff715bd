import type { Queryable } from './database.ts';
import { userDeleted } from './database-errors.ts';

/**
 * Locks the user until the transaction ends, so that changes of the connected accounts (first, default, duplicate,
 * deletion) are decided one at a time.
 *
 * @returns false when the user is gone
 */
export async function lockUser(tx: Queryable, userId: string): Promise<boolean> {
  return (await tx.query('select id from users where id = $1::uuid for no key update', [userId])).length > 0;
}

/** Locks the user as {@link lockUser} does. @throws AppError `invalid_token` when the user is gone */
export async function lockExistingUser(tx: Queryable, userId: string): Promise<void> {
  if (!(await lockUser(tx, userId))) throw userDeleted();
}
