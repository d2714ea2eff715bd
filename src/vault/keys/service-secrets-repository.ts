import type { Queryable } from '../../database/database.ts';

export interface ServiceKeyRow {
  id: string;
  generation: number;
  wrapped: Buffer;
  /** null: replaced twice. */
  secrets: Buffer | null;
  /** Old enough that every replica has read it. */
  isKnown: boolean;
}

export interface NewServiceKey {
  id: string;
  generation: number;
  masterKeyId: string;
  wrapped: Buffer;
  secrets: Buffer;
}

/** All keys, newest first. @param knownAfter seconds after which every replica has read a key */
export async function selectServiceKeys(db: Queryable, knownAfter: number): Promise<ServiceKeyRow[]> {
  return db.query<ServiceKeyRow>(
    `select id, generation, wrapped, secrets, created_at < now() - make_interval(secs => $1) as "isKnown"
     from service_keys order by generation desc`,
    [knownAfter],
  );
}

/** Stores a generation that does not exist yet. The caller reads again, because another process may have been first. */
export async function insertServiceKey(db: Queryable, { id, generation, masterKeyId, wrapped, secrets }: NewServiceKey): Promise<void> {
  await db.query(
    `insert into service_keys (id, generation, master_key_id, wrapped, secrets) values ($1::uuid, $2, $3, $4, $5)
     on conflict (generation) do nothing`,
    [id, generation, masterKeyId, wrapped, secrets],
  );
}

/** Deletes the secrets of all generations before this one. Their keys stay for the entries that they have sealed. */
export async function deleteServiceSecrets(db: Queryable, before: number): Promise<void> {
  await db.query('update service_keys set secrets = null where generation < $1 and secrets is not null', [before]);
}
