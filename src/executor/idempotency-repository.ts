import type { Queryable } from '../database/database.ts';
import { deleteExpired } from '../database/retention.ts';

/** Names a call that a client may repeat. */
export interface KeyName {
  userId: string;
  action: string;
  key: string;
}

export interface KeyRow {
  /** Hexadecimal digits. */
  argumentsHash: string;
  status: 'running' | 'done' | 'unknown';
  /** A run that is still `running` beyond its time died in the middle. */
  died: boolean;
  /** Seconds until a run that still runs must have ended. */
  secondsLeft: number;
  /** Sealed. */
  answer: Buffer | null;
}

/**
 * Takes the key for a run that ends within `runMs`.
 *
 * @returns false when the key has been used within the last 24 hours
 */
export async function claimKey(tx: Queryable, { userId, action, key }: KeyName, argumentsHash: string, runMs: number): Promise<boolean> {
  const rows = await tx.query(
    `insert into idempotency_keys (user_id, action, key, arguments_hash, running_until)
     values ($1::uuid, $2, $3, decode($4, 'hex'), now() + $5::float8 * interval '1 millisecond')
     on conflict (user_id, action, key) do update set
       arguments_hash = excluded.arguments_hash, status = 'running', running_until = excluded.running_until, answer = null, created_at = now()
       where idempotency_keys.created_at < now() - interval '24 hours'
     returning key`,
    [userId, action, key, argumentsHash, runMs],
  );
  return rows.length > 0;
}

/** The key's use within the last 24 hours, if any. */
export async function selectKey(db: Queryable, { userId, action, key }: KeyName): Promise<KeyRow | undefined> {
  const rows = await db.query<KeyRow>(
    `select encode(arguments_hash, 'hex') as "argumentsHash", status, answer, running_until <= now() as died,
            extract(epoch from running_until - now())::float8 as "secondsLeft"
     from idempotency_keys
     where user_id = $1::uuid and action = $2 and key = $3 and created_at >= now() - interval '24 hours'`,
    [userId, action, key],
  );
  return rows[0];
}

/** Ends a run: its sealed answer, or null where nobody knows what became of it. */
export async function finishKey(db: Queryable, { userId, action, key }: KeyName, answer: Buffer | null): Promise<void> {
  await db.query(
    `update idempotency_keys set status = case when $4::bytea is null then 'unknown' else 'done' end, answer = $4
     where user_id = $1::uuid and action = $2 and key = $3 and status = 'running'`,
    [userId, action, key, answer],
  );
}

/** Lets the key be used again: its run changed nothing. */
export async function freeKey(db: Queryable, { userId, action, key }: KeyName): Promise<void> {
  await db.query(`delete from idempotency_keys where user_id = $1::uuid and action = $2 and key = $3 and status = 'running'`, [
    userId,
    action,
    key,
  ]);
}

export function deleteOldKeys(db: Queryable): Promise<void> {
  return deleteExpired(db, 'idempotency_keys', `created_at < now() - interval '24 hours'`);
}
