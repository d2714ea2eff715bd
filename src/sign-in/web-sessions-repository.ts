import type { Queryable } from '../database/database.ts';

export interface WebSessionRow {
  userId: string;
  issuer: string;
  subject: string;
  email: string | null;
  authTime: Date | null;
  createdAt: Date;
  expiresAt: Date;
}

/** With the hash of its secret. */
export type UserSessionRow = WebSessionRow & { secretHash: Buffer };

export interface NewWebSession {
  secretHash: Buffer;
  /** null: it begins without a callback. */
  callbackHash: Buffer | null;
  userId: string;
  authTime: Date | null;
  lifeSeconds: number;
}

/** Stores a session. @returns when it expires */
export async function insertWebSession(
  tx: Queryable,
  { secretHash, callbackHash, userId, authTime, lifeSeconds }: NewWebSession,
): Promise<Date> {
  const rows = await tx.query<{ expiresAt: Date }>(
    `insert into web_sessions (secret_hash, callback_hash, user_id, auth_time, expires_at)
     values ($1, $2, $3::uuid, $4, now() + make_interval(secs => $5)) returning expires_at as "expiresAt"`,
    [secretHash, callbackHash, userId, authTime, lifeSeconds],
  );
  return rows[0]?.expiresAt as Date;
}

/** A session that has not expired, with its user. */
export async function selectWebSession(db: Queryable, secretHash: Buffer): Promise<WebSessionRow | undefined> {
  const rows = await db.query<WebSessionRow>(
    {
      name: 'web-session',
      text: `/* all users: found by an identity or a secret */ select u.id as "userId", u.issuer, u.subject, u.email, s.auth_time as "authTime", s.created_at as "createdAt",
               s.expires_at as "expiresAt"
             from web_sessions s join users u on u.id = s.user_id where s.secret_hash = $1 and s.expires_at > now()`,
    },
    [secretHash],
  );
  return rows[0];
}

/** A user's sessions that have not expired. */
export async function selectUserSessions(db: Queryable, userId: string): Promise<UserSessionRow[]> {
  return db.query<UserSessionRow>(
    `select s.secret_hash as "secretHash", u.id as "userId", u.issuer, u.subject, u.email, s.auth_time as "authTime",
       s.created_at as "createdAt", s.expires_at as "expiresAt"
     from web_sessions s join users u on u.id = s.user_id where s.user_id = $1::uuid and s.expires_at > now()`,
    [userId],
  );
}

/** @param sessions hashes of their secrets, in hex @returns those that have not ended */
export async function selectLiveSessions(db: Queryable, sessions: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ session: string }>(
    `/* all users: those with open sockets */ select encode(secret_hash, 'hex') as session from web_sessions
     where secret_hash in (select decode(hex, 'hex') from unnest($1::text[]) hex) and expires_at > now()`,
    [sessions],
  );
  return rows.map(({ session }) => session);
}

/** Who has signed in with a callback. */
export async function selectUserOfCallback(
  db: Queryable,
  callbackHash: Buffer,
): Promise<Pick<WebSessionRow, 'userId' | 'authTime'> | undefined> {
  const rows = await db.query<Pick<WebSessionRow, 'userId' | 'authTime'>>(
    `/* all users: found by an identity or a secret */ select user_id as "userId", auth_time as "authTime" from web_sessions
     where callback_hash = $1 and expires_at > now() limit 1`,
    [callbackHash],
  );
  return rows[0];
}

export async function deleteWebSession(db: Queryable, secretHash: Buffer): Promise<void> {
  await db.query('/* all users: found by an identity or a secret */ delete from web_sessions where secret_hash = $1', [secretHash]);
}

/** @param kept how many of the newest stay */
export async function deleteWebSessions(db: Queryable, userId: string, kept: number): Promise<void> {
  await db.query(
    `delete from web_sessions where user_id = $1::uuid and secret_hash in (
       select secret_hash from web_sessions where user_id = $1::uuid order by created_at desc, secret_hash offset $2)`,
    [userId, kept],
  );
}
