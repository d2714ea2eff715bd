import type { Queryable } from '../../database/database.ts';
import { ACTIVE } from '../../executor/call/client-grants-repository.ts';

const UNUSED_CLIENT_SECONDS = 24 * 3600;
/** How long after its first use a refresh token gives the same response: its reuse interval, or leeway. */
const REUSE_INTERVAL = '10 seconds';
/** Clients that registered themselves and that no user has permitted anything; beyond that, the oldest are deleted. */
const MAX_UNUSED_CLIENTS = 10_000;

/** Names an entry: the library's model, and the SHA-256 of the id. */
export interface EntryKey {
  model: string;
  idHash: Buffer;
}

export interface EntryRow {
  payload: Buffer;
  /** By the database's clock. */
  age: number;
  /** Seconds until it expires, by the database's clock; null: it doesn't. */
  secondsLeft: number | null;
  isConsumed: boolean;
}

export interface NewEntry extends EntryKey {
  grantHash: Buffer | null;
  userId: string | null;
  audience: string | null;
  payload: Buffer;
  /** null: it doesn't expire. */
  lifeSeconds: number | null;
}

/** Clients are the same for all users. */
const OF_NOBODY = { grantHash: null, userId: null, audience: null };

const ROW = `e.payload, extract(epoch from now() - e.created_at)::float8 as age, e.consumed_at is not null as "isConsumed"`;

/** An entry that has not expired. */
export async function selectEntry(db: Queryable, { model, idHash }: EntryKey): Promise<EntryRow | undefined> {
  const rows = await db.query<EntryRow>(
    {
      name: 'oauth-entry',
      text: `select ${ROW}, extract(epoch from e.expires_at - now())::float8 as "secondsLeft"
             from oauth_entries e where e.model = $1 and e.id_hash = $2 and (e.expires_at is null or e.expires_at > now())`,
    },
    [model, idHash],
  );
  return rows[0];
}

/** The grant that a code belongs to, as a hash. */
export async function selectGrantOfEntry(db: Queryable, { model, idHash }: EntryKey): Promise<Buffer | null> {
  const rows = await db.query<{ grantHash: Buffer | null }>(
    'select grant_hash as "grantHash" from oauth_entries where model = $1 and id_hash = $2',
    [model, idHash],
  );
  return rows[0]?.grantHash ?? null;
}

/** Whose code or token it is. @returns undefined: no user's */
export async function selectUserOfEntry(db: Queryable, { model, idHash }: EntryKey): Promise<string | undefined> {
  const rows = await db.query<{ userId: string | null }>(
    'select user_id as "userId" from oauth_entries where model = $1 and id_hash = $2',
    [model, idHash],
  );
  return rows[0]?.userId ?? undefined;
}

/** A grant, while what its user permitted the client is active: it expires with that. */
export async function selectGrantEntry(db: Queryable, grantHash: Buffer): Promise<EntryRow | undefined> {
  const rows = await db.query<EntryRow>(
    {
      name: 'oauth-grant',
      text: `/* all users: found by an identity or a secret */ select ${ROW}, extract(epoch from c.expires_at - now())::float8 as "secondsLeft"
             from oauth_entries e
             join (select token_hash, user_id, expires_at from client_grants where token_hash = $1 and kind = 'oauth' and ${ACTIVE}) c
               on c.token_hash = e.id_hash and c.user_id = e.user_id
             where e.model = 'Grant' and e.id_hash = $1`,
    },
    [grantHash],
  );
  return rows[0];
}

/** Stores an entry, or the new state of one. */
export async function upsertEntry(db: Queryable, entry: NewEntry): Promise<void> {
  const { model, idHash, grantHash, userId, audience, payload, lifeSeconds } = entry;
  await db.query(
    `insert into oauth_entries (model, id_hash, grant_hash, user_id, audience, payload, expires_at)
     values ($1, $2, $3, $4::uuid, $5, $6, now() + make_interval(secs => $7))
     on conflict (model, id_hash) do update set grant_hash = excluded.grant_hash, user_id = excluded.user_id,
       audience = excluded.audience, payload = excluded.payload, expires_at = excluded.expires_at`,
    [model, idHash, grantHash, userId, audience, payload, lifeSeconds],
  );
}

/** Stores a client that has registered itself. It is deleted after a day unless a user permits it something. */
export async function insertClient(db: Queryable, entry: EntryKey & { payload: Buffer }): Promise<void> {
  await upsertEntry(db, { ...entry, ...OF_NOBODY, lifeSeconds: UNUSED_CLIENT_SECONDS });
  await db.query(
    `delete from oauth_entries where model = 'Client' and id_hash in (
       select id_hash from oauth_entries where model = 'Client' and expires_at is not null order by created_at desc offset $1)`,
    [MAX_UNUSED_CLIENTS],
  );
}

/** Stores what a client has published, and keeps it: it is stored when a user permits the client something. */
export async function upsertPublishedClient(tx: Queryable, entry: EntryKey & { payload: Buffer }): Promise<void> {
  await upsertEntry(tx, { ...entry, ...OF_NOBODY, lifeSeconds: null });
}

/** Keeps a client that has registered itself. @returns false when it is not registered any more */
export async function keepClient(tx: Queryable, idHash: Buffer): Promise<boolean> {
  const rows = await tx.query(`update oauth_entries set expires_at = null where model = 'Client' and id_hash = $1 returning 1`, [idHash]);
  return rows.length > 0;
}

/**
 * Marks an entry as used, once: of several at the same time, one is the first. The time is that of the use: the transaction may
 * have begun long before, and have waited for its user's lock.
 *
 * @returns whether this is the first use, and the grant that the entry belongs to; undefined when there is no such entry
 */
export async function consumeEntry(
  db: Queryable,
  { model, idHash }: EntryKey,
): Promise<{ isFirst: boolean; grantHash: Buffer | null } | undefined> {
  const rows = await db.query<{ isFirst: boolean; grantHash: Buffer | null }>(
    `with used as (
       update oauth_entries set consumed_at = clock_timestamp()
       where model = $1 and id_hash = $2 and consumed_at is null and expires_at > now() returning 1
     )
     select exists (select 1 from used) as "isFirst", grant_hash as "grantHash" from oauth_entries where model = $1 and id_hash = $2`,
    [model, idHash],
  );
  return rows[0];
}

export async function storeResponse(db: Queryable, idHash: Buffer, sealed: Buffer): Promise<void> {
  await db.query(`update oauth_entries set response = $2 where model = 'RefreshToken' and id_hash = $1`, [idHash, sealed]);
}

/** The response to the refresh of a token. @returns undefined: it is no longer repeated, or there was none */
export async function selectResponse(db: Queryable, idHash: Buffer): Promise<Buffer | undefined> {
  const rows = await db.query<{ response: Buffer | null }>(
    `select response from oauth_entries
     where model = 'RefreshToken' and id_hash = $1 and consumed_at > now() - interval '${REUSE_INTERVAL}'`,
    [idHash],
  );
  return rows[0]?.response ?? undefined;
}

/** @returns false: there was none */
export async function deleteEntry(db: Queryable, { model, idHash }: EntryKey): Promise<boolean> {
  return (await db.query('delete from oauth_entries where model = $1 and id_hash = $2 returning 1', [model, idHash])).length > 0;
}

/** The client that the user has permitted something by a grant of the authorization server. */
export async function selectClientOfGrant(db: Queryable, grantHash: Buffer): Promise<{ id: string; userId: string } | undefined> {
  const rows = await db.query<{ id: string; userId: string }>(
    `/* all users: found by an identity or a secret */ select id, user_id as "userId" from client_grants where token_hash = $1 and kind = 'oauth'`,
    [grantHash],
  );
  return rows[0];
}

/** Deletes a grant with its codes and tokens. */
export async function deleteEntriesOfGrant(db: Queryable, grantHash: Buffer): Promise<void> {
  await db.query('delete from oauth_entries where grant_hash = $1', [grantHash]);
}

/** What an access token permits. */
export interface TokenRow {
  id: string;
  userId: string;
  name: string;
  /** Of the token. */
  expiresAt: Date;
  email: string | null;
}

/** The active client of an access token for a resource, in one statement. */
export async function selectClientOfToken(db: Queryable, idHash: Buffer, audience: string): Promise<TokenRow | undefined> {
  const rows = await db.query<TokenRow>(
    {
      name: 'oauth-access-token',
      text: `/* all users: found by an identity or a secret */ select c.id, c.user_id as "userId", c.name, e.expires_at as "expiresAt", u.email
             from oauth_entries e
             join (select id, user_id, name, token_hash from client_grants where kind = 'oauth' and ${ACTIVE}) c
               on c.token_hash = e.grant_hash and c.user_id = e.user_id
             join users u on u.id = c.user_id
             where e.model = 'AccessToken' and e.id_hash = $1 and e.audience = $2 and e.expires_at > now()`,
    },
    [idHash, audience],
  );
  return rows[0];
}

/** The verified address of a user. @returns undefined when there is no such user */
export async function selectEmail(db: Queryable, userId: string): Promise<{ email: string | null } | undefined> {
  const rows = await db.query<{ email: string | null }>('select email from users where id = $1::uuid', [userId]);
  return rows[0];
}

/** Deletes responses that are no longer repeated. */
export async function deleteOldResponses(db: Queryable): Promise<void> {
  await db.query(
    `update oauth_entries set response = null where response is not null and consumed_at <= now() - interval '${REUSE_INTERVAL}'`,
  );
}
