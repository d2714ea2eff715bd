import type { Queryable } from '../../database/database.ts';

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
