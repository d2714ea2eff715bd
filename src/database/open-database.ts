import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Logger } from '../observability/logger.ts';
import { Database, type DatabaseAddress, type Patience } from './database.ts';
import { startEmbeddedDatabase } from './embedded.ts';

/**
 * Connects to the database that the configuration names: Postgres, or the embedded one, whose folder the caller has
 * locked.
 *
 * @param connections at most; the embedded database has one
 * @param patience a request's unless told
 * @param resources closes the database when disposed
 * @throws AppError `unavailable`
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  connections: number,
  logger: Logger,
  resources: AsyncDisposableStack,
  patience?: Patience,
): Promise<{ db: Database; address: DatabaseAddress }> {
  // One connection to the embedded database: it has one session, and its socket server passes protocol messages
  // on one by one, so that statement and parameters of two connections would mix.
  const most = config.databaseUrl === undefined ? 1 : connections;
  const address = await databaseAddress(config, most, resources);
  const db = new Database(address, most, logger, patience);
  resources.defer(() => db.close());
  await db.reach();
  return { db, address };
}

async function databaseAddress(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  connections: number,
  resources: AsyncDisposableStack,
): Promise<DatabaseAddress> {
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl };
  const embedded = await startEmbeddedDatabase(join(config.dataDir, 'database'), connections);
  resources.defer(() => embedded.close());
  return embedded.address;
}
