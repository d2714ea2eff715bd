import pLimit from 'p-limit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { programsMissing } from '../support/processes/programs.ts';
import { Pooler } from '../support/servers/pooler.ts';
import { eventually } from '../support/time/eventually.ts';

/** Of the pooler. */
const SESSIONS = 2;
/** Of a client without it. */
const CONNECTIONS = 4;

describe.skipIf(!hasPostgres || programsMissing('pgbouncer'))('the database through a pooler in transaction mode', () => {
  let database: PostgresDatabase;
  let pooler: Pooler;
  const opened: Database[] = [];

  beforeAll(async () => {
    database = await createPostgresDatabase();
    await database.sql('create table entries (id integer primary key, value integer not null)');
    await database.sql('insert into entries select id, 0 from generate_series(1, 20) id');
    // Few sessions, so that clients share them.
    pooler = await Pooler.start(database.url, { 'default_pool_size = 20': `default_pool_size = ${SESSIONS}` });
  });

  afterEach(() => Promise.all(opened.splice(0).map((db) => db.close())));

  afterAll(async () => {
    await pooler?.remove();
    await database?.drop();
  });

  function open(url: string, connections = CONNECTIONS): Database {
    const db = new Database({ connectionString: url }, connections, createLogger('silent'));
    opened.push(db);
    return db;
  }

  /** Runs a statement in a number of sessions: each transaction keeps its own until all have run it. */
  async function inSessions(count: number, db: Database, sql: string): Promise<void> {
    const all = Promise.withResolvers<void>();
    all.promise.catch(() => {});
    let done = 0;
    const run = async (tx: Pick<Database, 'query'>) => {
      await tx.query(sql);
      done += 1;
      if (done === count) all.resolve();
      await all.promise;
    };
    const failed = (error: unknown) => {
      all.reject(error);
      throw error;
    };
    await Promise.all(Array.from({ length: count }, () => db.transaction(run).catch(failed)));
  }

  /** Names of the statements prepared in the current session. */
  const prepared = (db: Database) => db.query<{ name: string }>('select name from pg_prepared_statements');

  it('returns the right rows when another client uses the same name for another statement', async () => {
    const releases = [open(pooler.url), open(pooler.url), open(pooler.url)];
    const rounds = Array.from({ length: 200 }, (_, round) => {
      const own = round % releases.length;
      return releases[own]!.query<{ answer: number }>({ name: 'answer', text: `select $1::integer * ${own + 1} as answer` }, [round]);
    });
    const responses = await Promise.all(rounds);
    responses.forEach((rows, round) => {
      expect(rows).toEqual([{ answer: round * ((round % releases.length) + 1) }]);
    });
    expect(await prepared(releases[0]!)).toEqual([]);
  });

  it('prepares its statements once without a pooler', async () => {
    const db = open(database.url, 1);
    await db.query({ name: 'answer', text: 'select $1::integer as answer' }, [1]);
    await db.query({ name: 'answer', text: 'select $1::integer as answer' }, [2]);
    const names = await prepared(db);
    expect(names).toEqual([{ name: expect.stringMatching(/^answer-\d+$/) }]);
  });

  it('loses no update of transactions that alternate between two sessions', async () => {
    const replicas = [open(pooler.url), open(pooler.url)];
    const raise = (db: Database, id: number) =>
      db.transaction(async (tx) => {
        const [row] = await tx.query<{ value: number }>({ name: 'lock', text: 'select value from entries where id = $1 for update' }, [id]);
        await tx.query({ name: 'raise', text: 'update entries set value = $2 where id = $1' }, [id, row!.value + 1]);
      });
    // Few enough at a time that none exceeds the time limit for a connection.
    const limit = pLimit(25);
    await Promise.all(Array.from({ length: 200 }, (_, index) => limit(() => raise(replicas[index % 2]!, (index % 4) + 1))));
    expect(await database.sql('select sum(value)::integer as sum from entries where id between 1 and 4')).toEqual([{ sum: 200 }]);
  });

  it('leaves no settings of a transaction in the session', async () => {
    const db = open(pooler.url);
    const show = (on: Pick<Database, 'query'>) => on.query(`select current_setting('statement_timeout') as statement`);
    expect(await db.transaction((tx) => show(tx))).toEqual([{ statement: '6s' }]);
    for (let round = 0; round < 4; round += 1) expect(await show(db)).toEqual([{ statement: '0' }]);
  });

  it('continues when a tool such as pg_dump has left a session without its search path', async () => {
    const [tool, db] = [open(pooler.url), open(pooler.url)];
    await inSessions(SESSIONS, tool, `select set_config('search_path', '', false)`);
    const read = () => db.query('select value from entries where id = 20');
    await expect(read()).rejects.toMatchObject({ code: 'unavailable', cause: { code: '42P01' } });
    await eventually(async () => (await Promise.all([read(), read(), read(), read()])).every((rows) => rows.length === 1));
    await expect(db.query('select 1 from nowhere')).rejects.toMatchObject({ code: '42P01' });
  });

  it.each(['the pooler', 'a direct connection'])('leaves no abandoned statement waiting at the server, through %s', async (way) => {
    const db = open(way === 'the pooler' ? pooler.url : database.url);
    const holder = open(database.url, 1);
    await holder.transaction(async (tx) => {
      await tx.query('lock table entries in access exclusive mode');
      const update = { name: 'blocked', text: 'update entries set value = value where id = 20', query_timeout: 300 };
      await expect(db.query(update)).rejects.toMatchObject({ code: 'unavailable' });
      const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually(async () => (await tx.query(waiting)).length === 0);
    });
  });

  it.each(['the pooler', 'a direct connection'])('accepts writes again after a failover to a standby and back, through %s', async (way) => {
    const db = open(way === 'the pooler' ? pooler.url : database.url);
    const write = () => db.query('update entries set value = value + 1 where id = 20 returning value');
    // A session that an earlier test left without its search path is replaced.
    await eventually(() => write());
    const name = new URL(database.url).pathname.slice(1);
    await failOver(`alter database ${name} set default_transaction_read_only = on`);
    // The maximum number of sessions, none of which is reset.
    await eventually(async () => {
      await inSessions(way === 'the pooler' ? SESSIONS : CONNECTIONS, db, 'select 1');
      return true;
    });
    // Sessions that began meanwhile stay read-only, although the database is writable again.
    await database.sql(`begin read write; alter database ${name} reset default_transaction_read_only; commit`);
    await expect(write()).rejects.toMatchObject({ code: 'unavailable', cause: { code: '25006' } });
    await eventually(() => write());
  });

  async function failOver(sql: string): Promise<void> {
    await database.sql(sql);
    await database.sql(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    // The pooler and the pool detect it a moment later.
    await eventually(async () => (await database.sql(`select 1 from pg_stat_activity where datname = current_database()`)).length === 1);
  }

  it('frees the rows of a process that froze within a transaction', async () => {
    const [frozen, other] = [open(pooler.url), open(pooler.url)];
    const thawed = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const outcome = frozen
      .transaction(async (tx) => {
        await tx.query('update entries set value = -1 where id = 10');
        locked.resolve();
        await thawed.promise;
        await tx.query('update entries set value = -2 where id = 10');
      })
      .catch((error) => error.code);
    await locked.promise;
    await eventually(() => other.query('update entries set value = 7 where id = 10 returning value'));
    thawed.resolve();
    expect(await outcome).toBe('unavailable');
    expect(await other.query('select value from entries where id = 10')).toEqual([{ value: 7 }]);
  });
});
