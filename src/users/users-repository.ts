import type { Queryable } from '../database/database.ts';

export interface KnownUser {
  id: string | null;
  email: string | null;
  /** When a user of this identity was last deleted. */
  deletedAt: Date | null;
}

export async function selectUser(db: Queryable, issuer: string, subject: string, identityHash: Buffer): Promise<KnownUser> {
  const rows = await db.query<KnownUser>(
    {
      name: 'known-user',
      text: `/* all users: found by an identity or a secret */ select u.id, u.email, d.deleted_at as "deletedAt"
             from (select 1) as one
             left join users u on u.issuer = $1 and u.subject = $2
             left join deleted_users d on d.identity_hash = $3`,
    },
    [issuer, subject, identityHash],
  );
  return rows[0] ?? { id: null, email: null, deletedAt: null };
}

export async function upsertUser(db: Queryable, issuer: string, subject: string, email: string | null): Promise<string> {
  const rows = await db.query<{ id: string }>(
    `/* all users: found by an identity or a secret */ insert into users (issuer, subject, email) values ($1, $2, $3)
     on conflict (issuer, subject) do update set email = excluded.email
     returning id`,
    [issuer, subject, email],
  );
  return rows[0]?.id as string;
}

/**
 * Deletes the user, its key, its accounts and the waitlist entry of its address, and records the time. Of tables without a
 * limit of rows, a bounded number is deleted with the user by a trigger, which is all for most users; the rest is deleted
 * afterwards.
 *
 * @param issuedAt `iat` of the request's token, seconds: an issuer's clock may be ahead of ours
 */
export async function deleteUser(tx: Queryable, userId: string, identityHash: Buffer, issuedAt: number): Promise<void> {
  await tx.query(
    `with gone as (delete from users where id = $1::uuid returning email)
     delete from waitlist using gone where waitlist.email = lower(gone.email)`,
    [userId],
  );
  await tx.query(
    `insert into deleted_users (identity_hash, deleted_at, user_id) values ($1, greatest(now(), to_timestamp($2)), $3::uuid)
     on conflict (identity_hash) do update set deleted_at = excluded.deleted_at, user_id = excluded.user_id`,
    [identityHash, issuedAt, userId],
  );
}

/** The identity of a user. */
export async function selectIdentity(db: Queryable, userId: string): Promise<{ issuer: string; subject: string } | undefined> {
  const rows = await db.query<{ issuer: string; subject: string }>('select issuer, subject from users where id = $1::uuid', [userId]);
  return rows[0];
}
