import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { maintainPartitions, partitionNames } from '../../src/database/partitions.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createEmptyPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/postgres.ts';

const DIRECTORY = join(import.meta.dirname, '../../migrations');
const MIGRATING = { dir: DIRECTORY, migrationsTable: 'pgmigrations', noLock: true, log: () => {} };
const USERS = 40;
const ROWS_EACH = 50;
const INSERT = `insert into audit_log (user_id, surface, action, decision, outcome, milliseconds, call_id)
                select id, 's', 'a', 'allowed', 'ok', n, gen_random_uuid() from users, generate_series(1, $1::int) n`;
/** Into a month. */
const INSERT_LATER = INSERT.replace('call_id)', 'call_id, at)').replace(
  'gen_random_uuid()',
  `gen_random_uuid(), now() + interval '65 days'`,
);
/** How many migrations there are from 0028 on. */
const SINCE = readdirSync(DIRECTORY).filter((name) => name >= '0028').length;
/** As the release before 0028 sends them. */
const OLD_CODE = {
  sweepEvents: `with gone as (
      delete from events where ctid = any(array(select ctid from events where created_at < now() - interval '24 hours' limit 5000 for update skip locked))
      returning 1) select count(*)::int as rows from gone`,
  erase: `with gone as (
      delete from audit_log where ctid = any(array(select ctid from audit_log where (user_id, id) > ($1::uuid, -1)
        and (user_id, id) <= ($1::uuid, 9223372036854775807) order by user_id, id limit 1000 for update skip locked))
      returning id as place) select count(*)::int as rows, max(place)::text as last from gone`,
  sweepAudit: `with oldest as (select id, at < now() - interval '400 days' as is_old from audit_log where id > 0 order by id limit 5000),
      old as (select id from audit_log where id in (select id from oldest where is_old) for update skip locked),
      gone as (delete from audit_log where id in (select id from old))
    select count(*)::int as rows from oldest`,
};

describe.skipIf(!hasPostgres)('tables that become partitioned while they have rows', () => {
  let database: PostgresDatabase;
  let db: Database;
  const logger = createLogger('silent');
  const migrateBy = (direction: 'up' | 'down', count: number) => runner({ ...MIGRATING, databaseUrl: database.url, direction, count });

  beforeEach(async () => {
    database = await createEmptyPostgresDatabase();
    db = new Database({ connectionString: database.url }, 3, logger);
    await migrate(db, { connectionString: database.url }, logger);
    await migrateBy('down', SINCE);
    await database.sql(`insert into users (issuer, subject) select 'i', n::text from generate_series(1, ${USERS}) n`);
    await database.sql(INSERT, [ROWS_EACH]);
    await database.sql(`insert into events (user_id, seq, event, data) select id, n, 'e', '{}' from users, generate_series(1, 3) n`);
  });
  afterEach(async () => {
    await db.close();
    await database.drop();
  });

  const rowsOf = async (table: string) =>
    (await database.sql<{ row: { id: number } }>(`select to_jsonb(t) - 'is_early' as row from ${table} t order by id`)).map(
      ({ row }) => row,
    );
  const contents = async () => ({ audit: await rowsOf('audit_log'), events: await rowsOf('events') });
  const file = async (table: string) => (await database.sql(`select pg_relation_filenode('${table}') as file`))[0];

  it('keep their rows, their file and the order of ids, and can go back', async () => {
    const before = await contents();
    const [audit, events] = [await file('audit_log'), await file('events')];
    await migrateBy('up', 1);
    expect(await contents()).toEqual(before);
    expect([await file('audit_log_early'), await file('events_early')]).toEqual([audit, events]);
    await database.sql(INSERT, [1]);
    await maintainPartitions(db, logger);
    expect((await partitionNames(db, 'audit_log')).length).toBeGreaterThan(3);
    expect([await file('audit_log_early'), await file('events_early')]).toEqual([audit, events]);
    // In a month and in the default partition, too.
    await database.sql(INSERT_LATER, [1]);
    await database.sql(
      INSERT.replace('call_id)', 'call_id, at)').replace('gen_random_uuid()', `gen_random_uuid(), now() + interval '650 days'`),
      [1],
    );
    const after = await contents();
    const ids = after.audit.map(({ id }) => id);
    expect(new Set(ids).size).toBe(USERS * (ROWS_EACH + 3));
    expect(Math.max(...ids)).toBe(USERS * (ROWS_EACH + 3));
    await migrateBy('down', 1);
    expect(await contents()).toEqual(after);
    expect(await database.sql('select minimum_code_version as minimum from schema_guard')).toEqual([{ minimum: 1 }]);
    await database.sql(INSERT, [1]);
    expect(await database.sql('select 1 from audit_log where id > $1', [Math.max(...ids)])).toHaveLength(USERS);
    await migrateBy('up', 1);
    await maintainPartitions(db, logger);
    expect((await contents()).audit).toHaveLength(USERS * (ROWS_EACH + 4));
  });

  it('become partitions without being read: Postgres knows of the column with the default that it is not null', async () => {
    const client = new pg.Client({ connectionString: database.url });
    const notices: string[] = [];
    client.on('notice', ({ message }) => notices.push(message ?? ''));
    await client.connect();
    await client.query('set client_min_messages = debug1');
    await runner({ ...MIGRATING, dbClient: client, direction: 'up', count: 1 });
    await client.end();
    for (const table of ['audit_log', 'events'])
      expect(notices).toContain(`partition constraint for table "${table}_early" is implied by existing constraints`);
  });

  it('have one partition while replicas of an older release run, whose statements still work', async () => {
    await database.sql(`insert into replicas (id, key_ids) values (gen_random_uuid(), '{}')`);
    await migrateBy('up', 1);
    await maintainPartitions(db, logger);
    expect(await partitionNames(db, 'audit_log')).toEqual(['audit_log_early']);
    expect(await partitionNames(db, 'events')).toEqual(['events_early']);
    await database.sql(`update events set created_at = now() - interval '25 hours' where seq = 1`);
    expect(await database.sql(OLD_CODE.sweepEvents)).toEqual([{ rows: USERS }]);
    const [user] = await database.sql<{ id: string }>('select id from users limit 1');
    expect(await database.sql(OLD_CODE.erase, [user?.id])).toMatchObject([{ rows: ROWS_EACH }]);
    expect(await database.sql(OLD_CODE.sweepAudit)).toEqual([{ rows: (USERS - 1) * ROWS_EACH }]);
    await database.sql('delete from users where id = $1', [user?.id]);
    expect((await contents()).events).toHaveLength((USERS - 1) * 2);
    // Once they have stopped, it cannot start again.
    await database.sql('delete from replicas');
    await maintainPartitions(db, logger);
    expect((await partitionNames(db, 'events')).length).toBeGreaterThan(3);
    expect(await database.sql('select minimum_code_version as minimum from schema_guard')).toEqual([{ minimum: 2 }]);
  });

  it('refuse the deletions of an older release that comes back after its months have begun', async () => {
    await migrateBy('up', 1);
    await maintainPartitions(db, logger);
    const [first] = await database.sql<{ id: string }>('select id from users limit 1');
    // Of all users, with `ctid`s that rows in the other partition have, too.
    await database.sql(INSERT_LATER, [ROWS_EACH]);
    const before = await contents();
    await expect(database.sql(OLD_CODE.erase, [first?.id])).rejects.toThrow('rows of audit_log are deleted from its partitions');
    await expect(database.sql(OLD_CODE.sweepEvents)).rejects.toThrow('rows of events are deleted from its partitions');
    expect(await contents()).toEqual(before);
  });

  it('begin their months at once, whatever times their rows have, and beside other changes of the table with these', async () => {
    await migrateBy('up', 1);
    await database.sql(`update audit_log set at = now() + interval '3 years' where milliseconds = 1`);
    const locking = new pg.Client({ connectionString: database.url });
    locking.on('error', () => {});
    await locking.connect();
    await locking.query('begin');
    await locking.query('lock table audit_log_early, events_early in exclusive mode');
    await maintainPartitions(db, logger);
    await locking.end();
    const partitions = await partitionNames(db, 'audit_log');
    expect(partitions.length).toBeGreaterThan(3);
    await database.sql(INSERT, [1]);
    const [row] = await database.sql<{ partition: string; month: string }>(
      `select distinct tableoid::regclass::text as partition, to_char(at at time zone 'UTC', 'YYYY_MM') as month from audit_log where id > $1`,
      [USERS * ROWS_EACH],
    );
    expect(row?.partition).toBe(`audit_log_${row?.month}`);
    expect((await contents()).audit).toHaveLength(USERS * (ROWS_EACH + 1));
  });

  it('are left as they are while someone reads them for long, and are changed afterwards', async () => {
    await migrateBy('up', 1);
    const reader = new pg.Client({ connectionString: database.url });
    reader.on('error', () => {});
    await reader.connect();
    await reader.query('begin');
    await reader.query('select 1 from audit_log limit 1');
    const writing = (async () => {
      for (let times = 0; times < 20; times += 1) await database.sql(INSERT, [1]);
    })();
    await maintainPartitions(db, logger);
    // The months of audit_log could not begin; all writes succeeded.
    await writing;
    expect(await partitionNames(db, 'audit_log')).toEqual(['audit_log_early']);
    await reader.query('commit');
    await maintainPartitions(db, logger);
    expect((await partitionNames(db, 'audit_log')).length).toBeGreaterThan(3);
    await reader.end();
  });
});
