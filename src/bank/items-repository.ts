import type { Queryable } from '../database/database.ts';
import type { BankAccount } from '../providers/bank.ts';
import type { GrantStatus } from '../vault/grants-repository.ts';

export interface ItemRow {
  id: string;
  userId: string;
  grantId: string;
  /** The aggregator's id of the item. */
  subject: string;
  institutionId: string | null;
  bankName: string;
  accounts: BankAccount[];
  status: GrantStatus;
}

const SELECT = `select i.id, i.user_id as "userId", i.grant_id as "grantId", g.subject, i.institution_id as "institutionId", i.bank_name as "bankName", i.accounts, g.status
  from bank_items i join grants g on g.id = i.grant_id`;

/** Linked longest first. */
export async function selectItems(db: Queryable, userId: string): Promise<ItemRow[]> {
  return db.query<ItemRow>({ name: 'bank-items', text: `${SELECT} where i.user_id = $1::uuid order by i.connected_at, i.id` }, [userId]);
}

export async function selectItem(db: Queryable, userId: string, itemId: string): Promise<ItemRow | undefined> {
  const rows = await db.query<ItemRow>(`${SELECT} where i.id = $2::uuid and i.user_id = $1::uuid`, [userId, itemId]);
  return rows[0];
}

export interface ItemDetails {
  institutionId: string | null;
  bankName: string;
  accounts: BankAccount[];
}

export async function insertItem(tx: Queryable, id: string, grantId: string, userId: string, details: ItemDetails): Promise<void> {
  await tx.query(
    `insert into bank_items (id, grant_id, user_id, institution_id, bank_name, accounts) values ($1::uuid, $2::uuid, $3::uuid, $4, $5, $6::jsonb)`,
    [id, grantId, userId, details.institutionId, details.bankName, JSON.stringify(details.accounts)],
  );
}

export async function updateItem(tx: Queryable, userId: string, id: string, details: ItemDetails): Promise<void> {
  await tx.query(
    `update bank_items set institution_id = $3, bank_name = $4, accounts = $5::jsonb where id = $1::uuid and user_id = $2::uuid`,
    [id, userId, details.institutionId, details.bankName, JSON.stringify(details.accounts)],
  );
}

/** Incremental reading begins anew with this item. Not null, which a reading of the old item may have begun with and would take for its own. */
export async function resetSyncState(tx: Queryable, userId: string, id: string, subject: string): Promise<void> {
  await tx.query('update bank_items set sync_state = $3::jsonb where id = $1::uuid and user_id = $2::uuid', [
    id,
    userId,
    JSON.stringify({ item: subject, start: '', cursor: '' }),
  ]);
}
