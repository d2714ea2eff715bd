import type { Queryable } from '../database/database.ts';

/** One row of the audit log as its user reads it. */
export interface AuditEntry {
  id: string;
  at: Date;
  callId: string;
  surface: string;
  decidedSurface: string | null;
  action: string;
  accountId: string | null;
  decision: string;
  outcome: string;
  milliseconds: number;
  count: number;
}

/**
 * A user's rows, newest first. Compared as pairs, they are read by the index on both columns only: told `user_id = …`,
 * a planner that knows few users takes the one on `id` alone, and walks through everybody's rows.
 *
 * @param before only rows with smaller ids; null = from the newest
 * @returns undefined when the user is gone
 */
export async function selectAuditEntries(
  db: Queryable,
  userId: string,
  limit: number,
  before: string | null,
): Promise<AuditEntry[] | undefined> {
  const rows = await db.query<AuditEntry | { id: null }>(
    {
      name: 'audit-entries',
      text: `select a.id, a.at, a.call_id as "callId", a.surface, a.decided_surface as "decidedSurface", a.action, a.account_id as "accountId",
                    a.decision, a.outcome, a.milliseconds, a.count
             from users u left join lateral (
               select * from audit_log
               where (user_id, id) > (u.id, 0) and (user_id, id) < (u.id, coalesce($3::bigint, 9223372036854775807))
               order by user_id desc, id desc limit $2
             ) a on true
             where u.id = $1::uuid order by a.id desc`,
    },
    [userId, limit, before],
  );
  return rows.length === 0 ? undefined : rows.filter((row) => row.id !== null);
}
