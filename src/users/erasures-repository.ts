import type { Queryable } from '../database/database.ts';
import { type PartitionedTable, partitionNames } from '../database/partitions.ts';
import { allTables } from '../database/tables.ts';

/** Rows of one statement. Each may be on a page of its own that has to be read from the disk: 1,000 took up to 180 ms. */
export const CHUNK = 250;
/** Calls that were running at the deletion have ended by then and write no further rows. */
const SETTLED = '1 hour';
const LOOK_AGAIN = '10 minutes';
/** Expires before the next run, a minute later. */
const LEASE = '50 seconds';
/** A lost connection must not delay the next poll for long. */
const POLL_TIMEOUT_MS = 2_000;

/** Position in a table; null: its beginning, and always for tables with few rows of a user. */
export type Cursor = string | null;

const AFTER_CURSOR = '($1::uuid, coalesce($2::bigint, -1))';
const LARGEST = '9223372036854775807';

/**
 * Of a table with very many rows of a user. The comparison of pairs makes the planner use the index even with few users, and
 * start after deleted rows.
 *
 * @param id the column after the user in the index
 */
function numbered(table: string, id: string): string {
  return chunk(table, id, `(user_id, ${id}) > ${AFTER_CURSOR} and (user_id, ${id}) <= ($1::uuid, ${LARGEST}) order by user_id, ${id}`);
}

/** Whether locked rows are left of a chunk: $3 is its end. */
function leftOf(table: string, id: string): string {
  const upTo = `($1::uuid, coalesce($3::bigint, ${LARGEST}))`;
  const rows = `select 1 from ${table} where (user_id, ${id}) > ${AFTER_CURSOR} and (user_id, ${id}) <= ${upTo}`;
  // Ordered, which `exists` would ignore: the planner expects a third of all rows, and would read the table from its start.
  return `select count(*) > 0 as "isLeft" from (${rows} order by user_id, ${id} limit 1) as found`;
}

/** The deletion of one chunk: $1 the user, $2 the cursor. Locked rows are skipped. */
function chunk(table: string, place: string, rows: string): string {
  return `/* all users: rows of one user, deleted by where they lie */ with gone as (
            delete from ${table} where ctid = any(array(select ctid from ${table} where ${rows} limit ${CHUNK} for update skip locked))
            returning ${place} as place)
          select count(*)::int as rows, max(place)::text as last from gone`;
}

/** A statement of {@link deleteChunk}. */
export interface Walked {
  /** The table, or one partition of it. */
  table: string;
  text: string;
  /** For tables of which a user may have very many rows: the statement of {@link isChunkLeft}. */
  left?: string;
}

/** The tables whose rows are deleted after the user (src/database/tables.ts), those that refer to others first. */
const WALKED = allTables()
  .toReversed()
  .flatMap(([table, { erased, months }]) =>
    typeof erased === 'object' ? [{ table, isPartitioned: months !== undefined, ...erased }] : [],
  );

/** What rows of a deleted user may be in. */
export async function walkedTables(db: Queryable): Promise<Walked[]> {
  const walked: Walked[] = [];
  for (const { table, isPartitioned, by, unless } of WALKED) {
    if (isPartitioned) {
      const names = await partitionNames(db, table as PartitionedTable);
      walked.push(...names.map((name) => ({ table: name, text: numbered(name, by), left: leftOf(name, by) })));
    } else {
      const rows = `user_id = $1::uuid and $2::bigint is null${unless === undefined ? '' : ` and not ${unless}`} order by ${by}`;
      walked.push({ table, text: chunk(table, 'null::bigint', rows) });
    }
  }
  return walked;
}

/** Deletes some rows of a deleted user. @returns their number, and the cursor for the next chunk */
export async function deleteChunk(
  db: Queryable,
  { table, text }: Walked,
  userId: string,
  after: Cursor,
): Promise<{ rows: number; last: Cursor }> {
  const [gone] = await db.query<{ rows: number; last: Cursor }>({ name: `erase-${table}`, text }, [userId, after]);
  return gone ?? { rows: 0, last: null };
}

/**
 * Whether a chunk has left locked rows. It reads what was just deleted, which marks the entries in the index: a later
 * search from the beginning skips them, where it would otherwise look up each of a million rows.
 *
 * @param after the cursor before the chunk. @param last the one after it; null: the end of the table
 */
export async function isChunkLeft(db: Queryable, { table, left }: Walked, userId: string, after: Cursor, last: Cursor): Promise<boolean> {
  if (left === undefined) return false;
  const [row] = await db.query<{ isLeft: boolean }>({ name: `erase-left-${table}`, text: left }, [userId, after, last]);
  return row?.isLeft === true;
}

/**
 * Leases the deletion that is due longest.
 *
 * @returns the former id of its user; undefined: none is due, or other replicas have leased them
 */
export async function claimErasure(db: Queryable): Promise<string | undefined> {
  const rows = await db.query<{ userId: string }>(
    `/* all users: what is due next */ update erasures set try_after = now() + $1::interval
     where user_id = (select user_id from erasures where try_after <= now() order by try_after limit 1 for no key update skip locked)
     returning user_id as "userId"`,
    [LEASE],
  );
  return rows[0]?.userId;
}

/**
 * Records that all tables were processed.
 *
 * @param isLeft whether locked rows are left in the partitioned ones
 * @returns false if rows are left
 */
export async function noteWalked(db: Queryable, userId: string, isLeft: boolean): Promise<boolean> {
  const left = WALKED.filter(({ isPartitioned }) => !isPartitioned)
    .map(({ table }) => `exists (select 1 from ${table} where user_id = $1::uuid)`)
    .join(' or ');
  const rows = await db.query<{ isClean: boolean }>(
    `update erasures e set
       clean_at = case when not l.is_left then now() end,
       try_after = case when not l.is_left and now() >= deleted_at + $2::interval then 'infinity' else now() + $3::interval end
     from (select $4::boolean or ${left} as is_left) as l where e.user_id = $1::uuid
     returning clean_at is not null as "isClean"`,
    [userId, SETTLED, LOOK_AGAIN, isLeft],
  );
  return rows[0]?.isClean ?? true;
}

/** The next run continues. */
export async function postponeErasure(db: Queryable, userId: string): Promise<void> {
  await db.query('update erasures set try_after = now() where user_id = $1::uuid', [userId]);
}

export interface Deletion {
  /** The former id. */
  userId: string;
  deletedAt: Date;
  /** No rows are left. */
  isClean: boolean;
}

/** Users deleted within the last 30 days, oldest first. */
export async function selectDeletions(db: Queryable): Promise<Deletion[]> {
  return db.query<Deletion>(
    `select user_id as "userId", deleted_at as "deletedAt", clean_at is not null as "isClean" from erasures order by deleted_at, user_id`,
  );
}

/**
 * Users deleted since the last query. Some may be returned again, because a deletion has the time of its transaction's
 * begin and is visible only after its commit.
 *
 * @param since `now` of the last query; undefined: the first query
 */
export async function selectDeletedSince(db: Queryable, since: Date | undefined): Promise<{ now: Date; userIds: string[] }> {
  const rows = await db.query<{ now: Date; userIds: string[] }>(
    {
      name: 'deleted-users',
      query_timeout: POLL_TIMEOUT_MS,
      text: `/* all users: a replica’s poll */ select now() as now, array(
               select user_id::text from erasures
               where deleted_at > coalesce($1::timestamptz, now()) - interval '1 minute'
             ) as "userIds"`,
    },
    [since ?? null],
  );
  return rows[0] ?? { now: new Date(0), userIds: [] };
}
