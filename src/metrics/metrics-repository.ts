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

export interface KeyedRows {
  keyId: string;
  userKeys: number;
  revocations: number;
}

export interface WaitingRevocations {
  waiting: number;
  /** Seconds; 0 when none is waiting. */
  oldest: number;
  unconfirmed: number;
}

export interface AttentionRow {
  provider: string;
  status: string;
  accounts: number;
}

export interface QueueRow {
  queue: string;
  /** Jobs waiting to run, retries included. */
  waiting: number;
  /** Seconds that the oldest due job has waited for a worker. */
  overdue: number;
}

/** @returns false on a standby, which responds but is read-only */
export async function acceptsWrites(db: Queryable): Promise<boolean> {
  const text = `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable`;
  const rows = await db.query<{ writable: boolean }>({ name: 'metrics-writable', text, query_timeout: TIMEOUT_MS });
  return rows[0]?.writable === true;
}

/** Rows under each master key in use; a loose index scan finds the keys. */
export async function countKeyedRows(db: Queryable): Promise<KeyedRows[]> {
  const text = `
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
  return db.query<KeyedRows>({ name: 'metrics-keys', text, query_timeout: TIMEOUT_MS });
}

/** Tokens whose revocation is not confirmed, including those that wait for the key service. */
export async function countRevocations(db: Queryable): Promise<WaitingRevocations> {
  const text = `
    /* all users: counts */
    select count(*)::int as waiting, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest,
      (select count(*)::int from (select 1 from revocations where unconfirmed_at is not null limit ${COUNT_MAX}) u) as unconfirmed
    from ((select created_at from revocations where token is not null order by created_at limit ${COUNT_MAX})
      union all (select ended_at from ended_grants order by ended_at limit ${COUNT_MAX})) open`;
  const rows = await db.query<WaitingRevocations>({ name: 'metrics-revocations', text, query_timeout: TIMEOUT_MS });
  return rows[0] ?? { waiting: 0, oldest: 0, unconfirmed: 0 };
}

export interface OpenErasures {
  open: number;
  /** Seconds since the oldest of these deletions; 0 when there is none. */
  oldest: number;
}

/** Deleted users with remaining rows. */
export async function countErasures(db: Queryable): Promise<OpenErasures> {
  const text = `
    /* all users: counts */
    select count(*)::int as open, coalesce(extract(epoch from now() - min(deleted_at)), 0)::float8 as oldest
    from (select deleted_at from erasures where clean_at is null order by deleted_at limit ${COUNT_MAX}) remaining`;
  const rows = await db.query<OpenErasures>({ name: 'metrics-erasures', text, query_timeout: TIMEOUT_MS });
  return rows[0] ?? { open: 0, oldest: 0 };
}

/** Accounts that need their user's attention, by provider and status. */
export async function countAttention(db: Queryable): Promise<AttentionRow[]> {
  const text = `
    /* all users: counts */
    select provider, status, count(*)::int as accounts
    from (select provider, status from grants where status <> 'active' limit ${COUNT_MAX}) inactive
    group by provider, status`;
  return db.query<AttentionRow>({ name: 'metrics-attention', text, query_timeout: TIMEOUT_MS });
}

/** Reads the job queue's own table (pg-boss); empty before its first start. */
export async function countJobs(db: Queryable): Promise<QueueRow[]> {
  const text = `
    select name as queue, count(*)::int as waiting,
      coalesce(extract(epoch from now() - min(start_after) filter (where start_after <= now())), 0)::float8 as overdue
    from (select name, start_after from pgboss.job where state < 'active' limit ${COUNT_MAX}) open
    group by name`;
  try {
    return await db.query<QueueRow>({ name: 'metrics-jobs', text, query_timeout: TIMEOUT_MS });
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}
