import type { Queryable } from '../database/database.ts';

/** The same statement, and the same answer, whether the address is new or known. */
export async function upsertAddress(db: Queryable, email: string): Promise<void> {
  await db.query('insert into waitlist (email) values ($1) on conflict (email) do update set email = excluded.email', [email]);
}
