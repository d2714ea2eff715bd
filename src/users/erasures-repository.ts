import type { Queryable } from '../database/database.ts';
import { deleteExpired } from '../database/retention.ts';

/** Rows of one statement. */
export const CHUNK = 1_000;
/** A call that was under way at the deletion has ended by then, and with it what it may still write. */
const SETTLED = '1 hour';
const LOOK_AGAIN = '10 minutes';
/** Over by the next minute's run. */
const LEASE = '50 seconds';
/** A connection that died without a word must not keep the news for long. */
const POLL_TIMEOUT_MS = 2_000;
/** As long as deletions are remembered. */
const KEPT = '30 days';

/** Where a walk through a table has come to; null = its beginning, and always where there can't be many rows. */
export type Cursor = string | null;

/**
 * What a user can have any number of, and the deletion of one chunk of it: $1 the user, $2 the cursor. What somebody
 * else has locked is passed over. Compared as pairs, rows are found by the index however few users the planner knows,
 * and those that are gone already are not passed again.
 */
const WALKED = {
  audit_log: chunk(
    'audit_log',
    'id',
    '(user_id, id) > ($1::uuid, coalesce($2::bigint, -1)) and (user_id, id) <= ($1::uuid, 9223372036854775807) order by user_id, id',
  ),
  events: chunk(
    'events',
    'seq',
    '(user_id, seq) > ($1::uuid, coalesce($2::bigint, -1)) and (user_id, seq) <= ($1::uuid, 9223372036854775807) order by user_id, seq',
  ),
  approvals: chunk('approvals', 'null::bigint', 'user_id = $1::uuid and $2::bigint is null order by created_at'),
  idempotency_keys: chunk('idempotency_keys', 'null::bigint', 'user_id = $1::uuid and $2::bigint is null order by action, key'),
} as const;

function chunk(table: string, place: string, rows: string): string {
  return `with gone as (
            delete from ${table} where ctid = any(array(select ctid from ${table} where ${rows} limit ${CHUNK} for update skip locked))
            returning ${place} as place)
          select count(*)::int as rows, max(place)::text as last from gone`;
}

export type WalkedTable = keyof typeof WALKED;
export const WALKED_TABLES = Object.keys(WALKED) as WalkedTable[];

/** Deletes some rows of a deleted user. @returns how many, and where to go on */
export async function deleteChunk(
  db: Queryable,
  table: WalkedTable,
  userId: string,
  after: Cursor,
): Promise<{ rows: number; last: Cursor }> {
  const [gone] = await db.query<{ rows: number; last: Cursor }>({ name: `erase-${table}`, text: WALKED[table] }, [userId, after]);
  return gone ?? { rows: 0, last: null };
}

/**
 * Takes the deletion that is due longest.
 *
 * @returns its user's former id; undefined = none is due, or others have them
 */
export async function claimErasure(db: Queryable): Promise<string | undefined> {
  const rows = await db.query<{ userId: string }>(
    `update erasures set try_after = now() + $1::interval
     where user_id = (select user_id from erasures where try_after <= now() order by try_after limit 1 for no key update skip locked)
     returning user_id as "userId"`,
    [LEASE],
  );
  return rows[0]?.userId;
}

/** Notes that a walk has come to its end. @returns whether nothing is left: what was locked is */
export async function noteWalked(db: Queryable, userId: string): Promise<boolean> {
  const left = WALKED_TABLES.map((table) => `exists (select 1 from ${table} where user_id = $1::uuid)`).join(' or ');
  const rows = await db.query<{ isClean: boolean }>(
    `update erasures e set
       clean_at = case when not l.is_left then now() end,
       try_after = case when not l.is_left and now() >= deleted_at + $2::interval then 'infinity' else now() + $3::interval end
     from (select ${left} as is_left) as l where e.user_id = $1::uuid
     returning clean_at is not null as "isClean"`,
    [userId, SETTLED, LOOK_AGAIN],
  );
  return rows[0]?.isClean ?? true;
}

/** The walk goes on with the next run. */
export async function postponeErasure(db: Queryable, userId: string): Promise<void> {
  await db.query('update erasures set try_after = now() where user_id = $1::uuid', [userId]);
}

export interface Deletion {
  /** The former id. */
  userId: string;
  deletedAt: Date;
  /** Nothing is left. */
  isClean: boolean;
}

/** Users deleted within the last 30 days, oldest first. */
export async function selectDeletions(db: Queryable): Promise<Deletion[]> {
  return db.query<Deletion>(
    `select user_id as "userId", deleted_at as "deletedAt", clean_at is not null as "isClean" from erasures order by deleted_at, user_id`,
  );
}

/**
 * Users deleted since the last look, some of them seen before: a deletion counts from its transaction's begin and
 * shows only after its end.
 *
 * @param since by the database's clock, as the last look returned it; undefined = the first one
 */
export async function selectDeletedSince(db: Queryable, since: Date | undefined): Promise<{ now: Date; userIds: string[] }> {
  const rows = await db.query<{ now: Date; userIds: string[] }>(
    {
      name: 'deleted-users',
      query_timeout: POLL_TIMEOUT_MS,
      text: `select now() as now, array(
               select user_id::text from erasures
               where deleted_at > coalesce($1::timestamptz, now()) - interval '1 minute'
             ) as "userIds"`,
    },
    [since ?? null],
  );
  return rows[0] ?? { now: new Date(0), userIds: [] };
}

/** Forgets deletions of which nothing is left to do. */
export function deleteOldErasures(db: Queryable): Promise<void> {
  return deleteExpired(db, 'erasures', `deleted_at < now() - interval '${KEPT}' and clean_at is not null`);
}
