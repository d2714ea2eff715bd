import type { Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { GrantStatus } from '../vault/grants/grants-repository.ts';

/** A user's connection to a source. */
export interface AccountRow {
  id: string;
  userId: string;
  grantId: string;
  /** Its name in the integrations file. */
  source: string;
  /** The server's address when it was connected. */
  url: string;
  label: string;
  isDefault: boolean;
  connectedAt: Date;
  toolsVersion: number;
  /** When its tools were read last; null: not yet. */
  listedAt: Date | null;
  /** Code of the error with which its tools were read last; null: they were read. */
  listError: string | null;
  status: GrantStatus;
  /** Scopes that its server asked for in refusing a call since it was connected. */
  wantedScopes: string[];
}

const SELECT = `select a.id, a.user_id as "userId", a.grant_id as "grantId", a.source, a.url, a.label, a.is_default as "isDefault",
    a.connected_at as "connectedAt", a.tools_version as "toolsVersion", a.listed_at as "listedAt", a.list_error as "listError", g.status,
    a.wanted_scopes as "wantedScopes"
  from source_accounts a join grants g on g.id = a.grant_id and g.user_id = a.user_id`;

/** How long a replica has an account to itself, and after which a reading that it did not finish is repeated. */
const LEASE = '2 minutes';
/** The pause after a first failure doubles with each further one, up to an hour. */
const FAILURE_PAUSE_SECONDS = 60;
const MOST_DOUBLED = 6;
/** A connection that was used within this time is read as often as its server says. */
const IN_USE = '1 day';
const UNUSED_SECONDS = 3600;
/** What a server may have requested of a user. */
const MOST_SCOPES = 100;

/** Oldest first. */
export async function selectAccounts(db: Queryable, userId: string): Promise<AccountRow[]> {
  return db.query<AccountRow>({ name: 'source-accounts', text: `${SELECT} where a.user_id = $1::uuid order by a.connected_at, a.id` }, [
    userId,
  ]);
}

export async function selectAccount(db: Queryable, userId: string, accountId: string): Promise<AccountRow | undefined> {
  const rows = await db.query<AccountRow>(`${SELECT} where a.user_id = $1::uuid and a.id = $2::uuid`, [userId, accountId]);
  return rows[0];
}

/** As {@link selectAccount}, locked until the transaction ends. */
export async function lockAccount(tx: Queryable, userId: string, accountId: string): Promise<AccountRow | undefined> {
  const rows = await tx.query<AccountRow>(`${SELECT} where a.user_id = $1::uuid and a.id = $2::uuid for no key update of a`, [
    userId,
    accountId,
  ]);
  return rows[0];
}

/** Inserts an account; the first one of its source becomes the default. */
export async function insertAccount(
  tx: Queryable,
  account: Pick<AccountRow, 'id' | 'userId' | 'grantId' | 'source' | 'url' | 'label'>,
): Promise<void> {
  await tx.query(
    `insert into source_accounts (id, user_id, grant_id, source, url, label, is_default)
     values ($1::uuid, $2::uuid, $3::uuid, $4, $5, $6,
       not exists (select 1 from source_accounts where user_id = $2::uuid and source = $4))`,
    [account.id, account.userId, account.grantId, account.source, account.url, account.label],
  );
}

/** Of an account that was connected again: its tools are read at once. */
export async function updateAccount(
  tx: Queryable,
  { id, userId, url, label }: Pick<AccountRow, 'id' | 'userId' | 'url' | 'label'>,
): Promise<void> {
  await tx.query(
    `update source_accounts set url = $3, label = $4, list_after = now(), list_failures = 0, list_error = null, wanted_scopes = '{}'
     where user_id = $1::uuid and id = $2::uuid`,
    [userId, id, url, label],
  );
}

/**
 * Keeps the scopes that an account's server asked for, if that is why a request failed: they are requested when its user
 * connects it again, and not before.
 *
 * @throws the error
 */
export async function keepWantedScopes(db: Queryable, { userId, id }: Pick<AccountRow, 'userId' | 'id'>, error: unknown): Promise<never> {
  if (error instanceof AppError && error.code === 'missing_scopes') {
    await db.query(
      `update source_accounts set wanted_scopes = array(select distinct unnest(wanted_scopes || $3::text[]) limit $4)
       where user_id = $1::uuid and id = $2::uuid and not wanted_scopes @> $3::text[]`,
      [userId, id, error.details?.missingScopes, MOST_SCOPES],
    );
  }
  throw error;
}

/** @returns false when the user has no such account */
export async function makeDefault(tx: Queryable, userId: string, accountId: string): Promise<boolean> {
  const account = await selectAccount(tx, userId, accountId);
  if (account === undefined) return false;
  // Two statements: the unique index on the default is checked row by row.
  await tx.query('update source_accounts set is_default = false where user_id = $1::uuid and source = $2 and is_default', [
    userId,
    account.source,
  ]);
  await tx.query('update source_accounts set is_default = true where user_id = $1::uuid and id = $2::uuid', [userId, accountId]);
  return true;
}

/** Makes the oldest account of a source the default if none is. */
export async function ensureDefault(tx: Queryable, userId: string, source: string): Promise<void> {
  await tx.query(
    `update source_accounts set is_default = true
     where user_id = $1::uuid and id = (
         select id from source_accounts where user_id = $1::uuid and source = $2 order by connected_at, id limit 1)
       and not exists (select 1 from source_accounts where user_id = $1::uuid and source = $2 and is_default)`,
    [userId, source],
  );
}

/** Another replica reads the tools again when it sees another version. */
export async function raiseToolsVersion(tx: Queryable, userId: string, accountId: string): Promise<void> {
  await tx.query('update source_accounts set tools_version = tools_version + 1 where user_id = $1::uuid and id = $2::uuid', [
    userId,
    accountId,
  ]);
}

/** An account whose tools a replica reads. */
export type LeasedAccount = Pick<AccountRow, 'id' | 'userId' | 'grantId' | 'source'>;

const LEASED = `id, user_id as "userId", grant_id as "grantId", source`;

/** Leases accounts of a source whose tools are due, of active grants. */
export async function leaseDueAccounts(db: Queryable, source: string, limit: number): Promise<LeasedAccount[]> {
  return db.query<LeasedAccount>(
    `/* all users: what is due next */ update source_accounts set list_after = now() + $3::interval
     where (user_id, id) in (
       select a.user_id, a.id from source_accounts a join grants g on g.id = a.grant_id and g.user_id = a.user_id
       where a.list_after <= now() and a.source = $1 and g.status = 'active'
       order by a.list_after limit $2 for no key update of a skip locked)
     returning ${LEASED}`,
    [source, limit, LEASE],
  );
}

/** Leases one account, unless another replica has it. */
export async function leaseAccount(db: Queryable, userId: string, accountId: string): Promise<LeasedAccount | undefined> {
  const rows = await db.query<LeasedAccount>(
    `update source_accounts set list_after = now() + $3::interval
     where user_id = $1::uuid and id = $2::uuid and list_after <= now() returning ${LEASED}`,
    [userId, accountId, LEASE],
  );
  return rows[0];
}

/** @param ttlSeconds how long the server says that its list is good */
export async function noteListed(tx: Queryable, userId: string, accountId: string, ttlSeconds: number): Promise<void> {
  await tx.query(
    `update source_accounts set listed_at = now(), list_failures = 0, list_error = null,
       list_after = now() + make_interval(secs => (case when used_at > now() - $4::interval then least($3::float8, $5::float8) else $5::float8 end) * (0.9 + random() / 5))
     where user_id = $1::uuid and id = $2::uuid`,
    [userId, accountId, ttlSeconds, IN_USE, UNUSED_SECONDS],
  );
}

/** @param code of the error. @returns whether it is another one than before */
export async function noteListFailed(tx: Queryable, userId: string, accountId: string, code: string): Promise<boolean> {
  const rows = await tx.query<{ isNew: boolean }>(
    `update source_accounts a set list_failures = a.list_failures + 1, list_error = $5,
       list_after = now() + make_interval(secs => $3::float8 * power(2, least(a.list_failures, $4::int)) * (0.9 + random() / 5))
     from source_accounts before
     where a.user_id = $1::uuid and a.id = $2::uuid and before.user_id = a.user_id and before.id = a.id
     returning before.list_error is distinct from $5 as "isNew"`,
    [userId, accountId, FAILURE_PAUSE_SECONDS, MOST_DOUBLED, code],
  );
  return rows[0]?.isNew ?? false;
}

/** Records that an account is in use. One that was not has its tools read soon. */
export async function noteUsed(db: Queryable, userId: string, accountId: string): Promise<void> {
  await db.query(
    `update source_accounts set used_at = now(),
       list_after = case when used_at < now() - $3::interval then least(list_after, now()) else list_after end
     where user_id = $1::uuid and id = $2::uuid`,
    [userId, accountId, IN_USE],
  );
}

/** Makes the reading of an account's tools due, unless a replica reads them. */
export async function readSoon(db: Queryable, userId: string, accountId: string): Promise<void> {
  await db.query(
    `update source_accounts set list_after = now()
     where user_id = $1::uuid and id = $2::uuid and list_failures = 0 and list_after > now() + $3::interval`,
    [userId, accountId, LEASE],
  );
}
