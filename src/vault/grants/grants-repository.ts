import type { Queryable } from '../../database/database.ts';
import type { Provider } from '../../providers/shared/provider.ts';

export type GrantStatus = 'active' | 'reauth_required' | 'relink_required' | 'item_gone';

export interface GrantRow {
  id: string;
  userId: string;
  provider: Provider;
  subject: string;
  tokens: Buffer;
  scopes: string[];
  status: GrantStatus;
  expiresAt: Date | null;
}

export interface StatusChange extends Pick<GrantRow, 'userId' | 'provider' | 'status'> {
  grantId: string;
}

/** Records a grant's new status inside the transaction that changes it. */
export type RecordStatus = (tx: Queryable, change: StatusChange) => Promise<void>;

const COLUMNS = `id, user_id as "userId", provider, subject, tokens, scopes, status, expires_at as "expiresAt"`;

export async function selectGrantBySubject(
  db: Queryable,
  userId: string,
  provider: Provider,
  subject: string,
): Promise<GrantRow | undefined> {
  const rows = await db.query<GrantRow>(
    `select ${COLUMNS} from grants where user_id = $1::uuid and provider = $2 and subject = $3 for no key update`,
    [userId, provider, subject],
  );
  return rows[0];
}

export async function selectGrant(db: Queryable, userId: string, grantId: string): Promise<GrantRow | undefined> {
  const rows = await db.query<GrantRow>(`select ${COLUMNS} from grants where id = $1::uuid and user_id = $2::uuid`, [grantId, userId]);
  return rows[0];
}

/** Inserts or replaces the grant. It is active afterwards and has a new version. */
export async function upsertGrant(db: Queryable, grant: Omit<GrantRow, 'status'>): Promise<void> {
  await db.query(
    `insert into grants (id, user_id, provider, subject, tokens, scopes, expires_at)
     values ($1::uuid, $2::uuid, $3, $4, $5, $6::text[], $7::timestamptz)
     on conflict (user_id, id) do update set
       subject = excluded.subject, tokens = excluded.tokens, scopes = excluded.scopes, expires_at = excluded.expires_at,
       status = 'active', lease_until = null, refresh_failures = 0, refresh_after = null,
       version = grants.version + 1, updated_at = now()`,
    [grant.id, grant.userId, grant.provider, grant.subject, grant.tokens, grant.scopes, grant.expiresAt],
  );
}

/** Locks the grant until the transaction ends. @returns undefined when the grant no longer has this subject */
export async function selectGrantStatus(
  tx: Queryable,
  grant: { userId: string; grantId: string; subject: string },
): Promise<(Pick<GrantRow, 'provider' | 'status'> & { version: number }) | undefined> {
  const rows = await tx.query<Pick<GrantRow, 'provider' | 'status'> & { version: number }>(
    'select provider, status, version from grants where id = $1::uuid and user_id = $2::uuid and subject = $3 for no key update',
    [grant.grantId, grant.userId, grant.subject],
  );
  return rows[0];
}

export async function updateGrantStatus(tx: Queryable, grant: { userId: string; grantId: string }, status: GrantStatus): Promise<void> {
  await tx.query('update grants set status = $3, version = version + 1, updated_at = now() where id = $1::uuid and user_id = $2::uuid', [
    grant.grantId,
    grant.userId,
    status,
  ]);
}

/** Records that the status was found to be what is stored: what was learnt before says nothing any more. */
export async function confirmGrantStatus(tx: Queryable, { userId, grantId }: { userId: string; grantId: string }): Promise<void> {
  await tx.query('update grants set version = version + 1 where id = $1::uuid and user_id = $2::uuid', [grantId, userId]);
}

/** @returns undefined when there is no such grant */
export async function selectGrantVersion(db: Queryable, userId: string, grantId: string): Promise<number | undefined> {
  const rows = await db.query<{ version: number }>('select version from grants where id = $1::uuid and user_id = $2::uuid', [
    grantId,
    userId,
  ]);
  return rows[0]?.version;
}

/** Deletes the grant and the account shown for it, and returns the grant. */
export async function deleteGrant(db: Queryable, userId: string, grantId: string): Promise<GrantRow | undefined> {
  const rows = await db.query<GrantRow>(`delete from grants where id = $1::uuid and user_id = $2::uuid returning ${COLUMNS}`, [
    grantId,
    userId,
  ]);
  return rows[0];
}

export async function selectGrantsOfUser(db: Queryable, userId: string): Promise<GrantRow[]> {
  return db.query<GrantRow>(`select ${COLUMNS} from grants where user_id = $1::uuid`, [userId]);
}

export async function deleteGrantsOfUser(db: Queryable, userId: string): Promise<GrantRow[]> {
  return db.query<GrantRow>(`delete from grants where user_id = $1::uuid returning ${COLUMNS}`, [userId]);
}

/**
 * Whether any user's tokens of this account are still valid at the provider. A grant that must be connected again
 * (`reauth_required`) has no valid refresh token, and an item that is gone (`item_gone`) no valid access token: a
 * revocation would end nothing. An item that requires a new login (`relink_required`) keeps its access token, which update
 * mode repairs.
 */
export async function isSubjectInUse(db: Queryable, provider: Provider, subject: string): Promise<boolean> {
  const rows = await db.query(
    `/* all users: found by an account at the provider */ select 1 from grants where provider = $1 and subject = $2 and status in ('active', 'relink_required') limit 1`,
    [provider, subject],
  );
  return rows.length > 0;
}
