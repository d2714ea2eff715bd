import type { Queryable } from '../database/database.ts';
import { allTables, type ExportedTable, type SealedColumn } from '../database/tables.ts';

/** Maximum number of rows of a table, the newest ones; older rows of the audit log are on its pages. */
const ROWS = 2_000;
/** Maximum size of the encrypted values of a column, bytes. */
const CONTENTS = 4_000_000;

type Json = Record<string, unknown>;

/** An encrypted value in place of its plaintext: bytes in hex after `\x`, or null where it was left out; see AssociatedData. */
export interface SealedField {
  column: string;
  rowId: string;
  record: string | null;
}

export interface Section {
  rows: Json[];
  /** Columns with a {@link SealedField} or null. */
  sealed: readonly SealedColumn[];
  /** Older rows, or contents of some rows, were left out. */
  truncated: boolean;
}

/** The tables with rows of a user that are exported, and the rows: $1 is the user. */
export const EXPORTED = allTables().flatMap(([table, { user, exported, sealed = [] }]) => {
  if (user !== 'user_id' || exported === undefined) return [];
  const opened = sealed.filter(({ column }) => column in exported.columns);
  return [{ table, exported, sealed: opened, text: selectOf(table, exported, opened) }];
});

function selectOf(table: string, { order, columns }: ExportedTable, sealed: readonly SealedColumn[]): string {
  const fields = Object.keys(columns).map((column) => {
    const found = sealed.find((one) => one.column === column);
    return found === undefined ? column : sealedField(found, order);
  });
  return `select ${fields.join(', ')} from ${table} where user_id = $1::uuid order by ${order} limit ${ROWS + 1}`;
}

function sealedField({ column, place = `'${column}'`, rowId }: SealedColumn, order: string): string {
  const record = `case when sum(length(${column})) over (order by ${order}) <= ${CONTENTS} then ${column} end`;
  return `case when ${column} is not null then json_build_object('column', ${place}, 'rowId', ${rowId}, 'record', ${record}) end as ${column}`;
}

/**
 * The stored rows of a user by table, newest first. Times are ISO 8601.
 *
 * @returns undefined when the user was deleted
 */
export async function selectHeld(
  tx: Queryable,
  userId: string,
  identityHash: Buffer,
): Promise<{ user: Json; tables: Map<string, Section> } | undefined> {
  const user = await selectUser(tx, userId, identityHash);
  if (user === undefined) return undefined;
  const tables = new Map<string, Section>();
  for (const { table, sealed, text } of EXPORTED) {
    const read = (await tx.query<{ row: Json }>(`select row_to_json(held) as row from (${text}) as held`, [userId])).map(({ row }) => row);
    const isLeftOut = (row: Json) => sealed.some(({ column }) => (row[column] as SealedField | null)?.record === null);
    const rows = read.slice(0, ROWS);
    tables.set(table, { rows, sealed, truncated: read.length > ROWS || rows.some(isLeftOut) });
  }
  return { user, tables };
}

/** The user's own row, with the rows of its address and its identity. */
async function selectUser(tx: Queryable, userId: string, identityHash: Buffer): Promise<Json | undefined> {
  const rows = await tx.query<{ row: Json }>(
    `select row_to_json(held) as row from (
       select now() as exported_at, u.id, u.issuer, u.subject, u.email, u.time_zone, u.language, u.name, u.quiet_from, u.quiet_to,
         u.created_at, u.event_seq,
              (select row_to_json(w) from (select email, created_at from waitlist where email = lower(u.email)) as w) as waitlist,
              (select row_to_json(d) from (select deleted_at, user_id from deleted_users where identity_hash = $2) as d) as deleted_before
       from users u where u.id = $1::uuid) as held`,
    [userId, identityHash],
  );
  return rows[0]?.row;
}
