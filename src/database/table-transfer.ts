import { AppError, StartRefused } from '../errors.ts';
import type { Queryable } from './database.ts';
import { sqlState } from './database-errors.ts';

/** What an export holds, in the order in which rows refer to one another. */
export const TRANSFERRED = [
  'key_canaries',
  'users',
  'deleted_users',
  'user_keys',
  'former_user_keys',
  'grants',
  'ended_grants',
  'workspace_accounts',
  'bank_items',
  'bank_webhooks',
  'browser_bindings',
  'oauth_flows',
  'revocations',
  'provider_subjects',
  'waitlist',
  'events',
  'approvals',
  'idempotency_keys',
  'audit_log',
  'erasures',
] as const;

export type TransferredTable = (typeof TRANSFERRED)[number];

/** Tables of users' rows without a foreign key (migrations/0008_erasures.sql): no insert looks whose they are. */
const UNREFERENCED = ['events', 'approvals', 'idempotency_keys', 'audit_log'] as const;
const FOREIGN_KEY_VIOLATION = '23503';

/** At a time; a row may have megabytes. */
const FETCHED = 100;

/** The names of all migrations that have run, in order: two databases with the same ones have the same tables. */
export async function schemaOf(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>('select name::text as name from pgmigrations order by name');
  return rows.map(({ name }) => name);
}

/** About how many rows there are, as the planner has it: counting them would take as long as reading them. */
export async function estimateRows(tx: Queryable): Promise<number> {
  const rows = await tx.query<{ count: string }>(
    'select coalesce(sum(greatest(reltuples, 0)), 0)::bigint::text as count from pg_class where oid = any($1::text[]::regclass[])',
    [[...TRANSFERRED]],
  );
  return Number(rows[0]?.count ?? 0);
}

/** The rows of one table as JSON texts, which hold every value as it is: bytes in hex, times to the microsecond. */
export async function* readRows(tx: Queryable, table: TransferredTable): AsyncGenerator<string[]> {
  await tx.query(`declare transferred no scroll cursor for select to_jsonb(t)::text as row from ${table} t`);
  for (let rows = [{ row: '' }]; rows.length > 0; ) {
    rows = await tx.query<{ row: string }>(`fetch ${FETCHED} from transferred`);
    if (rows.length > 0) yield rows.map(({ row }) => row);
  }
  await tx.query('close transferred');
}

/**
 * Takes the database for one import, until the transaction ends.
 *
 * @throws StartRefused when it holds anything
 */
export async function lockEmpty(tx: Queryable): Promise<void> {
  // Migrations wait on this row too.
  await tx.query('select id from schema_guard where id = 1 for no key update');
  for (const table of TRANSFERRED) {
    const [found] = await tx.query(`select 1 from ${table} limit 1`);
    if (found !== undefined) {
      throw new StartRefused(
        `The database is not empty: there are rows in ${table}. Import into a new database that no service has used yet.`,
      );
    }
  }
}

export async function columnsOf(db: Queryable, table: TransferredTable): Promise<Set<string>> {
  const rows = await db.query<{ name: string }>(
    `select attname::text as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  );
  return new Set(rows.map(({ name }) => name));
}

/**
 * Inserts rows that {@link readRows} gave.
 *
 * @throws StartRefused when the database doesn't take one
 */
export async function writeRows(
  tx: Queryable,
  table: TransferredTable,
  columns: ReadonlySet<string>,
  rows: readonly string[],
): Promise<void> {
  const names = [...columns].join(', ');
  try {
    await tx.query(
      `insert into ${table} (${names}) overriding system value select ${names} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
      [`[${rows.join(',')}]`],
    );
  } catch (error) {
    // A user that isn't there is told as such, with the driver's error as its cause.
    const state = sqlState(error instanceof AppError ? error.cause : error);
    // 22: a value that is none of its type; 23: a rule between rows or values; 54001: nested too deep.
    if (/^(22|23|54)/.test(state)) throw notTaken(table, state);
    throw error;
  }
}

function notTaken(table: TransferredTable, state: string): StartRefused {
  return new StartRefused(`A row of ${table} is not one that this database takes (SQLSTATE ${state}).`);
}

/**
 * What rows alone don't bring: numbers go on after the highest, and what waited in the old job queue is queued anew.
 *
 * @throws StartRefused when there are rows of users who are neither there nor being erased
 */
export async function finishTransfer(tx: Queryable): Promise<void> {
  for (const table of UNREFERENCED) {
    const [orphan] = await tx.query(
      `select 1 from ${table} t
       where not exists (select 1 from users u where u.id = t.user_id) and not exists (select 1 from erasures e where e.user_id = t.user_id)
       limit 1`,
    );
    if (orphan !== undefined) throw notTaken(table, FOREIGN_KEY_VIOLATION);
  }
  for (const table of ['events', 'audit_log']) {
    await tx.query(`select setval(pg_get_serial_sequence('${table}', 'id'), max(id)) from ${table} having max(id) is not null`);
  }
  await tx.query('update revocations set queued_at = null where queued_at is not null');
  await tx.query('update bank_webhooks set queued_at = null where handled_at is null');
}
