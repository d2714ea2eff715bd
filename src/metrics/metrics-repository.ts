import type { Queryable } from '../database/database.ts';
import { sqlState } from '../database/database-errors.ts';

/** Counts stop here, so that a scrape never reads a whole table. */
const COUNT_MAX = 10_000;
const KEYED_MAX = 100_000;
/** More than are ever in use. With a higher limit the planner's cost estimate triggers JIT compilation. */
const KEYS_MAX = 25;
/** Shorter than a scrape's timeout. */
const TIMEOUT_MS = 3_000;
const UNDEFINED_TABLE = '42P01';

/** Rows under each master key in use; a loose index scan finds the keys. */
const KEYED = `
  /* all users: counts */
  with recursive ids (id) as (
    (select least((select min(master_key_id) from user_keys), (select min(master_key_id) from revocations)))
    union all
    select least((select min(master_key_id) from user_keys where master_key_id > ids.id),
                 (select min(master_key_id) from revocations where master_key_id > ids.id))
    from ids where ids.id is not null)
  select id as "keyId",
    (select count(*)::int from (select 1 from user_keys where master_key_id = ids.id limit ${KEYED_MAX}) u) as "userKeys",
    (select count(*)::int from (select 1 from revocations where master_key_id = ids.id limit ${KEYED_MAX}) r) as revocations
  from ids where id is not null limit ${KEYS_MAX}`;

/** Tokens whose revocation is not confirmed, including those that wait for the key service. */
const REVOCATIONS = `
  /* all users: counts */
  select count(*)::int as waiting, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest,
    (select count(*)::int from (select 1 from revocations where unconfirmed_at is not null limit ${COUNT_MAX}) u) as unconfirmed
  from ((select created_at from revocations where token is not null order by created_at limit ${COUNT_MAX})
    union all (select ended_at from ended_grants order by ended_at limit ${COUNT_MAX})) open`;

/** Deleted users with remaining rows. */
const ERASURES = `
  /* all users: counts */
  select count(*)::int as open, coalesce(extract(epoch from now() - min(deleted_at)), 0)::float8 as oldest
  from (select deleted_at from erasures where clean_at is null order by deleted_at limit ${COUNT_MAX}) remaining`;

/** Accounts that need their user's attention, by provider and status. */
const ATTENTION = `
  /* all users: counts */
  select provider, status, count(*)::int as accounts
  from (select provider, status from grants where status <> 'active' limit ${COUNT_MAX}) inactive
  group by provider, status`;

/** Jobs waiting to run, retries included, and how long the oldest due one has waited for a worker: the queue's own table (pg-boss). */
const JOBS = `
  select name as queue, count(*)::int as waiting,
    coalesce(extract(epoch from now() - min(start_after) filter (where start_after <= now())), 0)::float8 as overdue
  from (select name, start_after from pgboss.job where state < 'active' limit ${COUNT_MAX}) open
  group by name`;

/** @returns false on a standby, which responds but is read-only */
export async function acceptsWrites(db: Queryable): Promise<boolean> {
  const text = `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable`;
  const [row] = await count<{ writable: boolean }>(db, 'writable', text);
  return row?.writable === true;
}

/** Ages are in seconds, 0 without a row. Sequentially, since the embedded database has one connection. */
export async function countRows(db: Queryable) {
  const keyed = await count<{ keyId: string; userKeys: number; revocations: number }>(db, 'keys', KEYED);
  const [revocations] = await count<{ waiting: number; oldest: number; unconfirmed: number }>(db, 'revocations', REVOCATIONS);
  const [erasures] = await count<{ open: number; oldest: number }>(db, 'erasures', ERASURES);
  const attention = await count<{ provider: string; status: string; accounts: number }>(db, 'attention', ATTENTION);
  const jobs = await count<{ queue: string; waiting: number; overdue: number }>(db, 'jobs', JOBS).catch((error: unknown) => {
    // Before the first start of the queue.
    if (sqlState(error) === UNDEFINED_TABLE) return [];
    throw error;
  });
  return { keyed, revocations, erasures, attention, jobs };
}

function count<Row extends object>(db: Queryable, name: string, text: string): Promise<Row[]> {
  return db.query<Row>({ name: `metrics-${name}`, text, query_timeout: TIMEOUT_MS });
}
