import type { Queryable } from '../database/database.ts';

export interface UserKeyRow {
  id: string;
  masterKeyId: string;
  wrapped: Buffer;
}

export async function selectUserKey(db: Queryable, userId: string): Promise<UserKeyRow | undefined> {
  const rows = await db.query<UserKeyRow>(`select id, master_key_id as "masterKeyId", wrapped from user_keys where user_id = $1::uuid`, [
    userId,
  ]);
  return rows[0];
}

/** Inserts unless another request was first; the caller reads again either way. */
export async function insertUserKey(db: Queryable, userId: string, key: UserKeyRow): Promise<void> {
  await db.query(
    `insert into user_keys (id, user_id, master_key_id, wrapped) values ($1::uuid, $2::uuid, $3, $4)
     on conflict (user_id) do nothing`,
    [key.id, userId, key.masterKeyId, key.wrapped],
  );
}

/** Ids of all master keys that some row needs. */
export async function selectMasterKeyIdsInUse(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select master_key_id as id from user_keys
     union
     select master_key_id from revocations where master_key_id is not null`,
  );
  return rows.map((row) => row.id);
}

export async function selectCanary(db: Queryable, masterKeyId: string): Promise<Buffer | undefined> {
  const rows = await db.query<{ sealed: Buffer }>('select sealed from key_canaries where master_key_id = $1', [masterKeyId]);
  return rows[0]?.sealed;
}

export async function insertCanary(db: Queryable, masterKeyId: string, sealed: Buffer): Promise<void> {
  await db.query('insert into key_canaries (master_key_id, sealed) values ($1, $2) on conflict (master_key_id) do nothing', [
    masterKeyId,
    sealed,
  ]);
}
