import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartRefused } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { Database, DatabaseAddress, Queryable } from './database.ts';
import { sqlState } from './database-errors.ts';

/** Raised with every release whose schema older code can't work with. */
const CODE_VERSION = 1;

const MIGRATIONS = join(import.meta.dirname, '../../migrations');
const BOOTSTRAP_TRIES = 5;
/** Long enough for the statements of an ordinary day, and short enough for those who wait behind. */
const LOCK_TIMEOUT = '2s';
const WAITING = { tries: 15, pauseMs: 3_000 };
/** Not available in time, or held by somebody who waits for one of the migration's. */
const LOCKED = new Set(['55P03', '40P01']);
const BLOCKED =
  'The database could not be migrated: for a minute a table was in use by a transaction that does not end. Nothing was changed. Find it (select pid, xact_start, query from pg_stat_activity order by xact_start), end it, and start again.';

/**
 * Brings the schema up to date. Replicas that start together queue on one row's
 * lock inside one transaction: node-pg-migrate's own session lock fails them,
 * and a transaction pooler couldn't hold it.
 *
 * @param waiting how often it tries to have the tables, and how long it lets others have them in between
 * @throws StartRefused when the schema demands newer code than this, or a table isn't given free
 */
export async function migrate(database: Database, address: DatabaseAddress, logger: Logger, waiting = WAITING): Promise<void> {
  if (await isCurrent(database)) return;
  await createGuard(database);
  // A client of its own: a migration, or the wait for another replica's, may outlast the pool's statement time-out.
  const client = new pg.Client({ ...address });
  // A connection that breaks is told to the statement under way; unheard here it would end the process without a word.
  client.on('error', () => {});
  await client.connect();
  try {
    await runWhenFree(client, logger, waiting);
  } finally {
    await client.end();
  }
  await isCurrent(database);
}

/**
 * Whether the database takes writes and its schema is one that this code works with. A migration by a newer release
 * may end that while this process runs.
 *
 * @throws AppError `unavailable` when the database takes no writes: a standby after a failover answers all the same
 */
export async function isSchemaUsable(db: Queryable): Promise<boolean> {
  // Changes no row and locks none. Where only reads are taken it is refused, and the session that refused it is given up.
  const [guard] = await db.query<{ minimum: number }>(
    `with writing as (update schema_guard set id = id where false)
     select minimum_code_version as minimum from schema_guard`,
  );
  return guard !== undefined && guard.minimum <= CODE_VERSION;
}

async function isCurrent(database: Database): Promise<boolean> {
  const [guard] = await database.query<{ present: boolean }>(
    `select to_regclass('schema_guard') is not null and to_regclass('pgmigrations') is not null as present`,
  );
  if (guard?.present !== true) return false;
  const [state] = await database.query<{ minimum: number; names: string[] }>(
    'select minimum_code_version as minimum, array(select name::text from pgmigrations) as names from schema_guard',
  );
  if (state === undefined) return false;
  if (state.minimum > CODE_VERSION) {
    throw new StartRefused(
      `The database was migrated by a newer Steward: it needs code version ${state.minimum}, this is ${CODE_VERSION}. Start the newer release.`,
    );
  }
  return migrationNames().every((name) => state.names.includes(name));
}

function migrationNames(): string[] {
  return readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length));
}

/** `create table if not exists` is not safe against itself: the loser of a race gets an error and tries again. */
async function createGuard(database: Database): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await database.query(
        `create table if not exists schema_guard (
           id integer primary key check (id = 1),
           minimum_code_version integer not null)`,
      );
      await database.query('insert into schema_guard (id, minimum_code_version) values (1, 1) on conflict do nothing');
      return;
    } catch (error) {
      const raced = ['23505', '42P07', 'XX000'].includes(sqlState(error));
      if (!raced || attempt === BOOTSTRAP_TRIES) throw error;
    }
  }
}

/**
 * A migration changes tables that are in use. While it waits for one of their locks, everyone who comes after it waits
 * for it: so it waits for a moment only, gives back what it has, and tries again.
 *
 * @throws StartRefused when somebody keeps a lock for all that time
 */
async function runWhenFree(client: pg.Client, logger: Logger, { tries, pauseMs }: typeof WAITING): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runPending(client, logger);
    } catch (error) {
      if (!LOCKED.has(sqlState(error))) throw error;
      if (attempt === tries) throw new StartRefused(BLOCKED);
      logger.warn({ attempt, of: tries }, 'a migration waits for a table that is in use; trying again');
      await sleep(pauseMs);
    }
  }
}

async function runPending(client: pg.Client, logger: Logger): Promise<void> {
  // Loaded only when there may be something to run: it brings a loader and a command-line parser along.
  const { runner } = await import('node-pg-migrate');
  const errors: string[] = [];
  const silent = () => {};
  await client.query('begin');
  try {
    await client.query('select id from schema_guard where id = 1 for no key update');
    // From here on: the turn of another replica's migrations is waited for as long as they take.
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    // Its own BEGIN is a no-op inside ours, its COMMIT ends ours: lock and migrations live and die together.
    const done = await runner({
      dbClient: client,
      dir: MIGRATIONS,
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
    if (!LOCKED.has(sqlState(error))) for (const message of errors) logger.error(message);
    throw error;
  }
}
