import type { Queryable } from '../../database/database.ts';

export type RunStatus = 'due' | 'running' | 'waiting' | 'done' | 'failed' | 'skipped' | 'cancelled';

/** How a run may end. */
export type RunEnd = Exclude<RunStatus, 'due' | 'running' | 'waiting'>;

export interface RunRow {
  id: string;
  userId: string;
  automationId: string;
  /** The planned time, or the provider's id and change. */
  occurrence: string;
  status: RunStatus;
  threadId: string | null;
  plannedAt: Date;
  late: boolean;
  startedAt: Date | null;
  endedAt: Date | null;
  /** A code of errors. */
  error: string | null;
}

/** A run on which this replica acts until its lease ends. */
export interface ClaimedRun extends RunRow {
  /** Sealed; null: a schedule. */
  event: Buffer | null;
  isTainted: boolean;
  isFinancial: boolean;
  attempts: number;
  /** The end of the lease, by which the claim is known. */
  actAt: Date;
}

/** A run that has yet to be inserted. */
export interface NewRun {
  id: string;
  automationId: string;
  occurrence: string;
  event: Buffer | null;
  isTainted: boolean;
  isFinancial: boolean;
  plannedAt: Date;
  late: boolean;
}

const COLUMNS = `r.id, r.user_id as "userId", r.automation_id as "automationId", r.occurrence, r.status, r.thread_id as "threadId",
  r.planned_at as "plannedAt", r.late, r.started_at as "startedAt", r.ended_at as "endedAt", r.error`;
const CLAIMED = `${COLUMNS}, r.event, r.is_tainted as "isTainted", r.is_financial as "isFinancial", r.attempts, r.act_at as "actAt"`;

/** What a cursor of the list looks like: the planned time in microseconds, and an id. */
export const CURSOR = /^(\d{1,17})\.([0-9a-f-]{36})$/;

/** The one place where runs begin to exist: the unique key decides which of several findings counts. @returns whether it is new */
export async function insertRun(tx: Queryable, userId: string, run: NewRun, now: Date): Promise<boolean> {
  const rows = await tx.query(
    `insert into automation_runs (user_id, id, automation_id, occurrence, event, is_tainted, is_financial, planned_at, late, act_at)
     values ($1::uuid, $2::uuid, $3::uuid, $4, $5, $6, $7, $8::timestamptz, $9, $10::timestamptz)
     on conflict (user_id, automation_id, occurrence) do nothing returning id`,
    [userId, run.id, run.automationId, run.occurrence, run.event, run.isTainted, run.isFinancial, run.plannedAt, run.late, now],
  );
  return rows.length > 0;
}

/** Whether a replica has anything to plan, to begin or to look at. One look at three small indexes. */
export async function selectWork(db: Queryable, now: Date): Promise<{ toPlan: boolean; toAct: boolean; toLook: boolean }> {
  const rows = await db.query<{ toPlan: boolean; toAct: boolean; toLook: boolean }>(
    {
      name: 'automations-work',
      text: `/* all users: what is due next */ select
               exists (select 1 from automations where due_at <= $1::timestamptz and (planning_until is null or planning_until <= $1::timestamptz)) as "toPlan",
               exists (select 1 from automation_runs where act_at <= $1::timestamptz) as "toAct",
               exists (select 1 from watches where look_after <= $1::timestamptz) as "toLook"`,
    },
    [now],
  );
  return rows[0] ?? { toPlan: false, toAct: false, toLook: false };
}

/** Claims runs on which a replica has to act, those that wait longest first. @param until the lease's end */
export function claimRuns(db: Queryable, { now, until, limit }: { now: Date; until: Date; limit: number }): Promise<ClaimedRun[]> {
  return db.query<ClaimedRun>(
    `/* all users: what is due next */ update automation_runs r set act_at = $2::timestamptz, attempts = attempts + 1
     from (select user_id, id from automation_runs where act_at <= $1::timestamptz order by act_at limit $3::int for update skip locked) as due
     where r.user_id = due.user_id and r.id = due.id returning ${CLAIMED}`,
    [now, until, limit],
  );
}

type Claim = Pick<ClaimedRun, 'userId' | 'id' | 'actAt'>;

/** Begins a claimed run, within the transaction that begins its conversation. @returns false when the claim has ended */
export async function beginRun(tx: Queryable, { userId, id, actAt }: Claim, threadId: string | null, now: Date): Promise<boolean> {
  const rows = await tx.query(
    `update automation_runs set status = 'running', thread_id = $4, started_at = $5::timestamptz, act_at = null, attempts = 0
     where user_id = $1::uuid and id = $2::uuid and status = 'due' and act_at = $3::timestamptz returning id`,
    [userId, id, actAt, threadId, now],
  );
  return rows.length > 0;
}

/** Goes on with a claimed run that waited, within the transaction that does so. @returns false when the claim has ended */
export async function resumeRun(tx: Queryable, { userId, id, actAt }: Claim): Promise<boolean> {
  const rows = await tx.query(
    `update automation_runs set status = 'running', act_at = null, attempts = 0
     where user_id = $1::uuid and id = $2::uuid and status = 'waiting' and act_at = $3::timestamptz returning id`,
    [userId, id, actAt],
  );
  return rows.length > 0;
}

/** When a replica looks at a claimed run again; null: once something happens. Without effect when the claim has ended. */
export async function postponeRun(db: Queryable, { userId, id, actAt }: Claim, at: Date | null): Promise<void> {
  await db.query(
    `update automation_runs set act_at = $4::timestamptz where user_id = $1::uuid and id = $2::uuid and act_at = $3::timestamptz`,
    [userId, id, actAt, at],
  );
}

/** Ends a claimed run. @returns false when the claim has ended */
export async function endClaimed(
  tx: Queryable,
  { userId, id, actAt }: Claim,
  { status, error, now }: { status: RunEnd; error: string | null; now: Date },
): Promise<boolean> {
  const rows = await tx.query(
    `update automation_runs set status = $4, error = $5, started_at = coalesce(started_at, $6::timestamptz), ended_at = $6::timestamptz, act_at = null
     where user_id = $1::uuid and id = $2::uuid and act_at = $3::timestamptz returning id`,
    [userId, id, actAt, status, error, now],
  );
  return rows.length > 0;
}

/** Puts on record how the conversation of a run stands. @returns the run; undefined: it is no run's, or has ended before */
export async function updateOfThread(
  tx: Queryable,
  { userId, threadId }: { userId: string; threadId: string },
  { status, error, now }: { status: RunEnd | 'waiting'; error: string | null; now: Date },
): Promise<RunRow | undefined> {
  const rows = await tx.query<RunRow>(
    `update automation_runs r set status = $3, error = $4,
       ended_at = case when $3 <> 'waiting' then $5::timestamptz end, act_at = case when $3 = 'waiting' then $5::timestamptz end
     where user_id = $1::uuid and thread_id = $2 and status in ('running', 'waiting') returning ${COLUMNS}`,
    [userId, threadId, status, error, now],
  );
  return rows[0];
}

/** Makes a replica look at the run of a conversation in which something was decided. */
export async function wakeRun(tx: Queryable, userId: string, threadId: string, now: Date): Promise<void> {
  await tx.query(`update automation_runs set act_at = $3::timestamptz where user_id = $1::uuid and thread_id = $2 and status = 'waiting'`, [
    userId,
    threadId,
    now,
  ]);
}

/** Runs of an automation that were begun since each of two times: none that was left out for their number. */
export async function countStarted(
  db: Queryable,
  userId: string,
  automationId: string,
  { hour, day }: { hour: Date; day: Date },
): Promise<{ ofHour: number; ofDay: number }> {
  const rows = await db.query<{ ofHour: number; ofDay: number }>(
    `select count(*) filter (where started_at > $3::timestamptz)::int as "ofHour", count(*)::int as "ofDay"
     from automation_runs
     where user_id = $1::uuid and automation_id = $2::uuid and started_at > $4::timestamptz and status <> 'skipped'`,
    [userId, automationId, hour, day],
  );
  return rows[0] ?? { ofHour: 0, ofDay: 0 };
}

/** A page of an automation's runs, the latest first. @param before a cursor */
export function selectRuns(
  db: Queryable,
  userId: string,
  automationId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<(RunRow & { cursor: string })[]> {
  const [, time = null, id = null] = CURSOR.exec(before ?? '') ?? [];
  return db.query(
    `select ${COLUMNS}, (extract(epoch from r.planned_at) * 1000000)::bigint || '.' || r.id as cursor from automation_runs r
     where r.user_id = $1::uuid and r.automation_id = $2::uuid
       and ($4::bigint is null or (r.planned_at, r.id) < (timestamptz 'epoch' + $4::bigint * interval '1 microsecond', $5::uuid))
     order by r.planned_at desc, r.id desc limit $3::int`,
    [userId, automationId, limit, time, id],
  );
}

/** The latest run of each of a user's automations. */
export function selectLatestRuns(db: Queryable, userId: string): Promise<RunRow[]> {
  return db.query<RunRow>(
    `select ${COLUMNS} from automations a cross join lateral (
       select * from automation_runs where user_id = $1::uuid and automation_id = a.id order by planned_at desc, id desc limit 1) r
     where a.user_id = $1::uuid`,
    [userId],
  );
}

/** Runs of an automation beyond those that are kept, at most `limit`; only such that were planned before a time, and have ended. */
export function selectBeyond(
  db: Queryable,
  userId: string,
  automationId: string,
  { kept, before, limit }: { kept: number; before: Date; limit: number },
): Promise<Pick<RunRow, 'id' | 'threadId'>[]> {
  return db.query(
    `select id, thread_id as "threadId" from (
       select id, thread_id, ended_at, planned_at from automation_runs where user_id = $1::uuid and automation_id = $2::uuid
       order by planned_at desc, id desc offset $3::int) as older
     where ended_at is not null and planned_at < $4::timestamptz limit $5::int`,
    [userId, automationId, kept, before, limit],
  );
}

/** Runs of all users that ended before a time. */
export function selectEndedBefore(db: Queryable, before: Date, limit: number): Promise<Pick<RunRow, 'userId' | 'id' | 'threadId'>[]> {
  return db.query(
    `/* all users: retention */ select user_id as "userId", id, thread_id as "threadId" from automation_runs
     where ended_at < $1::timestamptz order by ended_at limit $2::int`,
    [before, limit],
  );
}

/** The conversations of an automation's runs. */
export async function selectThreadIds(db: Queryable, userId: string, automationId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>('select id from threads where user_id = $1::uuid and automation_id = $2::uuid', [
    userId,
    automationId,
  ]);
  return rows.map(({ id }) => id);
}

export async function deleteRun(tx: Queryable, userId: string, id: string): Promise<void> {
  await tx.query('delete from automation_runs where user_id = $1::uuid and id = $2::uuid', [userId, id]);
}
