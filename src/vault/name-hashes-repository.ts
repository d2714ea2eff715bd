import type { Queryable } from '../database/database.ts';

/** The secret, wrapped by one master key. */
export interface SecretCopy {
  masterKeyId: string;
  wrapped: Buffer;
}

export async function selectHashSecrets(db: Queryable): Promise<SecretCopy[]> {
  return db.query<SecretCopy>(
    'select master_key_id as "masterKeyId", hash_secret as wrapped from key_canaries where hash_secret is not null order by master_key_id',
  );
}

/** Stores a copy where there is none. The caller reads again, because another replica may have been first. */
export async function insertHashSecret(db: Queryable, { masterKeyId, wrapped }: SecretCopy): Promise<void> {
  await db.query('update key_canaries set hash_secret = $2 where master_key_id = $1 and hash_secret is null', [masterKeyId, wrapped]);
}

/** Hashes of deleted identities that an older release made without the key. */
export async function selectUnkeyedIdentities(db: Queryable, limit: number): Promise<Buffer[]> {
  const rows = await db.query<{ hash: Buffer }>('select identity_hash as hash from deleted_users where not keyed limit $1', [limit]);
  return rows.map(({ hash }) => hash);
}

/** Replaces hashes by keyed ones, in the same order. */
export async function replaceIdentities(db: Queryable, before: readonly Buffer[], after: readonly Buffer[]): Promise<void> {
  await db.query(
    `with former as (
       delete from deleted_users d using unnest($1::bytea[], $2::bytea[]) as changed (before, after)
       where d.identity_hash = changed.before and not d.keyed returning changed.after, d.deleted_at, d.user_id
     )
     insert into deleted_users (identity_hash, deleted_at, user_id, keyed) select after, deleted_at, user_id, true from former
     on conflict (identity_hash) do update set deleted_at = greatest(deleted_users.deleted_at, excluded.deleted_at)`,
    [before, after],
  );
}
