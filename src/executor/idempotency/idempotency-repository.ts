import type { Queryable } from '../../database/database.ts';

/** Identifies a call that its caller may repeat. */
export interface KeyName {
  userId: string;
  /** Who called with the key, as the name of a context: no other caller's key is the same. */
  asker: string;
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

/** What claims a key. */
export interface Claim {
  accountId: string;
  argumentsHash: string;
}

/**
 * Claims the key for a run that ends within `runMs`.
 *
 * @param callId only this call can end the run or release the key, and claim it again
 * @returns false when another call has used the key within the last 24 hours
 */
export async function claimKey(
  tx: Queryable,
  name: KeyName,
  callId: string,
  { accountId, argumentsHash }: Claim,
  runMs: number,
): Promise<boolean> {
  const rows = await tx.query(
    `insert into idempotency_keys (user_id, asker, action, key, call_id, arguments_hash, running_until, account_id)
     values ($1::uuid, $2, $3, $4, $5::uuid, decode($6, 'hex'), now() + $7::float8 * interval '1 millisecond', $8::uuid)
     on conflict (user_id, action, key, asker) do update set
       call_id = excluded.call_id, account_id = excluded.account_id, arguments_hash = excluded.arguments_hash, status = 'running', running_until = excluded.running_until,
       answer = null, created_at = now()
       where idempotency_keys.created_at < now() - interval '24 hours' or idempotency_keys.call_id = excluded.call_id
     returning key`,
    [...valuesOf(name), callId, argumentsHash, runMs, accountId],
  );
  return rows.length > 0;
}

/** The key's use within the last 24 hours, if any. */
export async function selectKey(db: Queryable, name: KeyName): Promise<KeyRow | undefined> {
  const rows = await db.query<KeyRow>(
    `select encode(arguments_hash, 'hex') as "argumentsHash", status, answer as result, running_until <= now() as "hasExpired",
            extract(epoch from running_until - now())::float8 as "secondsLeft"
     from idempotency_keys
     where user_id = $1::uuid and asker = $2 and action = $3 and key = $4 and created_at >= now() - interval '24 hours'`,
    valuesOf(name),
  );
  return rows[0];
}

/**
 * Ends a call's run. A result that comes later than the run may take isn't kept.
 *
 * @param result sealed; null: whether the change happened is unknown
 */
export async function finishKey(db: Queryable, name: KeyName, callId: string, result: Buffer | null): Promise<void> {
  await db.query(
    `update idempotency_keys set status = case when $6::bytea is null or running_until <= now() then 'unknown' else 'done' end,
       answer = case when running_until > now() then $6 end
     where user_id = $1::uuid and asker = $2 and action = $3 and key = $4 and call_id = $5::uuid and status = 'running'`,
    [...valuesOf(name), callId, result],
  );
}

/** Makes the key usable again, because the call's run changed nothing. */
export async function releaseKey(db: Queryable, name: KeyName, callId: string): Promise<void> {
  await db.query(
    `delete from idempotency_keys
     where user_id = $1::uuid and asker = $2 and action = $3 and key = $4 and call_id = $5::uuid and status = 'running'`,
    [...valuesOf(name), callId],
  );
}

/**
 * Deletes the results of a caller's calls, or of those about an account, also of those that are still running. Repetitions
 * learn that the outcome isn't known.
 */
export async function forgetResults(tx: Queryable, userId: string, column: 'asker' | 'account_id', value: string): Promise<void> {
  await tx.query(
    `update idempotency_keys set status = case when status = 'running' then status else 'unknown' end, answer = null,
       running_until = least(running_until, now()) where user_id = $1::uuid and ${column} = $2::${column === 'asker' ? 'text' : 'uuid'}`,
    [userId, value],
  );
}

function valuesOf({ userId, asker, action, key }: KeyName): string[] {
  return [userId, asker, action, key];
}
