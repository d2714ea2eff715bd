import type { Queryable } from '../../database/database.ts';

/** A value encrypted with its user's key, and its location (see AssociatedData in crypto/envelope.ts). */
export interface SealedValue {
  rowId: string;
  placeColumn: string;
  placeRowId: string;
  record: Buffer;
}

export interface SealedColumn {
  table: string;
  column: string;
  /** SQL of the column name and row id that the values are bound to. */
  placeColumn: string;
  rowId: string;
  /** If values were encrypted for another table: its name, and SQL of the row's id there. */
  sealedIn?: { table: string; rowId: string };
}

/** Every column with values that users' keys encrypt. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'grants', column: 'tokens', placeColumn: `'tokens/' || provider`, rowId: 'id::text' },
  {
    table: 'ended_grants',
    column: 'tokens',
    placeColumn: `'tokens/' || provider`,
    rowId: 'id::text',
    sealedIn: { table: 'grants', rowId: 'grant_id::text' },
  },
  { table: 'oauth_flows', column: 'secrets', placeColumn: `'secrets'`, rowId: 'id::text' },
  { table: 'oauth_flows', column: 'pending', placeColumn: `'pending'`, rowId: 'id::text' },
  { table: 'approvals', column: 'arguments', placeColumn: `'arguments/' || revision`, rowId: 'id::text' },
  { table: 'context_reads', column: 'sources', placeColumn: `'sources'`, rowId: 'id::text' },
  { table: 'approvals', column: 'outcome', placeColumn: `'outcome'`, rowId: 'id::text' },
  { table: 'allowances', column: 'covered', placeColumn: `'covered'`, rowId: 'id::text' },
  { table: 'idempotency_keys', column: 'answer', placeColumn: `'answer'`, rowId: `action || ' ' || key` },
];

/** Locks the user's rows with such a value until the transaction ends, and reads them. */
export async function selectSealed(
  tx: Queryable,
  { table, column, placeColumn, rowId, sealedIn }: SealedColumn,
  userId: string,
): Promise<SealedValue[]> {
  return tx.query<SealedValue>(
    `select ${rowId} as "rowId", ${placeColumn} as "placeColumn", ${sealedIn?.rowId ?? rowId} as "placeRowId", ${column} as record
     from ${table} where user_id = $1::uuid and ${column} is not null for no key update`,
    [userId],
  );
}

/** The row's version stays the same, because its content does. */
export async function updateSealed(
  tx: Queryable,
  { table, column, rowId }: SealedColumn,
  userId: string,
  value: SealedValue,
): Promise<void> {
  await tx.query(`update ${table} set ${column} = $3 where user_id = $1::uuid and ${rowId} = $2`, [userId, value.rowId, value.record]);
}
