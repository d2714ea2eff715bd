import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../../src/database/database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { createEmptyPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { eventually } from '../../support/time/eventually.ts';

const REPLICAS = 6;

describe.skipIf(!hasPostgres)('replicas that migrate an empty database at the same time', () => {
  let database: PostgresDatabase;

  beforeEach(async () => {
    database = await createEmptyPostgresDatabase();
  });
  afterEach(() => database.drop());

  async function start(): Promise<void> {
    const address = { connectionString: database.url };
    const logger = createLogger('silent');
    const db = new Database(address, 1, logger);
    await migrate(db, address, logger).finally(() => db.close());
  }

  /** Transactions that failed, once all other sessions have ended and reported theirs. */
  async function failed(): Promise<number | undefined> {
    await eventually(async () => {
      const others = await database.sql(`select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`);
      return others.length === 0;
    });
    const [counted] = await database.sql<{ failed: number }>(
      'select xact_rollback::int as failed from pg_stat_database where datname = current_database()',
    );
    return counted?.failed;
  }

  it('wait for each other, and none sees a statement fail', async () => {
    await Promise.all(Array.from({ length: REPLICAS }, start));
    expect(await database.sql('select id, minimum_code_version as minimum from schema_guard')).toEqual([{ id: 1, minimum: 2 }]);
    expect(await failed()).toBe(0);
  });
});
