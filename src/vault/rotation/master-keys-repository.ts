import type { Queryable } from '../../database/database.ts';

/** What one master key wraps. */
export interface MasterKeyUse {
  id: string;
  userKeys: number;
  revocations: number;
  /** Replaced keys that are not deleted yet. */
  formerKeys: number;
  /** Keys of the service itself. */
  serviceKeys: number;
}

/** Every master key that at least one row requires. */
export async function countMasterKeyUses(db: Queryable): Promise<MasterKeyUse[]> {
  return db.query<MasterKeyUse>(
    `/* all users: counts keys */ select id, sum(user_keys)::int as "userKeys", sum(revocations)::int as revocations, sum(former_keys)::int as "formerKeys",
            sum(service_keys)::int as "serviceKeys"
     from (
       select master_key_id as id, count(*) as user_keys, 0 as revocations, 0 as former_keys, 0 as service_keys from user_keys group by 1
       union all
       select master_key_id, 0, count(*), 0, 0 from revocations where master_key_id is not null group by 1
       union all
       select master_key_id, 0, 0, count(*), 0 from former_user_keys group by 1
       union all
       select master_key_id, 0, 0, 0, count(*) from service_keys group by 1
     ) uses group by id order by id`,
  );
}

const TABLES = ['user_keys', 'revocations', 'former_user_keys', 'service_keys'];
/** Skips from one id to the next in the index, whatever the number of users. */
const IDS_IN_USE = TABLES.map(
  (table) => `select id from (
    with recursive used (id) as (
      select min(master_key_id) from ${table}
      union all
      select (select min(master_key_id) from ${table} where master_key_id > used.id) from used where used.id is not null
    ) select id from used where id is not null
  ) as of_${table}`,
).join(' union ');

/** A master key as recorded in the database. */
export interface KnownMasterKey {
  id: string;
  /** null: it was never checked. */
  canary: Buffer | null;
  /** At least one row requires it. */
  isInUse: boolean;
}

/** Every master key that was checked or that a row requires. */
export async function selectMasterKeys(db: Queryable): Promise<KnownMasterKey[]> {
  const text = `/* all users: keys in use */ select coalesce(used.id, master_key_id) as id, sealed as canary, used.id is not null as "isInUse"
                from (${IDS_IN_USE}) as used full join key_canaries on master_key_id = used.id`;
  return db.query<KnownMasterKey>({ name: 'master-keys', text });
}

export async function insertCanary(db: Queryable, masterKeyId: string, sealed: Buffer): Promise<void> {
  await db.query('insert into key_canaries (master_key_id, sealed) values ($1, $2) on conflict (master_key_id) do nothing', [
    masterKeyId,
    sealed,
  ]);
}

/**
 * Ends the use of a master key: no process can wrap keys with it from now on.
 *
 * @throws the driver's error 23503 (foreign_key_violation) when a row requires it
 */
export async function deleteCanary(db: Queryable, masterKeyId: string): Promise<void> {
  await db.query('delete from key_canaries where master_key_id = $1', [masterKeyId]);
}
