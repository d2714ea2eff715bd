import type { Database, Queryable } from '../../database/database.ts';
import type { GrantRow } from '../grants/grants-repository.ts';

/** What refreshing requires of a grant. Times are seconds by the database's clock, relative to the moment of reading. */
export interface RefreshRow extends Pick<GrantRow, 'id' | 'userId' | 'provider' | 'subject' | 'tokens' | 'status'> {
  version: number;
  /** Until the access token expires; null: never. */
  remaining: number | null;
  /** Lifetime of the access token. */
  life: number | null;
  /** Until the lease ends; negative: the lease was never released; null: there is none. */
  lease: number | null;
  /** Until the next request to the provider; null or negative: now. */
  pause: number | null;
  failures: number;
  /** This statement has taken the lease. */
  leased: boolean;
  /** Before the statement was sent, by the monotonic clock. */
  readAt: number;
  keyId: string;
  wrapped: Buffer;
}

/** A token is due only in this last share of its lifetime, so that short-lived tokens are used before they are refreshed. */
export const EARLY_SHARE = 0.2;

/** What the use of a valid token requires of a grant. */
export type GrantInUse = Pick<
  RefreshRow,
  'id' | 'userId' | 'provider' | 'status' | 'version' | 'tokens' | 'remaining' | 'life' | 'keyId' | 'wrapped' | 'readAt'
>;

/**
 * `updated_at` is when the tokens were stored, because no other statement changes it while a grant is active. `date_part`
 * computes in floating point, `extract` in numeric: several times the processor time.
 */
const USE_COLUMNS = `g.id, g.user_id as "userId", g.provider, g.status,
  date_part('epoch', g.expires_at - now()) as remaining,
  date_part('epoch', g.expires_at - g.updated_at) as life,
  k.id as "keyId", k.wrapped`;

const COLUMNS = `${USE_COLUMNS}, g.subject, g.refresh_failures as failures,
  date_part('epoch', g.lease_until - now()) as lease,
  date_part('epoch', g.refresh_after - now()) as pause`;

/** A {@link GrantInUse} of `grants g` with its user's `user_keys k`. */
export const GRANT_IN_USE_COLUMNS = `${USE_COLUMNS}, g.tokens, g.version`;

export interface GrantName {
  userId: string;
  grantId: string;
}

/** The grant with its user's key: everything that using the account requires. */
export async function selectRefreshRow(db: Database, userId: string, grantId: string): Promise<RefreshRow | undefined> {
  const [row] = await selectRefreshRows(db, [{ userId, grantId }]);
  return row;
}

/** As {@link selectRefreshRow}, for each name, in the same order. */
export async function selectRefreshRows(db: Database, names: readonly GrantName[]): Promise<(RefreshRow | undefined)[]> {
  const asked = new Map(names.map((name) => [name.grantId + name.userId, name]));
  const readAt = db.clock.monotonic();
  const rows = await db.query<Omit<RefreshRow, 'readAt'>>(
    {
      name: 'refresh-rows',
      text: `select ${COLUMNS}, g.tokens, g.version, false as leased
             from unnest($1::uuid[], $2::uuid[]) as asked (id, user_id)
             join grants g on g.id = asked.id and g.user_id = asked.user_id join user_keys k on k.user_id = g.user_id`,
    },
    [[...asked.values()].map(({ grantId }) => grantId), [...asked.values()].map(({ userId }) => userId)],
  );
  const found = new Map(rows.map((row) => [row.id + row.userId, { ...row, readAt }]));
  return names.map(({ grantId, userId }) => found.get(grantId + userId));
}

export interface DueGrant extends GrantName {
  /** Seconds before its expiry that the token is due, limited by {@link EARLY_SHARE}. */
  early: number;
}

/**
 * Reads each grant as {@link selectRefreshRow}, in the same order, and in the same statement leases those whose token is
 * due and that are not leased. Leased rows have the tokens and version after the lease, other columns as before. Rows
 * that another transaction has locked are not leased.
 *
 * @param leaseSeconds until the lease ends unless it is released
 */
export async function selectOrLease(db: Database, grants: readonly DueGrant[], leaseSeconds: number): Promise<(RefreshRow | undefined)[]> {
  const readAt = db.clock.monotonic();
  const rows = await db.query<Omit<RefreshRow, 'readAt'>>(
    {
      name: 'refresh-rows-or-leases',
      text: `with asked as (
               select * from unnest($1::uuid[], $2::uuid[], $3::float8[]) as asked (id, user_id, early)
             ), due as (
               select g.id, g.user_id from grants g join asked a on a.id = g.id and a.user_id = g.user_id
               where g.status = 'active'
                 and g.expires_at - now() <= least(make_interval(secs => a.early), greatest(g.expires_at - g.updated_at, interval '0') * ${EARLY_SHARE})
                 and (g.lease_until is null or g.lease_until < now()) and (g.refresh_after is null or g.refresh_after <= now())
               for no key update of g skip locked
             ), leased as (
               update grants set lease_until = now() + make_interval(secs => $4::float8), version = version + 1
               from due where grants.id = due.id and grants.user_id = due.user_id
               returning grants.id, tokens, version
             )
             select ${COLUMNS}, coalesce(l.tokens, g.tokens) as tokens, coalesce(l.version, g.version) as version, l.id is not null as leased
             from asked a join grants g on g.id = a.id and g.user_id = a.user_id
             join user_keys k on k.user_id = g.user_id left join leased l on l.id = g.id`,
    },
    [grants.map(({ grantId }) => grantId), grants.map(({ userId }) => userId), grants.map(({ early }) => early), leaseSeconds],
  );
  const found = new Map(rows.map((row) => [row.id + row.userId, { ...row, readAt }]));
  return grants.map(({ grantId, userId }) => found.get(grantId + userId));
}

/**
 * Leases a grant if it has not changed since it was read.
 *
 * @returns its new version; undefined: another caller was first, or still has the lease
 */
export async function takeLease(db: Queryable, row: RefreshRow, leaseSeconds: number): Promise<number | undefined> {
  const rows = await db.query<{ version: number }>(
    {
      name: 'refresh-lease',
      text: `update grants set lease_until = now() + make_interval(secs => $4::float8), version = version + 1
             where id = $1::uuid and user_id = $2::uuid and version = $3 and status = 'active'
               and (lease_until is null or lease_until < now())
             returning version`,
    },
    [row.id, row.userId, row.version, leaseSeconds],
  );
  return rows[0]?.version;
}

export interface RenewedTokens {
  id: string;
  userId: string;
  /** The encrypted tokens that were refreshed. As long as they are stored, there was no reconnect and no other refresh. */
  replaces: Buffer;
  status: 'active' | 'reauth_required';
  tokens: Buffer;
  /** undefined: unchanged. */
  scopes: string[] | undefined;
  /** Remaining lifetime of the access token, seconds. */
  life: number;
  failures: number;
  /** Seconds until the next refresh; undefined: when it is due. */
  pause: number | undefined;
}

/**
 * @param locked rows that another transaction has locked: `wait` for them, or `skip` them so that they do not delay the others
 * @returns for each, in order: false when it was skipped, or the grant is gone, has another status, or has other tokens
 */
export async function storeRenewedTokens(db: Queryable, renewed: readonly RenewedTokens[], locked: 'wait' | 'skip'): Promise<boolean[]> {
  const rows = await db.query<{ place: number }>(
    {
      name: `refresh-store-${locked}`,
      text: `with renewed as (
               select * from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::text[], $5::bytea[], $6::text[], $7::float8[], $8::int[], $9::float8[])
               with ordinality as renewed (id, user_id, replaces, status, tokens, scopes, life, failures, pause, place)
             ), standing as (
               select g.id from grants g join renewed r on r.id = g.id and r.user_id = g.user_id
               where g.tokens = r.replaces and g.status = r.status for no key update of g${locked === 'skip' ? ' skip locked' : ''}
             )
             update grants g set tokens = r.tokens, status = 'active',
               scopes = case when r.scopes is null then g.scopes else array(select json_array_elements_text(r.scopes::json)) end,
               expires_at = now() + make_interval(secs => r.life), refresh_failures = r.failures,
               refresh_after = now() + make_interval(secs => r.pause),
               lease_until = null, version = g.version + 1, updated_at = now()
             from renewed r join standing s on s.id = r.id
             where g.id = r.id and g.user_id = r.user_id and g.tokens = r.replaces and g.status = r.status
             returning r.place::int as place`,
    },
    [
      renewed.map(({ id }) => id),
      renewed.map(({ userId }) => userId),
      renewed.map(({ replaces }) => replaces),
      renewed.map(({ status }) => status),
      renewed.map(({ tokens }) => tokens),
      renewed.map(({ scopes }) => scopes && JSON.stringify(scopes)),
      renewed.map(({ life }) => life),
      renewed.map(({ failures }) => failures),
      renewed.map(({ pause }) => pause),
    ],
  );
  const stored = new Set(rows.map(({ place }) => place));
  return renewed.map((_, index) => stored.has(index + 1));
}

/**
 * Waits until everything that can be read of a grant is on a synchronous standby, too, if there is one. A commit whose
 * wait for it was cancelled can be read, although a failover may undo it. A lock is a change, and its commit waits for all
 * before it.
 */
export async function awaitReplication(db: Queryable, { id, userId }: Pick<GrantRow, 'id' | 'userId'>): Promise<void> {
  await db.query('select id from grants where id = $1::uuid and user_id = $2::uuid for no key update', [id, userId]);
}

/** Releases a lease under which nothing was sent, unless another caller has taken it over. */
export async function releaseLease(db: Queryable, row: Pick<RefreshRow, 'id' | 'userId' | 'version'>): Promise<void> {
  await db.query(
    `update grants set lease_until = null, version = version + 1 where id = $1::uuid and user_id = $2::uuid and version = $3`,
    [row.id, row.userId, row.version],
  );
}

/** Releases the lease after a failure. The provider is not asked again for `pause` seconds. */
export async function postponeRefresh(db: Queryable, row: RefreshRow, pause: number): Promise<void> {
  await db.query(
    `update grants set lease_until = null, refresh_failures = refresh_failures + 1,
       refresh_after = now() + make_interval(secs => $4::float8), version = version + 1
     where id = $1::uuid and user_id = $2::uuid and version = $3`,
    [row.id, row.userId, row.version, pause],
  );
}

/** @returns false when the grant has changed since it was leased */
export async function endConsent(tx: Queryable, row: RefreshRow): Promise<boolean> {
  const rows = await tx.query(
    `update grants set status = 'reauth_required', lease_until = null, refresh_failures = 0, refresh_after = null,
       version = version + 1, updated_at = now()
     where id = $1::uuid and user_id = $2::uuid and version = $3 and status = 'active'
     returning id`,
    [row.id, row.userId, row.version],
  );
  return rows.length > 0;
}
