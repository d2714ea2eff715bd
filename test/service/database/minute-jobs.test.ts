import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../../src/database/database.ts';
import { Jobs } from '../../../src/jobs/jobs.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { UNMEASURED } from '../../../src/observability/telemetry.ts';
import { eventually } from '../../support/eventually.ts';
import { createEmptyPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/postgres.ts';

const POLL_SECONDS = 0.5;

describe.skipIf(!hasPostgres)('a job of every minute', () => {
  const logger = createLogger('silent');
  let database: PostgresDatabase;
  let db: Database;
  let replicas: Jobs[];
  /** Each begins a minute for one replica. */
  let minutes: (() => void)[];
  let runs: number;
  /** Jobs that were sent, whether the queue took them or not. */
  let sent: number;

  beforeEach(async () => {
    database = await createEmptyPostgresDatabase();
    db = new Database({ connectionString: database.url }, 6, logger);
    [runs, sent] = [0, 0];
    replicas = [];
    minutes = [];
    for (let count = 0; count < 2; count += 1) {
      const jobs = new Jobs(execute, false, logger, UNMEASURED, POLL_SECONDS, begins);
      replicas.push(jobs);
      await jobs.start();
      await jobs.everyMinute('sweep', async () => {
        runs += 1;
      });
    }
  });
  afterEach(async () => {
    await Promise.all(replicas.map((jobs) => jobs.stop()));
    await db.close();
    await database.drop();
  });

  const begins = (send: () => void) => {
    minutes.push(send);
    return () => {};
  };
  async function execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    const result = await db.executeSql(text, values);
    if (/insert into pgboss\.job/i.test(text)) sent += 1;
    return result;
  }
  const finished = async () => {
    const rows = await database.sql(`select 1 from pgboss.job where name = 'sweep' and state = 'completed'`);
    return rows.length;
  };
  /** As if the jobs that were sent had been sent an hour earlier. */
  const agePast = () => database.sql(`update pgboss.job set singleton_on = singleton_on - interval '1 hour' where name = 'sweep'`);

  it('is sent by each replica, and run by one of them', async () => {
    minutes[0]?.();
    await eventually(async () => (await finished()) === 1);
    minutes[1]?.();
    await eventually(() => sent === 2);
    // Two, if a minute of the clock ended between them.
    const jobs = await database.sql<{ minute: Date | null }>(`select singleton_on as minute from pgboss.job where name = 'sweep'`);
    expect(new Set(jobs.map(({ minute }) => minute?.getTime() ?? 0)).size).toBe(jobs.length);
    await eventually(async () => (await finished()) === jobs.length);
    await agePast();
    minutes[0]?.();
    await eventually(async () => (await finished()) === jobs.length + 1);
    expect(runs).toBe(jobs.length + 1);
  });
});
