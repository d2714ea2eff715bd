import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Logger } from '../observability/logger.ts';
import { Database, type DatabaseAddress, type DatabaseTimeouts } from './database.ts';
import { startEmbeddedDatabase } from './embedded.ts';

/**
 * Connects to the configured database: Postgres, or the embedded one, whose folder the caller has locked.
 *
 * @param connections maximum; the embedded database has one
 * @param timeouts those of requests if unset
 * @param resources closes the database when disposed
 * @throws AppError `unavailable`
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  connections: number,
  logger: Logger,
  resources: AsyncDisposableStack,
  timeouts?: DatabaseTimeouts,
): Promise<{ db: Database; address: DatabaseAddress }> {
  // The embedded database has one session, and its socket server forwards protocol messages one by one: with two
  // connections, their statements and parameters would be mixed.
  const maximum = config.databaseUrl === undefined ? 1 : connections;
  const address = await databaseAddress(config, maximum, resources);
  const db = new Database(address, maximum, logger, timeouts);
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
