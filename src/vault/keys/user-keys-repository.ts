import type { Queryable } from '../../database/database.ts';

export interface UserKeyRow {
  id: string;
  masterKeyId: string;
  wrapped: Buffer;
}

/** The key that new secrets of a user are encrypted with. */
export interface CurrentKeyRow extends UserKeyRow {
  /** Encrypted with this key; null: the key for hashes is derived from this key. */
  hashKey: Buffer | null;
}

const COLUMNS = 'id, master_key_id as "masterKeyId", wrapped';

export async function selectUserKey(db: Queryable, userId: string): Promise<CurrentKeyRow | undefined> {
  const rows = await db.query<CurrentKeyRow>(`select ${COLUMNS}, hash_key as "hashKey" from user_keys where user_id = $1::uuid`, [userId]);
  return rows[0];
}

/** A user's current or replaced key. @param keyId as a record claims it */
export async function selectUserKeyById(db: Queryable, userId: string, keyId: string): Promise<UserKeyRow | undefined> {
  const rows = await db.query<UserKeyRow>(
    `select ${COLUMNS} from user_keys where user_id = $1::uuid and id::text = $2
     union all
     select ${COLUMNS} from former_user_keys where user_id = $1::uuid and id::text = $2`,
    [userId, keyId],
  );
  return rows[0];
}

/** All of the user's keys: the current one, and replaced ones that are not deleted yet. */
export function selectUserKeys(db: Queryable, userId: string): Promise<UserKeyRow[]> {
  return db.query<UserKeyRow>(
    `select ${COLUMNS} from user_keys where user_id = $1::uuid
     union all
     select ${COLUMNS} from former_user_keys where user_id = $1::uuid`,
    [userId],
  );
}

/** Inserts the key unless another request was first. The caller reads again either way. */
export async function insertUserKey(db: Queryable, userId: string, key: UserKeyRow): Promise<void> {
  await db.query(
    `insert into user_keys (id, user_id, master_key_id, wrapped) values ($1::uuid, $2::uuid, $3, $4)
     on conflict (user_id) do nothing`,
    [key.id, userId, key.masterKeyId, key.wrapped],
  );
}
