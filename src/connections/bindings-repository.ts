import type { Queryable } from '../database/database.ts';

/** Binds a browser to a user for `lifeSeconds` from now. */
export async function upsertBinding(db: Queryable, secretHash: Buffer, userId: string, lifeSeconds: number): Promise<void> {
  await db.query(
    `insert into browser_bindings (secret_hash, user_id, expires_at) values ($1, $2::uuid, now() + make_interval(secs => $3))
     on conflict (user_id, secret_hash) do update set expires_at = excluded.expires_at`,
    [secretHash, userId, lifeSeconds],
  );
}

/** Whether the browser with this secret is bound to the user. */
export async function isBound(db: Queryable, secretHash: Buffer, userId: string): Promise<boolean> {
  const rows = await db.query('select 1 from browser_bindings where secret_hash = $1 and user_id = $2::uuid and expires_at > now()', [
    secretHash,
    userId,
  ]);
  return rows.length > 0;
}
