import type { Queryable } from '../database/database.ts';
import type { BankAccount } from '../providers/bank/bank-item.ts';
import type { GrantStatus } from '../vault/grants/grants-repository.ts';

/** A warning that access to an item ends soon; null: none. */
export interface ItemWarning {
  warning: 'pending_disconnect' | 'pending_expiration' | null;
  /** When access ends, if that is known. */
  expiresAt: Date | null;
}

export interface ItemDetails {
  institutionId: string | null;
  bankName: string;
  accounts: BankAccount[];
}

export interface ItemRow extends ItemWarning, ItemDetails {
  id: string;
  userId: string;
  grantId: string;
  /** The aggregator's id of the item. */
  subject: string;
  status: GrantStatus;
  /** The bank has further accounts that the user can share in update mode. */
  newAccounts: boolean;
  /** Incremented by every change, so that an outdated reading is not stored. */
  checks: number;
  /** The same of its grant: a call may have learnt the status meanwhile. */
  version: number;
  /** Update mode was opened recently, and its result was not read yet. */
  inUpdateMode: boolean;
}

/** A link token of update mode expires after 30 minutes, and a bank's own pages may take longer. */
const UPDATE_MODE = '4 hours';

/** Interval of scheduled checks of an item, with jitter of a quarter. */
const BETWEEN_CHECKS = '6 hours';
/** How long a replica has an item to itself, and the pause after a failed check. */
const LEASE = '15 minutes';

const SELECT = `select i.id, i.user_id as "userId", i.grant_id as "grantId", g.subject, i.institution_id as "institutionId", i.bank_name as "bankName", i.accounts, g.status, g.version,
    i.warning, i.expires_at as "expiresAt", i.new_accounts as "newAccounts", i.checks,
    coalesce(i.update_mode_at > now() - interval '${UPDATE_MODE}', false) as "inUpdateMode"
  from bank_items i join grants g on g.id = i.grant_id and g.user_id = i.user_id`;

/** Oldest first. */
export async function selectItems(db: Queryable, userId: string): Promise<ItemRow[]> {
  return db.query<ItemRow>({ name: 'bank-items', text: `${SELECT} where i.user_id = $1::uuid order by i.connected_at, i.id` }, [userId]);
}

/** An item as lists show it. */
export type ListedItem = Pick<ItemRow, 'id' | 'bankName' | 'accounts' | 'status' | 'warning' | 'newAccounts'> & {
  /** ISO 8601. */
  expiresAt: string | null;
};

/**
 * The items of each user, oldest first, in the users' order. Postgres makes one JSON text a user: it is parsed in a
 * quarter of the time that rows take, column by column.
 */
export async function selectItemsOfUsers(db: Queryable, userIds: readonly string[]): Promise<ListedItem[][]> {
  const distinct = [...new Set(userIds)];
  const rows = await db.query<{ userId: string; items: ListedItem[] | null }>(
    {
      name: 'items-of-users',
      text: `select asked.user_id as "userId", listed.items
             from unnest($1::uuid[]) as asked (user_id) cross join lateral (
               select json_agg(json_build_object('id', i.id, 'bankName', i.bank_name, 'accounts', i.accounts, 'status', g.status,
                   'warning', i.warning, 'expiresAt', i.expires_at, 'newAccounts', i.new_accounts)
                 order by i.connected_at, i.id) as items
               from bank_items i join grants g on g.id = i.grant_id and g.user_id = asked.user_id where i.user_id = asked.user_id) listed`,
    },
    [distinct],
  );
  const found = new Map(rows.map(({ userId, items }) => [userId, items ?? []]));
  return userIds.map((userId) => found.get(userId) ?? []);
}

export async function selectItem(db: Queryable, userId: string, itemId: string): Promise<ItemRow | undefined> {
  const rows = await db.query<ItemRow>(`${SELECT} where i.id = $2::uuid and i.user_id = $1::uuid`, [userId, itemId]);
  return rows[0];
}

/** As {@link selectItem}, locked until the transaction ends. */
export async function lockItem(tx: Queryable, userId: string, itemId: string): Promise<ItemRow | undefined> {
  const rows = await tx.query<ItemRow>(`${SELECT} where i.id = $2::uuid and i.user_id = $1::uuid for no key update of i`, [userId, itemId]);
  return rows[0];
}

export async function insertItem(tx: Queryable, id: string, grantId: string, userId: string, details: ItemDetails): Promise<void> {
  await tx.query(
    `insert into bank_items (id, grant_id, user_id, institution_id, bank_name, accounts) values ($1::uuid, $2::uuid, $3::uuid, $4, $5, $6::jsonb)`,
    [id, grantId, userId, details.institutionId, details.bankName, JSON.stringify(details.accounts)],
  );
}

export async function updateItem(tx: Queryable, userId: string, id: string, details: ItemDetails): Promise<void> {
  await tx.query(
    `update bank_items set institution_id = $3, bank_name = $4, accounts = $5::jsonb, checks = checks + 1
     where id = $1::uuid and user_id = $2::uuid`,
    [id, userId, details.institutionId, details.bankName, JSON.stringify(details.accounts)],
  );
}

export async function updateWarning(tx: Queryable, userId: string, id: string, { warning, expiresAt }: ItemWarning): Promise<void> {
  await tx.query(
    'update bank_items set warning = $3, expires_at = $4::timestamptz, checks = checks + 1 where id = $1::uuid and user_id = $2::uuid',
    [id, userId, warning, expiresAt],
  );
}

/** @param offered true: the bank has new accounts; false: the user has chosen, and update mode has ended */
export async function updateNewAccounts(tx: Queryable, userId: string, id: string, offered: boolean): Promise<void> {
  await tx.query(
    `update bank_items set new_accounts = $3, update_mode_at = case when $3 then update_mode_at end
     where id = $1::uuid and user_id = $2::uuid`,
    [id, userId, offered],
  );
}

export async function noteUpdateMode(db: Queryable, userId: string, id: string): Promise<void> {
  await db.query('update bank_items set update_mode_at = now() where id = $1::uuid and user_id = $2::uuid', [id, userId]);
}

/** Restarts incremental reading with this item. Not null: a concurrent first reading of the old item expects null. */
export async function resetSyncState(tx: Queryable, userId: string, id: string, subject: string): Promise<void> {
  await tx.query('update bank_items set sync_state = $3::jsonb where id = $1::uuid and user_id = $2::uuid', [
    id,
    userId,
    JSON.stringify({ item: subject, start: '', cursor: '' }),
  ]);
}

/** Leases items to the caller that were not checked for hours. */
export async function leaseDueItems(db: Queryable, limit: number): Promise<{ id: string; userId: string }[]> {
  return db.query<{ id: string; userId: string }>(
    `/* all users: what is due next */ update bank_items set check_after = now() + $2::interval * (0.75 + random() / 2)
     where (user_id, id) in (select user_id, id from bank_items where check_after < now() order by check_after limit $1 for no key update skip locked)
     returning id, user_id as "userId"`,
    [limit, LEASE],
  );
}

/** @param ended the item no longer exists at the aggregator: it is not checked again until it is relinked */
export async function noteChecked(tx: Queryable, userId: string, id: string, ended: boolean): Promise<void> {
  await tx.query(
    `update bank_items set checks = checks + 1,
       check_after = case when $3 then 'infinity' else now() + $4::interval * (0.75 + random() / 2) end
     where id = $1::uuid and user_id = $2::uuid`,
    [id, userId, ended, BETWEEN_CHECKS],
  );
}
