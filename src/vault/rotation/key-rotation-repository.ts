import type { Queryable } from '../../database/database.ts';
import type { Provider } from '../../providers/shared/provider.ts';
import type { CurrentKeyRow } from '../keys/user-keys-repository.ts';

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

export const NULL_UUID = '00000000-0000-0000-0000-000000000000';
/** Rows that a step of a count reads, some milliseconds. */
const COUNTED = 1_000;

/** Keys that must be replaced, because a holder of an older master key may know them. */
const EXPOSED = '(master_key_id <> $1 or rewrapped)';

/** One step of a walk over a table in the order of an id: every statement reads a bounded number of rows. */
export interface Step<Found> {
  found: Found[];
  /** The id after which the next step begins; undefined: the table has ended. */
  last: string | undefined;
}

/** @param seen all rows that the step has read, whose `found` is null where a row is not looked for */
function stepOf<Found>(seen: readonly { id: string; found: Found | null }[], limit: number): Step<Found> {
  const last = seen.length < limit ? undefined : seen.at(-1)?.id;
  return { found: seen.flatMap(({ found }) => found ?? []), last };
}

/** How many keys are wrapped by other master keys than this one. */
export async function countUnderOthers(db: Queryable, masterKeyId: string): Promise<number> {
  let count = 0;
  for (const table of KEY_TABLES) count += await countWhere(db, table, 'master_key_id <> $1', masterKeyId);
  return count;
}

/** Counts in steps. @param where with the master key's id as $1 */
async function countWhere(db: Queryable, table: KeyTable, where: string, masterKeyId: string): Promise<number> {
  let count = 0;
  for (let last: string | null = NULL_UUID; last !== null; ) {
    const [step]: { count: number; last: string | null }[] = await db.query<{ count: number; last: string | null }>(
      `/* all users: counts keys */ select count(*) filter (where is_counted)::int as count,
              case when count(*) = ${COUNTED} then max(id::text collate "C") end as last
       from (select id, ${where} as is_counted from ${table} where id > $2::uuid order by id limit ${COUNTED}) as seen`,
      [masterKeyId, last],
    );
    count += step?.count ?? 0;
    last = step?.last ?? null;
  }
  return count;
}

/** A step over the keys of a table. @param after the null UUID at first. @param limit rows to read */
export async function selectUnderOthers(
  db: Queryable,
  table: KeyTable,
  masterKeyId: string,
  after: string,
  limit: number,
): Promise<Step<StoredKey>> {
  const { user, wrapped } = PLACES[table];
  const seen = await db.query<{ id: string; userId: string; wrapped: Buffer | null }>(
    `/* all users: wraps keys again */ select id, ${user} as "userId", case when master_key_id <> $1 then ${wrapped} end as wrapped from ${table}
     where id > $2::uuid order by id limit $3`,
    [masterKeyId, after, limit],
  );
  return stepOf(
    seen.map(({ id, userId, wrapped }) => ({ id, found: wrapped && { id, userId, wrapped } })),
    limit,
  );
}

/** @returns how many were unchanged and were updated */
export async function updateWrapped(db: Queryable, table: KeyTable, masterKeyId: string, keys: readonly Rewrapped[]): Promise<number> {
  const { wrapped, mark } = PLACES[table];
  const rows = await db.query(
    `/* all users: wraps keys again */ update ${table} as held set ${wrapped} = changed.after, master_key_id = $1${mark}
     from unnest($2::uuid[], $3::bytea[], $4::bytea[]) as changed (id, before, after)
     where held.id = changed.id and held.${wrapped} = changed.before returning held.id`,
    [masterKeyId, keys.map(({ id }) => id), keys.map(({ before }) => before), keys.map(({ after }) => after)],
  );
  return rows.length;
}

export type Exposed = Record<'userKeys' | 'revocations', number>;

export async function countExposed(db: Queryable, masterKeyId: string): Promise<Exposed> {
  return {
    userKeys: await countWhere(db, 'user_keys', EXPOSED, masterKeyId),
    revocations: await countWhere(db, 'revocations', `token is not null and ${EXPOSED}`, masterKeyId),
  };
}

/** A step over the users whose key is to be replaced. */
export async function selectExposedUsers(db: Queryable, masterKeyId: string, after: string, limit: number): Promise<Step<string>> {
  const seen = await db.query<{ id: string; isExposed: boolean }>(
    `/* all users: replaces keys */ select user_id as id, ${EXPOSED} as "isExposed" from user_keys where user_id > $2::uuid order by user_id limit $3`,
    [masterKeyId, after, limit],
  );
  return stepOf(
    seen.map(({ id, isExposed }) => ({ id, found: isExposed ? id : null })),
    limit,
  );
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
