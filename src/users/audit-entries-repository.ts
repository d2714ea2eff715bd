import type { Queryable } from '../database/database.ts';

/** One row of the audit log, by the field names of its page. */
export interface AuditRow {
  id: string;
  at: Date;
  call_id: string;
  surface: string;
  decided_surface: string | null;
  client_id: string | null;
  action: string;
  account_id: string | null;
  decision: string;
  outcome: string;
  milliseconds: number;
  count: number;
  definition_hash: string | null;
}

/**
 * A user's rows, newest first. The comparison of pairs makes the planner use the index on both columns: for `user_id = …`
 * with few users, it scans the index on `id`, and with it the rows of all users. Older rows are deleted with their month.
 *
 * @param before only rows with smaller ids; null: the newest rows
 * @returns undefined when the user was deleted
 */
export async function selectAuditEntries(
  db: Queryable,
  userId: string,
  limit: number,
  before: string | null,
): Promise<AuditRow[] | undefined> {
  const rows = await db.query<AuditRow | { id: null }>(
    {
      name: 'audit-entries',
      text: `select a.id, a.at, a.call_id, a.surface, a.decided_surface, a.client_id, a.action, a.account_id, a.decision, a.outcome, a.milliseconds, a.count,
               a.definition_hash
             from users u left join lateral (
               select * from audit_log
               where (user_id, id) > (u.id, 0) and (user_id, id) < (u.id, coalesce($3::bigint, 9223372036854775807))
                 and at > now() - interval '400 days'
               order by user_id desc, id desc limit $2
             ) a on true
             where u.id = $1::uuid order by a.id desc`,
    },
    [userId, limit, before],
  );
  return rows.length === 0 ? undefined : rows.filter((row) => row.id !== null);
}
