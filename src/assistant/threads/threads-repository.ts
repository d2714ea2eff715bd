import type { Queryable } from '../../database/database.ts';
import type { RunStatus } from '../runs/runs-repository.ts';

export interface ThreadRow {
  id: string;
  /** Sealed. */
  title: Buffer | null;
  createdAt: Date;
  updatedAt: Date;
  /** Of the last run; null: there was none. */
  status: RunStatus | null;
  /** The position in the list, newest first. */
  cursor: string;
}

/** A run as a front end sees it. */
export interface RunRow {
  id: string;
  status: RunStatus;
  model: string;
  /** Of the assistant's message. */
  messageId: string;
  /** A code of errors. */
  error: string | null;
}

/** SQL: a run's status now. The replica that ran it is gone when its lease has ended. */
const STATUS = `case when r.status = 'running' and r.lease_until < now() then 'interrupted' else r.status end`;
/** SQL: the last run of thread `t`, without those of a deleted thread of the same name. */
const LAST_RUN = `select r.id, ${STATUS} as status, r.model, r.message_id as "messageId", r.error from runs r
  where r.user_id = t.user_id and r.thread_id = t.id and r.started_at >= t.created_at order by r.started_at desc limit 1`;
const COLUMNS = `t.id, t.title, t.created_at as "createdAt", t.updated_at as "updatedAt", l.status,
  (extract(epoch from t.updated_at) * 1000000)::bigint || '.' || t.id as cursor`;

/** What {@link ThreadRow.cursor} looks like. */
export const CURSOR = /^(\d{1,17})\.([A-Za-z0-9_-]{1,64})$/;

/** @returns whether it is new */
export async function insertThread(
  tx: Queryable,
  userId: string,
  id: string,
  title: Buffer,
  automationId: string | null,
): Promise<boolean> {
  const rows = await tx.query(
    'insert into threads (user_id, id, title, automation_id) values ($1::uuid, $2, $3, $4::uuid) on conflict do nothing returning id',
    [userId, id, title, automationId],
  );
  return rows.length > 0;
}

/** Those that the user has begun. */
export async function countThreads(tx: Queryable, userId: string): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    'select count(*)::int as count from threads where user_id = $1::uuid and automation_id is null',
    [userId],
  );
  return rows[0]?.count ?? 0;
}

/** A page of the threads that a user has begun, newest first. @param before a row's cursor; undefined: the first page */
export function selectThreads(db: Queryable, userId: string, before: string | undefined, limit: number): Promise<ThreadRow[]> {
  const [, time = null, id = null] = CURSOR.exec(before ?? '') ?? [];
  const after = `and (t.updated_at, t.id) < (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::text)`;
  return db.query<ThreadRow>(
    `select ${COLUMNS} from threads t left join lateral (${LAST_RUN}) l on true
     where t.user_id = $1::uuid and t.automation_id is null ${time === null ? '' : after} order by t.updated_at desc, t.id desc limit $2::int`,
    time === null ? [userId, limit] : [userId, limit, time, id],
  );
}

export async function selectThread(db: Queryable, userId: string, id: string): Promise<ThreadRow | undefined> {
  const rows = await db.query<ThreadRow>(
    `select ${COLUMNS} from threads t left join lateral (${LAST_RUN}) l on true where t.user_id = $1::uuid and t.id = $2`,
    [userId, id],
  );
  return rows[0];
}

export async function selectLastRun(db: Queryable, userId: string, id: string): Promise<RunRow | undefined> {
  const rows = await db.query<RunRow>(
    `select l.* from threads t join lateral (${LAST_RUN}) l on true where t.user_id = $1::uuid and t.id = $2`,
    [userId, id],
  );
  return rows[0];
}

/** @returns false when the user has no such thread */
export async function updateTitle(tx: Queryable, userId: string, id: string, title: Buffer): Promise<boolean> {
  const rows = await tx.query('update threads set title = $3 where user_id = $1::uuid and id = $2 returning id', [userId, id, title]);
  return rows.length > 0;
}

/** The sealed summary; null: there is none. */
export async function selectSummary(db: Queryable, userId: string, id: string): Promise<Buffer | null> {
  const rows = await db.query<{ summary: Buffer | null }>('select summary from threads where user_id = $1::uuid and id = $2', [userId, id]);
  return rows[0]?.summary ?? null;
}

/** @param summary null: none */
export async function updateSummary(tx: Queryable, userId: string, id: string, summary: Buffer | null): Promise<void> {
  await tx.query('update threads set summary = $3 where user_id = $1::uuid and id = $2', [userId, id, summary]);
}

/** Moves the thread to the top of the list. @returns false when the user has no such thread */
export async function touchThread(tx: Queryable, userId: string, id: string): Promise<boolean> {
  const rows = await tx.query('update threads set updated_at = now() where user_id = $1::uuid and id = $2 returning id', [userId, id]);
  return rows.length > 0;
}

/** Deletes a thread with its messages, and what its runs have sent. @returns false when the user has no such thread */
export async function deleteThread(tx: Queryable, userId: string, id: string): Promise<boolean> {
  const rows = await tx.query('delete from threads where user_id = $1::uuid and id = $2 returning id', [userId, id]);
  if (rows.length === 0) return false;
  await tx.query(
    `delete from run_chunks where user_id = $1::uuid
       and run_id = any(array(select id from runs where user_id = $1::uuid and thread_id = $2))`,
    [userId, id],
  );
  return true;
}
