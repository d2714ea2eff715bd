import type { Queryable } from '../../database/database.ts';

/** An account on which the user permits no changes. */
export interface ReadOnlyRow {
  id: string;
  accountId: string;
  /** null: for everything. */
  clientId: string | null;
  since: Date;
}

const COLUMNS = `id, account_id as "accountId", client_id as "clientId", since`;

/** Oldest first. */
export function selectReadOnly(db: Queryable, userId: string): Promise<ReadOnlyRow[]> {
  return db.query<ReadOnlyRow>(`select ${COLUMNS} from read_only_accounts where user_id = $1::uuid order by since, id`, [userId]);
}

/**
 * Sets an account of the user to read-only, for everything or for one active client of the user's.
 *
 * @returns undefined when it is set already, or the user has no such account or client
 */
export async function insertReadOnly(
  tx: Queryable,
  userId: string,
  { id, accountId, clientId }: Omit<ReadOnlyRow, 'since'>,
): Promise<ReadOnlyRow | undefined> {
  const rows = await tx.query<ReadOnlyRow>(
    `insert into read_only_accounts (id, user_id, account_id, grant_id, client_id)
     select $1::uuid, $2::uuid, a.id, a.grant_id, $4::uuid from connected_accounts a
     where a.id = $3::uuid and a.user_id = $2::uuid
     on conflict do nothing returning ${COLUMNS}`,
    [id, userId, accountId, clientId],
  );
  return rows[0];
}

/** @returns undefined when the user has no such switch */
export async function deleteReadOnly(tx: Queryable, userId: string, id: string): Promise<ReadOnlyRow | undefined> {
  const rows = await tx.query<ReadOnlyRow>(
    `delete from read_only_accounts where id = $1::uuid and user_id = $2::uuid returning ${COLUMNS}`,
    [id, userId],
  );
  return rows[0];
}

/** Deletes the switches for a client. */
export async function deleteReadOnlyFor(tx: Queryable, userId: string, clientId: string): Promise<void> {
  await tx.query('delete from read_only_accounts where client_id = $1::uuid and user_id = $2::uuid', [clientId, userId]);
}
