import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Clock } from '../clock/clock.ts';
import { StartError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { Database, DatabaseAddress, Queryable } from './database.ts';
import { isLocked } from './database-errors.ts';

/** Raised with every release whose schema is incompatible with older code. */
export const CODE_VERSION = 2;

const MIGRATIONS = join(import.meta.dirname, '../../migrations');
/** The first migration of every database of a release. */
const BASELINE = '0001_schema';
/** Key of the advisory lock for creating the first table: "stew" in ASCII, lest another program’s be the same. */
const GUARD_LOCK = 0x73_74_65_77;
/** Longer than ordinary statements take; short enough for the requests that queue behind a waiting migration. */
const LOCK_TIMEOUT = '2s';
const OPTIONS = { directory: MIGRATIONS, tries: 15, pauseMs: 3_000 };
const BLOCKED =
  'The database could not be migrated: a transaction has kept a table locked for a minute. Nothing was changed. Find the transaction (select pid, xact_start, query from pg_stat_activity order by xact_start), end it, and start again.';

/**
 * Runs the pending migrations. Replicas that start together wait for the lock of one row, inside one transaction:
 * node-pg-migrate's own session lock makes all but one fail, and does not work with a transaction pooler.
 *
 * @param options the folder with the migrations; attempts to lock the tables, and the pause between them
 * @throws StartError when the schema requires newer code or is older than the first release, or a table stays locked
 */
export async function migrate(database: Database, address: DatabaseAddress, logger: Logger, options = OPTIONS): Promise<void> {
  if (await isCurrent(database, address, options)) return;
  await createGuard(database);
  // A separate client: a migration, or the wait for another replica's, may take longer than the pool's time-out.
  const client = new pg.Client({ ...address });
  // A lost connection rejects the running statement; without a listener, the event would also end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await runWhenUnlocked(client, database.clock, logger, options);
  } finally {
    await client.end();
  }
  await isCurrent(database, address, options);
}

/**
 * Whether the database is writable and its schema compatible with this code. A migration by a newer release may change
 * that while this process runs.
 *
 * @throws AppError `unavailable` when the database is read-only, as a standby is after a failover
 */
export async function isSchemaUsable(db: Queryable): Promise<boolean> {
  // Changes and locks no row. A read-only session rejects it, and is then discarded.
  const [guard] = await db.query<{ minimum: number }>(
    `with writing as (update schema_guard set id = id where false)
     select minimum_code_version as minimum from schema_guard`,
  );
  return guard !== undefined && guard.minimum <= CODE_VERSION;
}

async function isCurrent(database: Database, address: DatabaseAddress, { directory }: typeof OPTIONS): Promise<boolean> {
  const [guard] = await database.query<{ present: boolean }>(
    `select to_regclass('schema_guard') is not null and to_regclass('pgmigrations') is not null as present`,
  );
  if (guard?.present !== true) return false;
  const [state] = await database.query<{ minimum: number; names: string[] }>(
    'select minimum_code_version as minimum, array(select name::text from pgmigrations) as names from schema_guard',
  );
  if (state === undefined) return false;
  if (state.names.length > 0 && !state.names.includes(BASELINE)) throw new StartError(tooOld(address));
  if (state.minimum > CODE_VERSION) {
    throw new StartError(
      `The database was migrated by a newer Steward: it needs code version ${state.minimum}, this is ${CODE_VERSION}. Start the newer release.`,
    );
  }
  return migrationNames(directory).every((name) => state.names.includes(name));
}

function tooOld({ folder, connectionString }: DatabaseAddress): string {
  const made = 'was made by a Steward from before its first release, which this one can’t read. Nothing was changed.';
  if (folder !== undefined)
    return `The database in ${folder} ${made} Move that folder away, or set DATA_DIR to another one, and start again.`;
  const { host, pathname } = new URL(connectionString ?? '');
  return `The database ${host}${pathname} ${made} Set DATABASE_URL to a new, empty database, and start again.`;
}

function migrationNames(directory: string): string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length));
}

/** One replica at a time: concurrent `create table if not exists` statements fail in several ways. */
async function createGuard(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [GUARD_LOCK]);
    await tx.query(
      `create table if not exists schema_guard (
         id integer primary key check (id = 1),
         minimum_code_version integer not null)`,
    );
    await tx.query('insert into schema_guard (id, minimum_code_version) values (1, 1) on conflict do nothing');
  });
}

/**
 * Requests queue behind a migration that waits for a lock. So it waits briefly, releases its own locks, and retries.
 *
 * @throws StartError when a lock is held during all attempts
 */
async function runWhenUnlocked(client: pg.Client, clock: Clock, logger: Logger, options: typeof OPTIONS): Promise<void> {
  const { tries, pauseMs } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runPending(client, logger, options);
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (attempt === tries) throw new StartError(BLOCKED);
      logger.warn({ attempt, of: tries }, 'a migration waits for a table that is in use; retrying');
      await clock.sleep(pauseMs);
    }
  }
}

async function runPending(client: pg.Client, logger: Logger, { directory }: typeof OPTIONS): Promise<void> {
  // Loaded only if there may be migrations to run, because it includes a loader and a command-line parser.
  const { runner } = await import('node-pg-migrate');
  const errors: string[] = [];
  const silent = () => {};
  await client.query('begin');
  try {
    await client.query('select id from schema_guard where id = 1 for no key update');
    // Set only now: the wait above, for another replica's migrations, has no limit.
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    // Its BEGIN has no effect inside this transaction, and its COMMIT ends it: lock and migrations commit together.
    const done = await runner({
      dbClient: client,
      dir: directory,
      migrationsTable: 'pgmigrations',
      direction: 'up',
      noLock: true,
      singleTransaction: true,
      logger: { debug: silent, info: silent, warn: silent, error: (message: string) => errors.push(message) },
    });
    if (done.length === 0) await client.query('commit');
    else logger.info({ migrations: done.map((migration) => migration.name) }, 'database migrated');
  } catch (error) {
    await client.query('rollback');
    if (!isLocked(error)) for (const message of errors) logger.error(message);
    throw error;
  }
}
