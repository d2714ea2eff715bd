import type { Queryable } from '../database/database.ts';

/** What was done, by whom and how it ended; never what it was about. */
export interface AuditRow {
  callId: string;
  userId: string;
  /** Where the call came from: `socket`. */
  surface: string;
  action: string;
  accountId: string | null;
  argumentsHash: Buffer | null;
  decision: 'started' | 'allowed' | 'refused' | 'approval_required' | 'approved' | 'denied';
  /** `ok`, or the code of the error. */
  outcome: string;
  milliseconds: number;
}

const SWEPT_AT_ONCE = 5_000;

/** Inserts rows in one statement. */
export async function insertAuditRows(db: Queryable, rows: readonly AuditRow[]): Promise<void> {
  await db.query(
    {
      name: 'audit-insert',
      text: `insert into audit_log (call_id, user_id, surface, action, account_id, arguments_hash, decision, outcome, milliseconds)
             select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::bytea[], $7::text[], $8::text[], $9::int[])`,
    },
    [
      rows.map((row) => row.callId),
      rows.map((row) => row.userId),
      rows.map((row) => row.surface),
      rows.map((row) => row.action),
      rows.map((row) => row.accountId),
      rows.map((row) => row.argumentsHash),
      rows.map((row) => row.decision),
      rows.map((row) => row.outcome),
      rows.map((row) => row.milliseconds),
    ],
  );
}

/**
 * Changes begun within the last `perMs`, and the seconds until the oldest of them no longer counts. Exact while the
 * user is locked.
 */
export async function countStarted(
  tx: Queryable,
  userId: string,
  action: string,
  perMs: number,
): Promise<{ calls: number; seconds: number }> {
  const rows = await tx.query<{ calls: number; seconds: number | null }>(
    {
      name: 'audit-count-started',
      text: `select count(*)::int as calls,
                    extract(epoch from min(at) - now())::float8 + $3::float8 / 1000 as seconds
             from audit_log
             where user_id = $1::uuid and action = $2 and decision = 'started' and at > now() - $3::float8 * interval '1 millisecond'`,
    },
    [userId, action, perMs],
  );
  return { calls: rows[0]?.calls ?? 0, seconds: rows[0]?.seconds ?? 0 };
}

/** Deletes rows after 400 days, some thousands at a time: looked for among the oldest only, which needs no index on time. */
export async function deleteOldAuditRows(db: Queryable): Promise<void> {
  await db.query(
    `with oldest as (select id, at from audit_log order by id limit ${SWEPT_AT_ONCE})
     delete from audit_log where id in (select id from oldest where at < now() - interval '400 days')`,
  );
}
