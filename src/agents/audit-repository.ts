import type { Queryable } from '../database/database.ts';

/** What was done, by whom and how it ended; never what it was about. */
export interface AuditRow {
  callId: string;
  userId: string;
  /** Where the call came from: `socket`. */
  surface: string;
  action: string;
  accountId: string | null;
  /** Hexadecimal digits. */
  argumentsHash: string | null;
  decision: 'started' | 'allowed' | 'refused' | 'approval_required' | 'approved' | 'denied';
  /** `ok`, or the code of the error. */
  outcome: string;
  milliseconds: number;
}

const SWEPT_AT_ONCE = 5_000;

/** Between values, and in place of one that is missing: no name, code or id holds control characters. */
const SEPARATOR = '\x1f';
const MISSING = '\x1e';
const ARRAY = `E'\\x1f', E'\\x1e'`;

/** In the order of the statement's parameters. */
const VALUES: readonly ((row: AuditRow) => string | number | null)[] = [
  ({ callId }) => callId,
  ({ userId }) => userId,
  ({ surface }) => surface,
  ({ action }) => action,
  ({ accountId }) => accountId,
  ({ argumentsHash }) => argumentsHash,
  ({ decision }) => decision,
  ({ outcome }) => outcome,
  ({ milliseconds }) => milliseconds,
];

/** Inserts rows in one statement. One text a column: the driver looks at each element of an array, and JSON takes Postgres longer. */
export async function insertAuditRows(db: Queryable, rows: readonly AuditRow[]): Promise<void> {
  await db.query(
    {
      name: 'audit-insert',
      text: `insert into audit_log (call_id, user_id, surface, action, account_id, arguments_hash, decision, outcome, milliseconds)
             select call_id::uuid, user_id::uuid, surface, action, account_id::uuid, decode(arguments_hash, 'hex'), decision, outcome, milliseconds::int
             from unnest(${VALUES.map((_, index) => `string_to_array($${index + 1}, ${ARRAY})`).join(', ')})
               as row (call_id, user_id, surface, action, account_id, arguments_hash, decision, outcome, milliseconds)`,
    },
    VALUES.map((of) => rows.map((row) => of(row) ?? MISSING).join(SEPARATOR)),
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
