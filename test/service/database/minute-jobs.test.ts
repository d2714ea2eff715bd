import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../../src/database/database.ts';
import { type ExecuteSql, Jobs } from '../../../src/jobs/jobs.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { UNMEASURED } from '../../../src/observability/telemetry.ts';
import { createEmptyPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { eventually } from '../../support/time/eventually.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const POLL_SECONDS = 0.5;
const MINUTE_MS = 60_000;

interface Replica {
  clock: TestClock;
  db: Database;
  jobs: Jobs;
  /** Runs of a job that it alone sends, after the common one. */
  marks: number;
}

describe.skipIf(!hasPostgres)('a job of every minute', () => {
  const logger = createLogger('silent');
  let database: PostgresDatabase;
  let replicas: Replica[];
  /** Of the common job. */
  let runs: number;

  beforeEach(async () => {
    database = await createEmptyPostgresDatabase();
    runs = 0;
    replicas = [];
    for (const name of ['mark-0', 'mark-1']) replicas.push(await start(name));
  });
  afterEach(async () => {
    for (const { jobs, db } of replicas) {
      await jobs.stop();
      await db.close();
    }
    await database.drop();
  });

  async function start(mark: string): Promise<Replica> {
    const clock = new TestClock({ standsAt: '2027-01-31T23:59:50Z' });
    // One connection, so that jobs are sent in order.
    const db = new Database({ connectionString: database.url }, 1, logger);
    const executeSql: ExecuteSql = (text, values) => db.executeSql(text, values);
    const jobs = new Jobs({ executeSql, embedded: false, clock, logger, telemetry: UNMEASURED, pollSeconds: POLL_SECONDS });
    const replica: Replica = { clock, db, jobs, marks: 0 };
    await jobs.start();
    await jobs.everyMinute('sweep', async () => {
      runs += 1;
    });
    await jobs.everyMinute(mark, async () => {
      replica.marks += 1;
    });
    return replica;
  }

  /** Begins a minute for one replica. Resolves when it has sent its job, whether the queue took it or not. */
  async function beginMinute(replica: Replica): Promise<void> {
    const before = replica.marks;
    await replica.clock.advance(MINUTE_MS);
    await eventually(() => replica.marks > before);
  }

  /** The minutes, by the database's clock, of the jobs that the queue took; all have been completed. */
  async function completed(): Promise<number[]> {
    const rows = await eventually(async () => {
      const jobs = await database.sql<{ minute: Date; state: string }>(
        `select singleton_on as minute, state from pgboss.job where name = 'sweep'`,
      );
      return jobs.every(({ state }) => state === 'completed') && jobs;
    });
    return rows.map(({ minute }) => minute.getTime());
  }

  /** As if the jobs that were sent had been sent an hour earlier. */
  const agePast = () => database.sql(`update pgboss.job set singleton_on = singleton_on - interval '1 hour'`);

  it('is sent by each replica, and run by one of them', async () => {
    const [one, other] = replicas as [Replica, Replica];
    await beginMinute(one);
    await beginMinute(other);
    const minutes = await completed();
    // Two, if a minute of the database's clock ended between them.
    expect(new Set(minutes).size).toBe(minutes.length);
    expect(runs).toBe(minutes.length);
    await agePast();
    await beginMinute(one);
    expect(await completed()).toHaveLength(minutes.length + 1);
    expect(runs).toBe(minutes.length + 1);
  });
});
