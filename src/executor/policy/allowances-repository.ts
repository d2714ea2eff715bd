import type { Queryable } from '../../database/database.ts';
import type { Asker } from '../call/asker.ts';
import { ACTIVE } from '../call/client-grants-repository.ts';
import { type ClientColumns, clientOf } from '../call/named-client.ts';

export interface AllowanceRow extends Asker {
  id: string;
  userId: string;
  accountId: string;
  action: string;
  /** Sealed. */
  covered: Buffer;
  createdAt: Date;
  expiresAt: Date;
  /** null: no client. */
  client: ClientColumns | null;
}

export type NewAllowanceRow = Pick<AllowanceRow, 'id' | 'userId' | 'accountId' | 'action' | 'covered' | 'asker' | 'clientId'> & {
  grantId: string;
  revision: string;
  days: number;
};

const COLUMNS = `a.id, a.user_id as "userId", a.account_id as "accountId", a.action, a.covered, a.created_at as "createdAt", a.expires_at as "expiresAt",
  a.asker, a.client_id as "clientId", ${clientOf('a')} as client`;
/** Those that hold: the connection is still to the same account of the provider, and the client has not ended. */
export const HOLDING = `allowances a join grants g on g.id = a.grant_id and g.user_id = a.user_id and g.subject = a.subject and a.expires_at > now()
  and (a.client_id is null or exists (select 1 from client_grants where user_id = a.user_id and id = a.client_id and ${ACTIVE}))`;
/** Of an allowance: whether it is for the caller that asks. The parameters are those of the statement. */
export function isOfAsker(asker: string, clientId: string): string {
  return `a.asker = ${asker} and a.client_id is not distinct from ${clientId}`;
}

/** @returns undefined when the account was disconnected */
export async function insertAllowance(tx: Queryable, row: NewAllowanceRow): Promise<AllowanceRow | undefined> {
  const { id, userId, accountId, grantId, action, revision, covered, days, asker, clientId } = row;
  const rows = await tx.query<AllowanceRow>(
    `insert into allowances as a (id, user_id, account_id, grant_id, subject, action, revision, covered, expires_at, asker, client_id)
     select $1::uuid, $2::uuid, $3::uuid, id, subject, $5, $6, $7, now() + $8::int * interval '1 day', $9, $10::uuid
     from grants where id = $4::uuid and user_id = $2::uuid returning ${COLUMNS}`,
    [id, userId, accountId, grantId, action, revision, covered, days, asker, clientId],
  );
  return rows[0];
}

/** The user's allowances for the caller that asks, of an action with this revision, newest first. */
export function selectAllowancesOf(
  db: Queryable,
  of: Pick<NewAllowanceRow, 'userId' | 'grantId' | 'action' | 'revision' | 'asker' | 'clientId'>,
): Promise<AllowanceRow[]> {
  return db.query<AllowanceRow>(
    {
      name: 'allowances-of-action',
      text: `select ${COLUMNS} from ${HOLDING}
             where a.user_id = $1::uuid and a.grant_id = $2::uuid and a.action = $3 and a.revision = $4 and ${isOfAsker('$5', '$6::uuid')}
             order by a.created_at desc, a.id`,
    },
    [of.userId, of.grantId, of.action, of.revision, of.asker, of.clientId],
  );
}

/** A user's allowances of actions with these revisions, newest first. */
export function selectAllowances(db: Queryable, userId: string, revisions: Readonly<Record<string, string>>): Promise<AllowanceRow[]> {
  return db.query<AllowanceRow>(
    `select ${COLUMNS} from ${HOLDING} where a.user_id = $1::uuid and a.revision = $2::jsonb ->> a.action order by a.created_at desc, a.id`,
    [userId, JSON.stringify(revisions)],
  );
}

export async function countAllowances(tx: Queryable, userId: string): Promise<number> {
  const rows = await tx.query<{ count: number }>(`select count(*)::int as count from ${HOLDING} where a.user_id = $1::uuid`, [userId]);
  return rows[0]?.count ?? 0;
}

/** @returns the allowance; undefined when the user has no such */
export async function deleteAllowance(tx: Queryable, userId: string, id: string): Promise<AllowanceRow | undefined> {
  const rows = await tx.query<AllowanceRow>(`delete from allowances a where id = $1::uuid and user_id = $2::uuid returning ${COLUMNS}`, [
    id,
    userId,
  ]);
  return rows[0];
}

/** Deletes what a user has allowed a client. */
export async function deleteAllowancesOf(tx: Queryable, userId: string, clientId: string): Promise<void> {
  await tx.query('delete from allowances where user_id = $1::uuid and client_id = $2::uuid', [userId, clientId]);
}

/** Deletes allowances of actions that have another revision now, or are gone: restoring the earlier file must not reactivate them. */
export async function deleteReconfiguredAllowances(db: Queryable, revisions: Readonly<Record<string, string>>): Promise<void> {
  await db.query(
    `/* all users: a change of the configuration */ delete from allowances where (user_id, id) in (
       select user_id, id from allowances where $1::jsonb ->> action is distinct from revision order by id for update
     )`,
    [JSON.stringify(revisions)],
  );
}
