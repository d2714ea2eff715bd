import type { Queryable } from '../database/database.ts';
import type { BankAccount } from '../providers/bank/bank-item.ts';
import type { GrantStatus } from '../vault/grants-repository.ts';

export type ItemWarning = 'pending_disconnect' | 'pending_expiration';

/** What the aggregator has announced of an entry; null = nothing. */
export interface Announced {
  warning: ItemWarning | null;
  /** When the warning comes true, where that is known. */
  expiresAt: Date | null;
}

export interface ItemRow extends Announced {
  id: string;
  userId: string;
  grantId: string;
  /** The aggregator's id of the item. */
  subject: string;
  institutionId: string | null;
  bankName: string;
  accounts: BankAccount[];
  status: GrantStatus;
  /** The bank has accounts that the user could share, too. */
  newAccounts: boolean;
  /** Raised by every change of what is known of the item: the fence of readings. */
  checks: number;
  /** Update mode was opened lately, and nothing was read since that shows what came of it. */
  inUpdateMode: boolean;
}

/** A link token of update mode lives for 30 minutes, a bank's own pages take their time. */
const UPDATE_MODE = '4 hours';

const SELECT = `select i.id, i.user_id as "userId", i.grant_id as "grantId", g.subject, i.institution_id as "institutionId", i.bank_name as "bankName", i.accounts, g.status,
    i.warning, i.expires_at as "expiresAt", i.new_accounts as "newAccounts", i.checks,
    coalesce(i.update_mode_at > now() - interval '${UPDATE_MODE}', false) as "inUpdateMode"
  from bank_items i join grants g on g.id = i.grant_id`;

/** Linked longest first. */
export async function selectItems(db: Queryable, userId: string): Promise<ItemRow[]> {
  return db.query<ItemRow>({ name: 'bank-items', text: `${SELECT} where i.user_id = $1::uuid order by i.connected_at, i.id` }, [userId]);
}

export async function selectItem(db: Queryable, userId: string, itemId: string): Promise<ItemRow | undefined> {
  const rows = await db.query<ItemRow>(`${SELECT} where i.id = $2::uuid and i.user_id = $1::uuid`, [userId, itemId]);
  return rows[0];
}

/** The same, locked until the transaction ends. */
export async function lockItem(tx: Queryable, userId: string, itemId: string): Promise<ItemRow | undefined> {
  const rows = await tx.query<ItemRow>(`${SELECT} where i.id = $2::uuid and i.user_id = $1::uuid for no key update of i`, [userId, itemId]);
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
    `update bank_items set institution_id = $3, bank_name = $4, accounts = $5::jsonb, checks = checks + 1
     where id = $1::uuid and user_id = $2::uuid`,
    [id, userId, details.institutionId, details.bankName, JSON.stringify(details.accounts)],
  );
}

export async function updateAnnounced(tx: Queryable, userId: string, id: string, { warning, expiresAt }: Announced): Promise<void> {
  await tx.query(
    'update bank_items set warning = $3, expires_at = $4::timestamptz, checks = checks + 1 where id = $1::uuid and user_id = $2::uuid',
    [id, userId, warning, expiresAt],
  );
}

/** The bank has new accounts to offer; or, `offered` false, the user has chosen, and update mode is over. */
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

/** Incremental reading begins anew with this item. Not null, which a reading of the old item may have begun with and would take for its own. */
export async function resetSyncState(tx: Queryable, userId: string, id: string, subject: string): Promise<void> {
  await tx.query('update bank_items set sync_state = $3::jsonb where id = $1::uuid and user_id = $2::uuid', [
    id,
    userId,
    JSON.stringify({ item: subject, start: '', cursor: '' }),
  ]);
}
