import { Database, type DatabaseAddress } from '../../../src/database/database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { maintainPartitions } from '../../../src/database/partitions.ts';
import { Jobs } from '../../../src/jobs/jobs.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { UNMEASURED } from '../../../src/observability/telemetry.ts';

/** Installs the migrated schema and the job queue's in an empty database, as a first start does. */
export async function installSchema(address: DatabaseAddress, embedded: boolean): Promise<void> {
  const logger = createLogger('silent');
  const db = new Database(address, embedded ? 1 : 2, logger);
  try {
    await migrate(db, address, logger);
    await maintainPartitions(db, logger);
    const jobs = new Jobs({
      executeSql: (text, values) => db.executeSql(text, values),
      embedded,
      clock: db.clock,
      logger,
      telemetry: UNMEASURED,
    });
    await jobs.start();
    await jobs.stop();
  } finally {
    await db.close();
  }
}
