import type { Queryable } from '../../database/database.ts';
import { allTables, type SealedColumn as Column } from '../../database/tables.ts';

/** A value encrypted with its user's key, and its location (see AssociatedData in crypto/envelope.ts). */
export interface SealedValue {
  rowId: string;
  placeColumn: string;
  placeRowId: string;
  record: Buffer;
  /** Of {@link SealedColumn.key}; null: it has none. */
  key: string[] | null;
}

export interface SealedColumn extends Column {
  table: string;
}

/** Rows of such a table that are read at once; one may have megabytes. */
const BATCH = 20;

/** Every column with values that users' keys encrypt. */
export const SEALED_COLUMNS: readonly SealedColumn[] = allTables().flatMap(([table, { sealed = [] }]) =>
  sealed.map((column) => ({ table, ...column })),
);

/**
 * Locks the user's rows with such a value until the transaction ends, and reads them: all of them, or a batch.
 *
 * @param after the last value of the batch before; undefined: the first one
 */
async function selectSealed(tx: Queryable, sealed: SealedColumn, userId: string, after: SealedValue | undefined): Promise<SealedValue[]> {
  const { table, column, place = `'${sealed.column}'`, rowId, sealedIn, key } = sealed;
  const start = after?.key ?? [];
  const beyond = key === undefined || start.length === 0 ? '' : `and (${key}) > (${start.map((_, index) => `$${index + 2}`)})`;
  return tx.query<SealedValue>(
    `select ${rowId} as "rowId", ${place} as "placeColumn", ${sealedIn?.rowId ?? rowId} as "placeRowId", ${column} as record,
       ${key === undefined ? 'null' : `array[${key.map((part) => `${part}::text`)}]`} as key
     from ${table} where user_id = $1::uuid and ${column} is not null ${beyond}
     ${key === undefined ? '' : `order by ${key} limit ${BATCH}`} for no key update`,
    [userId, ...start],
  );
}

/** The user's values of a column, in batches, locked until the transaction ends. */
export async function* sealedValues(tx: Queryable, sealed: SealedColumn, userId: string): AsyncGenerator<SealedValue> {
  for (let last: SealedValue | undefined, isFirst = true; isFirst || last !== undefined; isFirst = false) {
    const batch = await selectSealed(tx, sealed, userId, last);
    yield* batch;
    last = sealed.key !== undefined && batch.length === BATCH ? batch.at(-1) : undefined;
  }
}

/** The row's version stays the same, because its content does. */
export async function updateSealed(
  tx: Queryable,
  { table, column, rowId, key }: SealedColumn,
  userId: string,
  { rowId: id, record, key: values }: SealedValue,
): Promise<void> {
  const isRow = key === undefined ? `${rowId} = $3` : key.map((part, index) => `${part} = $${index + 3}`).join(' and ');
  await tx.query(`update ${table} set ${column} = $2 where user_id = $1::uuid and ${isRow}`, [userId, record, ...(values ?? [id])]);
}
