import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runner } from 'node-pg-migrate';
import { Database, type DatabaseAddress } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { maintainPartitions } from '../../src/database/partitions.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { type ChangeFigure, changeBeside } from './beside.ts';
import type { History } from './history.ts';
import { type TimedStatement, timeStatements } from './timed-statements.ts';

const SILENT = createLogger('silent');
const MIGRATIONS = join(import.meta.dirname, '../../migrations');
/** The migration after which the tables have partitions. */
const PARTITIONING = '0028';

/** The update of a database without partitions, whose audit log has rows. The user has some of them. */
export async function measureUpdate(history: History, userId: string): Promise<ChangeFigure[]> {
  const address = { connectionString: history.databaseUrl };
  await using open = openDatabase(address);
  const migration = async () => {
    await migrate(open.db, address, SILENT);
    return [];
  };
  return [
    await changeBeside(history.databaseUrl, userId, 'migration to partitions', migration),
    await changeBeside(history.databaseUrl, userId, 'months begin', () => maintain(open.db)),
  ];
}

/** The partition of a month whose rows have all expired is dropped. */
export async function measureDrop({ databaseUrl }: History, userId: string): Promise<ChangeFigure> {
  await using open = openDatabase({ connectionString: databaseUrl });
  return await changeBeside(databaseUrl, userId, 'expired month dropped', () => maintain(open.db));
}

function openDatabase(address: DatabaseAddress) {
  const db = new Database(address, 1, SILENT);
  return { db, [Symbol.asyncDispose]: () => db.close() };
}

async function maintain(db: Database): Promise<TimedStatement[]> {
  const statements = timeStatements(db);
  await maintainPartitions(db, SILENT);
  return statements;
}

/** As a release without partitions has it. */
export async function undoPartitions(databaseUrl: string): Promise<void> {
  const count = readdirSync(MIGRATIONS).filter((file) => file >= PARTITIONING && file.endsWith('.sql')).length;
  await runner({ databaseUrl, dir: MIGRATIONS, migrationsTable: 'pgmigrations', direction: 'down', count, noLock: true, log: () => {} });
}
