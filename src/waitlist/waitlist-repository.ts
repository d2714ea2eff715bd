import type { Queryable } from '../database/database.ts';

/** Inserts an address. Statement and result are the same for a new and for a known one. */
export async function upsertAddress(db: Queryable, email: string): Promise<void> {
  await db.query('insert into waitlist (email) values ($1) on conflict (email) do update set email = excluded.email', [email]);
}

export interface WaitlistEntry {
  email: string;
  createdAt: Date;
}

/** Entries after the address `after`, sorted by address; '' = from the beginning. */
export async function selectEntries(db: Queryable, after: string, limit: number): Promise<WaitlistEntry[]> {
  return db.query<WaitlistEntry>('select email, created_at as "createdAt" from waitlist where email > $1 order by email limit $2', [
    after,
    limit,
  ]);
}
