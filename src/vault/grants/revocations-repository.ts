import type { Queryable } from '../../database/database.ts';
import type { Provider } from '../../providers/shared/provider.ts';

export interface RevocationRow {
  id: string;
  provider: Provider;
  subject: string;
  masterKeyId: string;
  wrappedKey: Buffer;
  token: Buffer;
  overdue: boolean;
}

export interface SubjectState {
  /** A request to revoke is in progress. */
  revoking: boolean;
  /** When the provider last confirmed a revocation of this account. */
  revokedAt: Date | null;
}

const KEEP_TRYING = '7 days';
/** Longer than one provider call may take. */
const REVOKING = '30 seconds';

export async function insertRevocation(db: Queryable, row: Omit<RevocationRow, 'overdue'>): Promise<void> {
  await db.query(
    `insert into revocations (id, provider, subject, master_key_id, wrapped_key, token, deadline_at)
     values ($1::uuid, $2, $3, $4, $5, $6, now() + $7::interval)`,
    [row.id, row.provider, row.subject, row.masterKeyId, row.wrappedKey, row.token, KEEP_TRYING],
  );
}

export async function selectRevocation(db: Queryable, id: string): Promise<RevocationRow | undefined> {
  const rows = await db.query<RevocationRow>(
    `select id, provider, subject, master_key_id as "masterKeyId", wrapped_key as "wrappedKey", token, deadline_at <= now() as overdue
     from revocations where id = $1::uuid and token is not null`,
    [id],
  );
  return rows[0];
}

/** Open rows without a job, or whose job must be lost: a retry never waits longer than six hours. */
export async function selectUnqueuedRevocations(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from revocations where token is not null and coalesce(queued_at, '-infinity') < now() - interval '7 hours'
     order by created_at limit $1`,
    [limit],
  );
  return rows.map((row) => row.id);
}

export async function markQueued(db: Queryable, id: string): Promise<void> {
  await db.query('update revocations set queued_at = now() where id = $1::uuid', [id]);
}

/**
 * Locks the provider's account until the transaction ends, so that connects and revocations of one account run one after
 * the other.
 *
 * @param hash of the account, because the row may outlive the user
 */
export async function lockSubject(tx: Queryable, provider: Provider, hash: string): Promise<SubjectState> {
  // One statement, because an idle row may be deleted between two.
  const rows = await tx.query<SubjectState>(
    `insert into provider_subjects (provider, subject) values ($1, $2)
     on conflict (provider, subject) do update set revoked_at = provider_subjects.revoked_at
     returning coalesce(revoking_until > now(), false) as revoking, revoked_at as "revokedAt"`,
    [provider, hash],
  );
  return rows[0] ?? { revoking: false, revokedAt: null };
}

export async function markRevoking(tx: Queryable, row: RevocationRow, hash: string): Promise<void> {
  await tx.query('update provider_subjects set revoking_until = now() + $3::interval where provider = $1 and subject = $2', [
    row.provider,
    hash,
    REVOKING,
  ]);
  await tx.query('update revocations set attempts = attempts + 1 where id = $1::uuid', [row.id]);
}

export async function unmarkRevoking(tx: Queryable, { provider }: RevocationRow, hash: string, confirmed: boolean): Promise<void> {
  await tx.query(
    `update provider_subjects set revoking_until = null, revoked_at = case when $3 then now() else revoked_at end
     where provider = $1 and subject = $2`,
    [provider, hash, confirmed],
  );
}

export async function deleteRevocation(tx: Queryable, id: string): Promise<void> {
  await tx.query('delete from revocations where id = $1::uuid', [id]);
}

/** Deletes token and key, and keeps a row that says that the provider never confirmed. */
export async function shredRevocation(tx: Queryable, id: string): Promise<void> {
  await tx.query(
    `update revocations set token = null, wrapped_key = null, master_key_id = null, subject = null, unconfirmed_at = now()
     where id = $1::uuid`,
    [id],
  );
}
