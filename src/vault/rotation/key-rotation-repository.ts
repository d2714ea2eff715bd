import type { Queryable } from '../../database/database.ts';
import { deleteExpired } from '../../database/retention.ts';
import type { Provider } from '../grants-repository.ts';
import type { CurrentKeyRow } from '../user-keys-repository.ts';

/** A wrapped key and its user; '': no user. */
export interface StoredKey {
  id: string;
  userId: string;
  wrapped: Buffer;
}

/** A stored key, and the same key wrapped again. */
export interface Rewrapped {
  id: string;
  before: Buffer;
  after: Buffer;
}

/** The tables of wrapped keys: the user's column, the wrapped key's, and what else changes with it. */
const PLACES = {
  user_keys: { user: 'user_id::text', wrapped: 'wrapped', mark: ', rewrapped = true' },
  former_user_keys: { user: 'user_id::text', wrapped: 'wrapped', mark: '' },
  revocations: { user: `''`, wrapped: 'wrapped_key', mark: ', rewrapped = true' },
  service_keys: { user: `''`, wrapped: 'wrapped', mark: '' },
} as const;

export type KeyTable = keyof typeof PLACES;
export const KEY_TABLES = Object.keys(PLACES) as KeyTable[];

/** Keys that must be replaced, because a holder of an older master key may know them. */
const EXPOSED = '(master_key_id <> $1 or rewrapped)';

/** How many keys are wrapped by other master keys than this one. */
export async function countUnderOthers(db: Queryable, masterKeyId: string): Promise<number> {
  const counts = KEY_TABLES.map((table) => `(select count(*) from ${table} where master_key_id <> $1)`);
  const rows = await db.query<{ count: number }>(`select (${counts.join(' + ')})::int as count`, [masterKeyId]);
  return rows[0]?.count ?? 0;
}

/** Some of them, ordered by id. @param after the last id of the previous batch; the null UUID at first */
export async function selectUnderOthers(
  db: Queryable,
  table: KeyTable,
  masterKeyId: string,
  after: string,
  limit: number,
): Promise<StoredKey[]> {
  const { user, wrapped } = PLACES[table];
  return db.query<StoredKey>(
    `select id, ${user} as "userId", ${wrapped} as wrapped from ${table}
     where master_key_id <> $1 and id > $2::uuid order by id limit $3`,
    [masterKeyId, after, limit],
  );
}

/** @returns how many were unchanged and were updated */
export async function updateWrapped(db: Queryable, table: KeyTable, masterKeyId: string, keys: readonly Rewrapped[]): Promise<number> {
  const { wrapped, mark } = PLACES[table];
  const rows = await db.query(
    `update ${table} as held set ${wrapped} = changed.after, master_key_id = $1${mark}
     from unnest($2::uuid[], $3::bytea[], $4::bytea[]) as changed (id, before, after)
     where held.id = changed.id and held.${wrapped} = changed.before returning held.id`,
    [masterKeyId, keys.map(({ id }) => id), keys.map(({ before }) => before), keys.map(({ after }) => after)],
  );
  return rows.length;
}

export type Exposed = Record<'userKeys' | 'revocations', number>;

export async function countExposed(db: Queryable, masterKeyId: string): Promise<Exposed> {
  const rows = await db.query<Exposed>(
    `select (select count(*) from user_keys where ${EXPOSED})::int as "userKeys",
            (select count(*) from revocations where token is not null and ${EXPOSED})::int as revocations`,
    [masterKeyId],
  );
  return rows[0] ?? { userKeys: 0, revocations: 0 };
}

/** Users whose key is to be replaced, ordered by id. */
export async function selectExposedUsers(db: Queryable, masterKeyId: string, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select user_id as id from user_keys where ${EXPOSED} and user_id > $2::uuid order by user_id limit $3`,
    [masterKeyId, after, limit],
  );
  return rows.map(({ id }) => id);
}

export type ExposedKey = Omit<CurrentKeyRow, 'masterKeyId'>;

/** @returns undefined when the user is gone or has another key */
export async function selectExposedKey(db: Queryable, masterKeyId: string, userId: string): Promise<ExposedKey | undefined> {
  const rows = await db.query<ExposedKey>(
    `select id, wrapped, hash_key as "hashKey" from user_keys where user_id = $2::uuid and ${EXPOSED}`,
    [masterKeyId, userId],
  );
  return rows[0];
}

export interface Successor {
  id: string;
  wrapped: Buffer;
  hashKey: Buffer;
  masterKeyId: string;
  /** The replaced key, wrapped again. */
  former: Buffer;
}

/** Replaces a key and keeps the old one for requests in progress. @returns false when another process was first */
export async function replaceUserKey(tx: Queryable, userId: string, old: ExposedKey, next: Successor): Promise<boolean> {
  const rows = await tx.query(
    `update user_keys set id = $4::uuid, wrapped = $5, hash_key = $6, master_key_id = $7, rewrapped = false, created_at = now()
     where user_id = $1::uuid and id = $2::uuid and wrapped = $3 returning id`,
    [userId, old.id, old.wrapped, next.id, next.wrapped, next.hashKey, next.masterKeyId],
  );
  if (rows.length === 0) return false;
  await tx.query('insert into former_user_keys (id, user_id, master_key_id, wrapped) values ($1::uuid, $2::uuid, $3, $4)', [
    old.id,
    userId,
    next.masterKeyId,
    next.former,
  ]);
  return true;
}

/** Former keys that encrypt no current data. Of the data that is not encrypted again, stored results live longest: 24 hours. */
export function deleteFormerKeys(db: Queryable): Promise<void> {
  return deleteExpired(db, 'former_user_keys', `replaced_at < now() - interval '25 hours'`);
}

export interface ExposedRevocation {
  id: string;
  provider: Provider;
  wrapped: Buffer;
  token: Buffer;
}

export async function selectExposedRevocations(
  db: Queryable,
  masterKeyId: string,
  after: string,
  limit: number,
): Promise<ExposedRevocation[]> {
  return db.query<ExposedRevocation>(
    `select id, provider, wrapped_key as wrapped, token from revocations
     where token is not null and ${EXPOSED} and id > $2::uuid order by id limit $3`,
    [masterKeyId, after, limit],
  );
}

/** @returns false when it no longer exists or has changed */
export async function replaceRevocationKey(
  db: Queryable,
  old: ExposedRevocation,
  next: { wrapped: Buffer; masterKeyId: string; token: Buffer },
): Promise<boolean> {
  const rows = await db.query(
    `update revocations set wrapped_key = $3, master_key_id = $4, token = $5, rewrapped = false
     where id = $1::uuid and wrapped_key = $2 returning id`,
    [old.id, old.wrapped, next.wrapped, next.masterKeyId, next.token],
  );
  return rows.length > 0;
}
