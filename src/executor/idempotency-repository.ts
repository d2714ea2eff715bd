import type { Database, Queryable } from '../database/database.ts';
import { deleteExpired } from '../database/retention.ts';

/** Identifies a call that a client may repeat. */
export interface KeyName {
  userId: string;
  action: string;
  key: string;
}

export interface KeyRow {
  /** Hexadecimal digits. */
  argumentsHash: string;
  status: 'running' | 'done' | 'unknown';
  /** A run that is still `running` then has crashed. */
  hasExpired: boolean;
  /** Seconds until a running run expires. */
  secondsLeft: number;
  /** Sealed. */
  result: Buffer | null;
}

/**
 * Claims the key for a run that ends within `runMs`.
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
    `select encode(arguments_hash, 'hex') as "argumentsHash", status, answer as result, running_until <= now() as "hasExpired",
            extract(epoch from running_until - now())::float8 as "secondsLeft"
     from idempotency_keys
     where user_id = $1::uuid and action = $2 and key = $3 and created_at >= now() - interval '24 hours'`,
    [userId, action, key],
  );
  return rows[0];
}

/** Ends a run. @param result sealed; null: whether the change happened is unknown */
export async function finishKey(db: Queryable, { userId, action, key }: KeyName, result: Buffer | null): Promise<void> {
  await db.query(
    `update idempotency_keys set status = case when $4::bytea is null then 'unknown' else 'done' end, answer = $4
     where user_id = $1::uuid and action = $2 and key = $3 and status = 'running'`,
    [userId, action, key, result],
  );
}

/** Makes the key usable again, because its run changed nothing. */
export async function releaseKey(db: Queryable, { userId, action, key }: KeyName): Promise<void> {
  await db.query(`delete from idempotency_keys where user_id = $1::uuid and action = $2 and key = $3 and status = 'running'`, [
    userId,
    action,
    key,
  ]);
}

export function deleteOldKeys(db: Database): Promise<void> {
  return deleteExpired(db, 'idempotency_keys', `created_at < now() - interval '24 hours'`);
}
