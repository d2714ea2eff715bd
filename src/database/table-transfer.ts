import { AppError, StartError } from '../errors.ts';
import type { Queryable } from './database.ts';
import { sqlState } from './database-errors.ts';
import { allTables, type TableName } from './tables.ts';

/** The tables of an export, in the order of their foreign keys. */
export const TRANSFERRED = allTables().flatMap(([name, { isLocal }]) => (isLocal ? [] : [name]));

/** Tables whose user_id has no foreign key, so that inserts do not check it. */
const UNREFERENCED = allTables().flatMap(([name, { erased }]) => (typeof erased === 'object' ? [name] : []));
const FOREIGN_KEY_VIOLATION = '23503';

/** Rows per fetch; a row may have megabytes. */
const FETCHED = 100;

/** The names of all applied migrations, in order. Databases with the same migrations have the same tables. */
export async function schemaOf(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>('select name::text as name from pgmigrations order by name');
  return rows.map(({ name }) => name);
}

/** The planner's estimate of the number of rows; counting them would take as long as reading them. */
export async function estimateRows(tx: Queryable): Promise<number> {
  const rows = await tx.query<{ count: string }>(
    `select coalesce(sum(greatest(reltuples, 0)), 0)::bigint::text as count
     from unnest($1::text[]) as transferred (name) cross join pg_partition_tree(name) join pg_class on oid = relid`,
    [[...TRANSFERRED]],
  );
  return Number(rows[0]?.count ?? 0);
}

/** The rows of one table as JSON texts, which represent every value exactly: bytes in hex, times in microseconds. */
export async function* readRows(tx: Queryable, table: TableName): AsyncGenerator<string[]> {
  await tx.query(`declare transferred no scroll cursor for select to_jsonb(t)::text as row from ${table} t`);
  for (let rows = [{ row: '' }]; rows.length > 0; ) {
    rows = await tx.query<{ row: string }>(`fetch ${FETCHED} from transferred`);
    if (rows.length > 0) yield rows.map(({ row }) => row);
  }
  await tx.query('close transferred');
}

/**
 * Locks the database for one import, until the transaction ends.
 *
 * @throws StartError when the database is not empty
 */
export async function lockEmpty(tx: Queryable): Promise<void> {
  // Migrations lock this row, too.
  await tx.query('select id from schema_guard where id = 1 for no key update');
  for (const table of TRANSFERRED) {
    const [found] = await tx.query(`select 1 from ${table} limit 1`);
    if (found !== undefined) {
      throw new StartError(
        `The database is not empty: there are rows in ${table}. Import into a new database that no service has used yet.`,
      );
    }
  }
}

export async function columnsOf(db: Queryable, table: TableName): Promise<Set<string>> {
  const rows = await db.query<{ name: string }>(
    `select attname::text as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  );
  return new Set(rows.map(({ name }) => name));
}

/**
 * Inserts rows of {@link readRows}.
 *
 * @throws StartError when the database rejects a row
 */
export async function writeRows(
  tx: Queryable,
  table: TableName,
  columns: ReadonlyMap<TableName, ReadonlySet<string>>,
  rows: readonly string[],
): Promise<void> {
  const names = [...(columns.get(table) ?? [])].join(', ');
  try {
    await tx.query(
      `insert into ${table} (${names}) overriding system value select ${names} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
      [`[${rows.join(',')}]`],
    );
  } catch (error) {
    // For a missing user, the driver's error is the cause of an AppError.
    const state = sqlState(error instanceof AppError ? error.cause : error);
    // 22: invalid value; 23: violated constraint; 54001: nested too deeply.
    if (/^(22|23|54)/.test(state)) throw invalidRow(table, state);
    throw error;
  }
}

function invalidRow(table: TableName, state: string): StartError {
  return new StartError(`The database rejects a row of ${table} (SQLSTATE ${state}).`);
}

/**
 * Completes an import: sequences continue after the highest id, and rows that were in the old job queue are queued again.
 *
 * @throws StartError when a row belongs to a user who neither exists nor is being erased
 */
export async function finishTransfer(tx: Queryable): Promise<void> {
  for (const table of UNREFERENCED) {
    const [orphan] = await tx.query(
      `select 1 from ${table} t
       where not exists (select 1 from users u where u.id = t.user_id) and not exists (select 1 from erasures e where e.user_id = t.user_id)
       limit 1`,
    );
    if (orphan !== undefined) throw invalidRow(table, FOREIGN_KEY_VIOLATION);
  }
  for (const table of ['events', 'audit_log']) {
    await tx.query(`select setval(pg_get_serial_sequence('${table}', 'id'), max(id)) from ${table} having max(id) is not null`);
  }
  await tx.query('update revocations set queued_at = null where queued_at is not null');
  await tx.query('update bank_webhooks set queued_at = null where handled_at is null');
}
