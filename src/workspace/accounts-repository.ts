import type { Queryable } from '../database/database.ts';
import type { GrantStatus } from '../vault/grants/grants-repository.ts';

export interface AccountRow {
  id: string;
  grantId: string;
  email: string;
  name: string;
  picture: string;
  isDefault: boolean;
  status: GrantStatus;
  scopes: string[];
}

export async function selectAccounts(db: Queryable, userId: string): Promise<AccountRow[]> {
  return db.query<AccountRow>(
    {
      name: 'workspace-accounts',
      text: `select a.id, a.grant_id as "grantId", a.email, a.name, a.picture, a.is_default as "isDefault", g.status, g.scopes
             from workspace_accounts a join grants g on g.id = a.grant_id and g.user_id = a.user_id
             where a.user_id = $1::uuid order by a.connected_at, a.id`,
    },
    [userId],
  );
}

/** Stores the account of a grant. An existing account keeps its id and flag; the user's first account becomes the default. */
export async function upsertAccount(
  tx: Queryable,
  account: { id: string; grantId: string; userId: string; email: string; name: string; picture: string },
): Promise<string> {
  const rows = await tx.query<{ id: string }>(
    `insert into workspace_accounts (id, grant_id, user_id, email, name, picture, is_default)
     values ($1::uuid, $2::uuid, $3::uuid, $4, $5, $6, not exists (select 1 from workspace_accounts where user_id = $3::uuid))
     on conflict (user_id, grant_id) do update set email = excluded.email, name = excluded.name, picture = excluded.picture
     returning id`,
    [account.id, account.grantId, account.userId, account.email, account.name, account.picture],
  );
  return rows[0]?.id ?? account.id;
}

export async function selectAccount(tx: Queryable, userId: string, accountId: string): Promise<{ grantId: string } | undefined> {
  const rows = await tx.query<{ grantId: string }>(
    `select grant_id as "grantId" from workspace_accounts where id = $1::uuid and user_id = $2::uuid`,
    [accountId, userId],
  );
  return rows[0];
}

/** @returns false when the user has no such account */
export async function makeDefault(tx: Queryable, userId: string, accountId: string): Promise<boolean> {
  if ((await selectAccount(tx, userId, accountId)) === undefined) return false;
  // Two statements: the unique index on the default is checked row by row.
  await tx.query('update workspace_accounts set is_default = false where user_id = $1::uuid and is_default', [userId]);
  await tx.query('update workspace_accounts set is_default = true where id = $1::uuid and user_id = $2::uuid', [accountId, userId]);
  return true;
}

/** Makes the oldest account the default if none is. */
export async function ensureDefault(tx: Queryable, userId: string): Promise<void> {
  await tx.query(
    `update workspace_accounts set is_default = true
     where user_id = $1::uuid and id = (select id from workspace_accounts where user_id = $1::uuid order by connected_at, id limit 1)
       and not exists (select 1 from workspace_accounts where user_id = $1::uuid and is_default)`,
    [userId],
  );
}
