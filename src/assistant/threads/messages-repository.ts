import type { Queryable } from '../../database/database.ts';

export interface MessageRow {
  id: string;
  /** In the thread, from 1. */
  position: number;
  role: 'user' | 'assistant';
  /** Sealed. */
  content: Buffer;
  createdAt: Date;
}

export type NewMessage = Pick<MessageRow, 'id' | 'role' | 'content'>;

/** What a thread holds. */
export interface ThreadSize {
  messages: number;
  /** Of their sealed contents. */
  bytes: number;
}

export async function selectThreadSize(tx: Queryable, userId: string, threadId: string): Promise<ThreadSize> {
  const rows = await tx.query<ThreadSize>(
    `select count(*)::int as messages, coalesce(sum(length(content)), 0)::float8 as bytes
     from messages where user_id = $1::uuid and thread_id = $2`,
    [userId, threadId],
  );
  return rows[0] ?? { messages: 0, bytes: 0 };
}

/** Inserts the last message of a thread. The caller has locked the user. @returns its position; undefined when there is one with its id */
export async function insertMessage(tx: Queryable, userId: string, threadId: string, message: NewMessage): Promise<number | undefined> {
  const { id, role, content } = message;
  const rows = await tx.query<{ position: number }>(
    `insert into messages (user_id, thread_id, id, position, role, content)
     select $1::uuid, $2, $3, coalesce(max(position), 0) + 1, $4, $5 from messages where user_id = $1::uuid and thread_id = $2
     on conflict (user_id, thread_id, id) do nothing returning position`,
    [userId, threadId, id, role, content],
  );
  return rows[0]?.position;
}

/** @returns false when there is no such message */
export async function updateMessage(tx: Queryable, userId: string, threadId: string, { id, role, content }: NewMessage): Promise<boolean> {
  const rows = await tx.query(
    'update messages set content = $5 where user_id = $1::uuid and thread_id = $2 and id = $3 and role = $4 returning id',
    [userId, threadId, id, role, content],
  );
  return rows.length > 0;
}

/** The messages of a thread, oldest first. */
export function selectMessages(db: Queryable, userId: string, threadId: string): Promise<MessageRow[]> {
  return db.query<MessageRow>(
    `select id, position, role, content, created_at as "createdAt" from messages
     where user_id = $1::uuid and thread_id = $2 order by position`,
    [userId, threadId],
  );
}

/** Deletes the messages after one. @returns its position; undefined when there is no such message */
export async function deleteMessagesAfter(tx: Queryable, userId: string, threadId: string, id: string): Promise<number | undefined> {
  const rows = await tx.query<{ position: number }>(
    'select position from messages where user_id = $1::uuid and thread_id = $2 and id = $3',
    [userId, threadId, id],
  );
  const [last] = rows;
  if (last === undefined) return undefined;
  await tx.query('delete from messages where user_id = $1::uuid and thread_id = $2 and position > $3::int', [
    userId,
    threadId,
    last.position,
  ]);
  return last.position;
}
