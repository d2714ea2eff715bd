import type { Database, Queryable } from '../../database/database.ts';

export type RunStatus = 'running' | 'done' | 'awaiting_approval' | 'interrupted' | 'cancelled' | 'failed';

/** A run that someone may read. */
export interface StoredRun {
  id: string;
  userId: string;
  threadId: string;
  /** Of the assistant's message. */
  messageId: string;
  model: string;
  status: RunStatus;
  /** Its replica has not renewed the lease in time. */
  isAbandoned: boolean;
}

/** What a run has used so far. */
export interface Usage {
  steps: number;
  inputTokens: number;
  outputTokens: number;
  /** In the currency of the configured prices. */
  cost: number;
}

/** What the runs of a user have used since midnight (UTC). */
export interface DayUsage {
  /** `2026-11-25`. */
  day: string;
  runs: number;
  steps: number;
  tokens: number;
  seconds: number;
  cost: number;
}

const ABANDONED = `(status = 'running' and lease_until < now())`;
const COLUMNS = `id, user_id as "userId", thread_id as "threadId", message_id as "messageId", model, status, ${ABANDONED} as "isAbandoned"`;
const MIDNIGHT = `date_trunc('day', now() at time zone 'utc') at time zone 'utc'`;

/** @returns false when a run of the thread is running */
export async function insertRun(
  tx: Queryable,
  { id, userId, threadId, messageId, model }: Omit<StoredRun, 'status' | 'isAbandoned'>,
  leaseMs: number,
): Promise<boolean> {
  const rows = await tx.query(
    `insert into runs (id, user_id, thread_id, message_id, model, lease_until)
     values ($1::uuid, $2::uuid, $3, $4, $5, now() + $6::int * interval '1 ms')
     on conflict (user_id, thread_id) where status = 'running' do nothing returning id`,
    [id, userId, threadId, messageId, model, leaseMs],
  );
  return rows.length > 0;
}

/** How many runs of a user are running. */
export async function countRunning(tx: Queryable, userId: string): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    `select count(*)::int as count from runs where user_id = $1::uuid and status = 'running' and lease_until >= now()`,
    [userId],
  );
  return rows[0]?.count ?? 0;
}

/** The last run of a thread that is running or has ended within some time. */
export async function selectReadableRun(
  db: Queryable,
  userId: string,
  threadId: string,
  endedSeconds: number,
): Promise<StoredRun | undefined> {
  const rows = await db.query<StoredRun>(
    `select ${COLUMNS} from (
       select r.* from runs r join threads t on t.user_id = r.user_id and t.id = r.thread_id and r.started_at >= t.created_at
       where r.user_id = $1::uuid and r.thread_id = $2 order by r.started_at desc limit 1
     ) as last where status = 'running' or ended_at > now() - $3::int * interval '1 second'`,
    [userId, threadId, endedSeconds],
  );
  return rows[0];
}

/** The present status of a run; undefined: it is gone with its user. */
export async function selectRun(db: Queryable, userId: string, id: string): Promise<StoredRun | undefined> {
  const rows = await db.query<StoredRun>(`select ${COLUMNS} from runs where user_id = $1::uuid and id = $2::uuid`, [userId, id]);
  return rows[0];
}

/** Runs whose replica is gone. @param of only this thread's */
export function selectAbandoned(db: Queryable, limit: number, of: { userId: string; threadId: string } | undefined): Promise<StoredRun[]> {
  return db.query<StoredRun>(
    `/* all users: what is due next */ select ${COLUMNS} from runs where ${ABANDONED}
       and ($2::uuid is null or (user_id = $2::uuid and thread_id = $3)) order by lease_until limit $1::int`,
    [limit, of?.userId ?? null, of?.threadId ?? null],
  );
}

/** Runs that are this replica's still; `cancelled`: someone has asked to stop it. */
export type RunName = Pick<StoredRun, 'id' | 'userId'>;

export interface Lease {
  id: string;
  cancelled: boolean;
}

/** Renews the leases of running runs whose user exists. Others are not returned, nor those whose lease has ended: they count as interrupted. */
export function renewLeases(db: Database, runs: readonly RunName[], leaseMs: number): Promise<Lease[]> {
  return db.query<Lease>(
    {
      name: 'renew-runs',
      text: `update runs set lease_until = now() + $3::int * interval '1 ms'
             where id = any($1::uuid[]) and user_id = any($2::uuid[]) and status = 'running' and lease_until >= now()
               and exists (select 1 from users where users.id = runs.user_id)
             returning id, cancel_requested as cancelled`,
    },
    [runs.map(({ id }) => id), runs.map(({ userId }) => userId), leaseMs],
  );
}

/** @returns false when the run isn't running any more */
export async function updateUsage(
  db: Queryable,
  { userId, id }: RunName,
  { steps, inputTokens, outputTokens, cost }: Usage,
): Promise<boolean> {
  const rows = await db.query(
    `update runs set steps = $3::int, input_tokens = $4::bigint, output_tokens = $5::bigint, cost = $6::float8
     where user_id = $1::uuid and id = $2::uuid and status = 'running' returning id`,
    [userId, id, steps, inputTokens, outputTokens, cost],
  );
  return rows.length > 0;
}

/** Ends a run. @param error a code of errors. @returns false when it isn't running any more */
export async function endRun(tx: Queryable, { userId, id }: RunName, status: RunStatus, error: string | null): Promise<boolean> {
  const rows = await tx.query(
    `update runs set status = $3, error = $4, ended_at = now()
     where user_id = $1::uuid and id = $2::uuid and status = 'running' returning id`,
    [userId, id, status, error],
  );
  return rows.length > 0;
}

/** Locks a run whose replica is gone. @returns false when it isn't such a run any more */
export async function lockAbandoned(tx: Queryable, userId: string, id: string): Promise<boolean> {
  const rows = await tx.query(`select id from runs where user_id = $1::uuid and id = $2::uuid and ${ABANDONED} for no key update`, [
    userId,
    id,
  ]);
  return rows.length > 0;
}

/** Ends a run that {@link lockAbandoned} has locked. */
export async function endAbandoned(tx: Queryable, userId: string, id: string): Promise<void> {
  await tx.query(`update runs set status = 'interrupted', ended_at = now() where user_id = $1::uuid and id = $2::uuid`, [userId, id]);
}

/**
 * Asks the replica that runs it to stop the run of a thread.
 *
 * @param runId only this one; undefined: whichever it is
 * @returns its id; undefined when it is not running
 */
export async function requestStop(db: Queryable, userId: string, threadId: string, runId?: string): Promise<string | undefined> {
  const rows = await db.query<{ id: string }>(
    `update runs set cancel_requested = true
     where user_id = $1::uuid and thread_id = $2 and status = 'running' and ($3::uuid is null or id = $3::uuid) returning id`,
    [userId, threadId, runId ?? null],
  );
  return rows[0]?.id;
}

/** What a user's runs of today have used. */
export async function selectDayUsage(db: Queryable, userId: string): Promise<DayUsage> {
  const rows = await db.query<DayUsage>(
    `select to_char(now() at time zone 'utc', 'YYYY-MM-DD') as day, count(*)::int as runs, coalesce(sum(steps), 0)::int as steps,
       coalesce(sum(input_tokens + output_tokens), 0)::float8 as tokens, coalesce(sum(cost), 0)::float8 as cost,
       coalesce(sum(extract(epoch from coalesce(ended_at, least(lease_until, now())) - started_at)), 0)::float8 as seconds
     from runs where user_id = $1::uuid and started_at >= ${MIDNIGHT}`,
    [userId],
  );
  return rows[0] as DayUsage;
}

/** What all runs of a thread have used. */
export async function selectThreadUsage(db: Queryable, userId: string, threadId: string): Promise<Usage> {
  const rows = await db.query<Usage>(
    `select coalesce(sum(steps), 0)::int as steps, coalesce(sum(input_tokens), 0)::float8 as "inputTokens",
       coalesce(sum(output_tokens), 0)::float8 as "outputTokens", coalesce(sum(cost), 0)::float8 as cost
     from runs where user_id = $1::uuid and thread_id = $2`,
    [userId, threadId],
  );
  return rows[0] as Usage;
}

/** Seconds until midnight (UTC), at least 1. */
export function secondsOfDayLeft(now: number): number {
  const day = 86_400_000;
  return Math.max(1, Math.ceil((day - (now % day)) / 1000));
}
