import type { Queryable } from '../../database/database.ts';

export interface PushKeyRow {
  publicKey: string;
  /** Encrypted with a key of the service. */
  privateKey: Buffer;
}

export async function selectPushKey(db: Queryable): Promise<PushKeyRow | undefined> {
  const rows = await db.query<PushKeyRow>('select public_key as "publicKey", private_key as "privateKey" from push_keys where id = 1');
  return rows[0];
}

/** Stores the one key, unless another process was first. */
export async function insertPushKey(db: Queryable, { publicKey, privateKey }: PushKeyRow): Promise<void> {
  await db.query('insert into push_keys (public_key, private_key) values ($1, $2) on conflict (id) do nothing', [publicKey, privateKey]);
}
