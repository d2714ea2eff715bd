import type { Database, Queryable } from '../database/database.ts';
import { sqlState } from '../database/database-errors.ts';

/** Counts stop here, so that a scrape never reads a whole table. */
export const COUNT_MAX = 10_000;
const KEYED_MAX = 100_000;
/** Of each tool. */
const HELD_MAX = 250;
/** Fewer may be a server that restarts. */
const LIST_FAILURES_MAX = 3;
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

/**
 * Tools that are held, by source and by who decides ({@link stateOf} in SQL), of connections whose tools can be read: what is stored
 * of others may not be what their servers list by now. Whatever the planner expects, only held tools are looked at, by their indexes.
 */
const HELD = `
  /* all users: counts */
  select file.source, case when file.hash is null then 'user' else 'operator' end as "decidedBy", count(*)::int as tools
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as file (source, url, tool, hash) cross join lateral (
    (select user_id, account_id from source_tools
      where source = file.source and tool = file.tool and file.hash is null
        and listed_hash is not null and listed_hash is distinct from approved_hash and not is_blocked limit ${HELD_MAX})
    union all
    (select user_id, account_id from source_tools
      where source = file.source and tool = file.tool and listed_hash > '' and (listed_hash < file.hash or listed_hash > file.hash)
      limit ${HELD_MAX})) held
  where (select g.status = 'active' and a.url = file.url and a.list_failures < ${LIST_FAILURES_MAX}
    from source_accounts a join grants g on g.user_id = a.user_id and g.id = a.grant_id
    where a.user_id = held.user_id and a.id = held.account_id)
  group by 1, 2`;

/** A tool that the integrations file lists. */
export interface FileToolRow {
  source: string;
  /** Address of the source. */
  url: string;
  tool: string;
  /** Of the definition that the operator pins; null: users decide. */
  hash: string | null;
}

/** @returns false on a standby, which responds but is read-only */
export async function acceptsWrites(db: Queryable): Promise<boolean> {
  const text = `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable`;
  const [row] = await count<{ writable: boolean }>(db, 'writable', text);
  return row?.writable === true;
}

/**
 * Ages are in seconds, 0 without a row. Sequentially, since the embedded database has one connection.
 *
 * @param fileTools those of sources
 */
export async function countRows(db: Pick<Database, 'query' | 'transaction'>, fileTools: readonly FileToolRow[]) {
  const keyed = await count<{ keyId: string; userKeys: number; revocations: number }>(db, 'keys', KEYED);
  const [revocations] = await count<{ waiting: number; oldest: number; unconfirmed: number }>(db, 'revocations', REVOCATIONS);
  const [erasures] = await count<{ open: number; oldest: number }>(db, 'erasures', ERASURES);
  const attention = await count<{ provider: string; status: string; accounts: number }>(db, 'attention', ATTENTION);
  const jobs = await count<{ queue: string; waiting: number; overdue: number }>(db, 'jobs', JOBS).catch((error: unknown) => {
    // Before the first start of the queue.
    if (sqlState(error) === UNDEFINED_TABLE) return [];
    throw error;
  });
  const held = fileTools.length === 0 ? [] : await countHeld(db, fileTools);
  return { keyed, revocations, erasures, attention, jobs, held };
}

function countHeld(
  db: Pick<Database, 'transaction'>,
  tools: readonly FileToolRow[],
): Promise<{ source: string; decidedBy: string; tools: number }[]> {
  const columns = [tools.map(({ source }) => source), tools.map(({ url }) => url), tools.map(({ tool }) => tool)];
  return db.transaction(async (tx) => {
    // The planner expects many held tools, and compiling for them takes longer than finding the few that there are.
    await tx.query('set local jit = off');
    return count(tx, 'held', HELD, [...columns, tools.map(({ hash }) => hash)]);
  });
}

/** One of the statements of a scrape. @param name without the prefix of its kind */
export function count<Row extends object>(db: Queryable, name: string, text: string, values: unknown[] = []): Promise<Row[]> {
  return db.query<Row>({ name: `metrics-${name}`, text, query_timeout: TIMEOUT_MS }, values);
}
