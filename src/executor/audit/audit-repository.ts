import type { Queryable } from '../../database/database.ts';

/** What was done, by which user, and its outcome; never its content. */
export interface AuditRow {
  callId: string;
  userId: string;
  /** Where the call came from: `socket`. */
  surface: string;
  /** The client that made the call; null: the user's own front end. */
  clientId: string | null;
  /** Where the user decided on it; null: there was no request, or no decision yet. */
  decidedSurface: string | null;
  action: string;
  accountId: string | null;
  /** Hexadecimal digits. */
  argumentsHash: string | null;
  decision:
    | 'started'
    | 'allowed'
    | 'refused'
    | 'approval_required'
    | 'edited'
    | 'approved'
    | 'denied'
    | 'allowance_created'
    | 'allowance_used'
    | 'allowance_revoked'
    | 'read_only_set'
    | 'read_only_lifted'
    | 'token_created'
    | 'token_revoked'
    | 'client_connected'
    | 'client_revoked'
    | 'tool_allowed'
    | 'tool_blocked';
  /** `ok`, or the code of the error. */
  outcome: string;
  milliseconds: number;
  /** Number of calls that the row stands for; default 1. */
  count?: number;
  /** Of a decision on a tool of a source: of the definition that the user saw. */
  definitionHash?: string;
}

/** Separates values and marks missing ones: names, codes and ids contain no control characters. */
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
  ({ count }) => count ?? 1,
  ({ decidedSurface }) => decidedSurface,
  ({ clientId }) => clientId,
  ({ definitionHash }) => definitionHash ?? null,
];

/**
 * Inserts rows in one statement, except those of deleted users. It takes no lock that another transaction may hold, so
 * that a user whose row is locked delays no other rows. One text per column: with 128 rows this takes 0.4 ms less than
 * arrays, 0.6 ms less than JSON, and half the processor time here.
 *
 * @returns the deleted users
 */
export async function insertAuditRows(db: Queryable, rows: readonly AuditRow[]): Promise<ReadonlySet<string>> {
  const gone = await db.query<{ id: string }>(
    {
      name: 'audit-insert',
      text: `with given as (
               select * from unnest(${VALUES.map((_, index) => `string_to_array($${index + 1}, ${ARRAY})`).join(', ')})
                 as row (call_id, user_id, surface, action, account_id, arguments_hash, decision, outcome, milliseconds, count,
                   decided_surface, client_id, definition_hash)
             ), gone as (
               select id from (select distinct user_id as id from given) asked where not exists (select 1 from users where users.id = asked.id::uuid)
             ), written as (
               insert into audit_log (call_id, user_id, surface, action, account_id, arguments_hash, decision, outcome, milliseconds, count,
                   decided_surface, client_id, definition_hash)
               select call_id::uuid, user_id::uuid, surface, action, account_id::uuid, decode(arguments_hash, 'hex'), decision, outcome,
                 milliseconds::int, count::int, decided_surface, client_id::uuid, definition_hash
               from given where user_id <> all (array(select id from gone))
             )
             select id from gone`,
    },
    VALUES.map((of) => rows.map((row) => of(row) ?? MISSING).join(SEPARATOR)),
  );
  return new Set(gone.map(({ id }) => id));
}

/** A call that ended a moment ago has its row among so many of the user's. */
const NEWEST = 1_000;

/** Whether a call's row with this decision is there. */
export async function isAuditRowWritten(db: Queryable, { userId, callId, decision }: AuditRow): Promise<boolean> {
  const rows = await db.query(
    `select 1 from (select call_id, decision from audit_log where user_id = $1::uuid order by id desc limit ${NEWEST}) newest
     where call_id = $2::uuid and decision = $3`,
    [userId, callId, decision],
  );
  return rows.length > 0;
}

/**
 * Calls recorded as started within the last `perMs`, and the seconds until the oldest of them no longer counts. Exact while
 * the user is locked.
 */
export async function countStarted(
  tx: Queryable,
  userId: string,
  actions: readonly string[],
  perMs: number,
): Promise<{ calls: number; seconds: number }> {
  const rows = await tx.query<{ calls: number; seconds: number | null }>(
    {
      name: 'audit-count-started',
      text: `select count(*)::int as calls,
                    extract(epoch from min(at) - now())::float8 + $3::float8 / 1000 as seconds
             from audit_log
             where user_id = $1::uuid and action = any($2::text[]) and decision = 'started' and at > now() - $3::float8 * interval '1 millisecond'`,
    },
    [userId, actions, perMs],
  );
  return { calls: rows[0]?.calls ?? 0, seconds: rows[0]?.seconds ?? 0 };
}
