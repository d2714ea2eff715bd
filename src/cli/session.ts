import { type Clock, systemClock } from '../clock/clock.ts';
import { loadOnce } from '../concurrency/load-once.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import { COMMAND_TIMEOUTS, type Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';
import { createLogger, type Logger } from '../observability/logger.ts';

/** What a command works with: the service's configuration and its database, without starting the service. */
export interface Session {
  config: Config;
  clock: Clock;
  /** Silent: a command reports on its own output. */
  logger: Logger;
  /** Aborted by SIGINT and SIGTERM. Long commands check it between batches and throw its reason. */
  signal: AbortSignal;
  /** One line of results on standard output. */
  print(line: string): void;
  /**
   * The migrated database, opened at the first call. The embedded one is locked until the session ends.
   *
   * @throws StartError when the service runs on the embedded database, AppError `unavailable`
   */
  database(): Promise<Database>;
}

const CONNECTIONS = 4;

/** Runs `work` in a session and releases its resources. @throws StartError on an invalid configuration */
export async function inSession(signal: AbortSignal, work: (session: Session) => Promise<void>): Promise<void> {
  const config = loadConfig();
  const logger = createLogger('silent');
  await using resources = new AsyncDisposableStack();
  await work({
    config,
    clock: systemClock,
    logger,
    signal,
    print: (line) => void process.stdout.write(`${line}\n`),
    database: loadOnce(() => open(config, logger, resources)),
  });
}

async function open(config: Config, logger: Logger, resources: AsyncDisposableStack): Promise<Database> {
  if (config.databaseUrl === undefined) {
    const { lockDataDirectory } = await import('../database/data-lock.ts');
    const busy = `The service is running on the data folder ${config.dataDir}, and only one process at a time can use the embedded database. Stop the service, run this command again, and start the service after it.`;
    resources.defer(lockDataDirectory(config.dataDir, busy));
  }
  const { db, address } = await openDatabase(config, CONNECTIONS, logger, resources, { timeouts: COMMAND_TIMEOUTS });
  await migrate(db, address, logger);
  return db;
}
