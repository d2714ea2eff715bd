import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Logger } from '../observability/logger.ts';
import { Database, type DatabaseAddress, type DatabaseOptions } from './database.ts';

/**
 * Connects to the configured database: Postgres, or the embedded one, whose folder the caller has locked.
 *
 * @param connections maximum; the embedded database has one
 * @param resources closes the database when disposed
 * @throws AppError `unavailable`
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  connections: number,
  logger: Logger,
  resources: AsyncDisposableStack,
  options?: DatabaseOptions,
): Promise<{ db: Database; address: DatabaseAddress }> {
  const { databaseUrl } = config;
  const embedded = databaseUrl === undefined ? await startEmbedded(join(config.dataDir, 'database')) : undefined;
  if (embedded !== undefined) resources.defer(() => embedded.close());
  const address = embedded?.address ?? { connectionString: databaseUrl };
  // The embedded database has one session, and its socket server forwards protocol messages one by one: with two
  // connections, their statements and parameters would be mixed.
  const db = new Database(address, embedded === undefined ? connections : 1, logger, options);
  resources.defer(() => db.close());
  // A named statement, so that the connection learns what session it has.
  await db.query({ name: 'reach', text: 'select 1' });
  return { db, address };
}

async function startEmbedded(directory: string) {
  const { startEmbeddedDatabase } = await import('./embedded.ts');
  return startEmbeddedDatabase(directory, 1);
}
