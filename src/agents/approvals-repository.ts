import type { Queryable } from '../database/database.ts';

export interface ApprovalRow {
  id: string;
  userId: string;
  accountId: string;
  action: string;
  /** Sealed; null once it is decided. */
  arguments: Buffer | null;
  /** Hexadecimal digits. */
  argumentsHash: string;
  idempotencyKey: string | null;
  /** Of the configuration it was asked for under. */
  revision: string;
  status: 'pending' | 'approved' | 'denied';
  createdAt: Date;
  expiresAt: Date;
  expired: boolean;
}

const COLUMNS = `id, user_id as "userId", account_id as "accountId", action, arguments, encode(arguments_hash, 'hex') as "argumentsHash",
  idempotency_key as "idempotencyKey", revision, status, created_at as "createdAt", expires_at as "expiresAt",
  expires_at <= now() as expired`;

/** @returns when it expires */
export async function insertApproval(
  tx: Queryable,
  row: Pick<ApprovalRow, 'id' | 'userId' | 'accountId' | 'action' | 'arguments' | 'argumentsHash' | 'idempotencyKey' | 'revision'>,
): Promise<Date> {
  const rows = await tx.query<{ expiresAt: Date }>(
    `insert into approvals (id, user_id, account_id, action, arguments, arguments_hash, idempotency_key, revision, expires_at)
     values ($1::uuid, $2::uuid, $3::uuid, $4, $5, decode($6, 'hex'), $7, $8, now() + interval '10 minutes')
     returning expires_at as "expiresAt"`,
    [row.id, row.userId, row.accountId, row.action, row.arguments, row.argumentsHash, row.idempotencyKey, row.revision],
  );
  return rows[0]?.expiresAt as Date;
}

export async function selectApproval(db: Queryable, userId: string, id: string): Promise<ApprovalRow | undefined> {
  const rows = await db.query<ApprovalRow>(`select ${COLUMNS} from approvals where id = $1::uuid and user_id = $2::uuid`, [id, userId]);
  return rows[0];
}

/** What waits for the user, oldest first; what was asked under another revision can't be approved any more. */
export async function selectPendingApprovals(db: Queryable, userId: string, revision: string): Promise<ApprovalRow[]> {
  return db.query<ApprovalRow>(
    `select ${COLUMNS} from approvals
     where user_id = $1::uuid and revision = $2 and status = 'pending' and expires_at > now() order by created_at, id`,
    [userId, revision],
  );
}

/** Requests within the last `perMs`, decided or not, and the seconds until the oldest of them no longer counts. */
export async function countAsked(
  tx: Queryable,
  userId: string,
  action: string,
  perMs: number,
): Promise<{ calls: number; seconds: number }> {
  const rows = await tx.query<{ calls: number; seconds: number | null }>(
    `select count(*)::int as calls, extract(epoch from min(created_at) - now())::float8 + $3::float8 / 1000 as seconds
     from approvals
     where user_id = $1::uuid and action = $2 and created_at > now() - $3::float8 * interval '1 millisecond'`,
    [userId, action, perMs],
  );
  return { calls: rows[0]?.calls ?? 0, seconds: rows[0]?.seconds ?? 0 };
}

/** Earlier requests for the same call, or under the same idempotency key, newest first. */
export async function selectLikeApprovals(
  tx: Queryable,
  { userId, action, argumentsHash, idempotencyKey }: Pick<ApprovalRow, 'userId' | 'action' | 'argumentsHash' | 'idempotencyKey'>,
): Promise<ApprovalRow[]> {
  return tx.query<ApprovalRow>(
    `select ${COLUMNS} from approvals
     where user_id = $1::uuid and action = $2 and (arguments_hash = decode($3, 'hex') or idempotency_key = $4)
       and created_at > now() - interval '24 hours' order by created_at desc, id`,
    [userId, action, argumentsHash, idempotencyKey],
  );
}

/**
 * Decides a pending request, once; its arguments are dropped.
 *
 * @returns false when it was decided or has expired meanwhile
 */
export async function decideApproval(tx: Queryable, userId: string, id: string, status: 'approved' | 'denied'): Promise<boolean> {
  const rows = await tx.query(
    `update approvals set status = $3, decided_at = now(), arguments = null
     where id = $1::uuid and user_id = $2::uuid and status = 'pending' and expires_at > now() returning id`,
    [id, userId, status],
  );
  return rows.length > 0;
}

/** Deletes what expired a day ago, decided or not. */
export async function deleteOldApprovals(db: Queryable): Promise<void> {
  await db.query(`delete from approvals where expires_at < now() - interval '24 hours'`);
}
