import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { awaitReplication, storeRenewedTokens } from '../../src/vault/refresh/refresh-repository.ts';
import { Cluster } from '../faults/support/cluster.ts';
import { programsMissing } from '../support/processes/programs.ts';
import { Pooler } from '../support/servers/pooler.ts';
import { eventually } from '../support/time/eventually.ts';

const WAITING = `select pid from pg_stat_activity where wait_event = 'SyncRep'`;

describe.skipIf(programsMissing('postgresql', 'pgbouncer'))('commits that wait for a synchronous standby', () => {
  let cluster: Cluster;
  let pooler: Pooler;
  const opened: Database[] = [];

  beforeAll(async () => {
    cluster = await Cluster.start();
    pooler = await Pooler.start(cluster.url('postgres'));
    await cluster.sql('create table entries (id integer primary key)');
    await standby('away');
  });

  afterEach(() => Promise.all(opened.splice(0).map((db) => db.close())));

  afterAll(async () => {
    await pooler?.remove();
    await cluster?.remove();
  });

  function open(way: string): Database {
    const db = new Database({ connectionString: way === 'the pooler' ? pooler.url : cluster.url('postgres') }, 4, createLogger('silent'));
    opened.push(db);
    return db;
  }

  /** There is never one: commits wait for it, or do not need it. */
  async function standby(state: 'away' | 'not needed'): Promise<void> {
    await cluster.sql(`alter system set synchronous_standby_names = '${state === 'away' ? 'nobody' : ''}'`);
    await cluster.sql('select pg_reload_conf()');
    await eventually(async () => {
      const [row] = await cluster.sql<{ names: string }>(`select current_setting('synchronous_standby_names') as names`);
      return row?.names === (state === 'away' ? 'nobody' : '');
    });
  }

  /** Of the error; undefined: there was none. */
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error) => error.code,
    );

  /** Cancels what waits for the standby, as an administrator or a time-out of the server does. */
  const cancel = () =>
    eventually(async () => {
      const rows = await cluster.sql(`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`);
      return rows.length > 0;
    });

  it.each(['a direct connection', 'the pooler'])('reports no success of a statement whose wait was cancelled, through %s', async (way) => {
    const written = open(way).query('insert into entries values ($1)', [way === 'the pooler' ? 1 : 2]);
    const code = codeOf(written);
    await cancel();
    expect(await code).toBe('unavailable');
  });

  it.each(['a direct connection', 'the pooler'])(
    'reports no success of a transaction whose wait was cancelled, through %s',
    async (way) => {
      const written = open(way).transaction((tx) => tx.query('insert into entries values ($1)', [way === 'the pooler' ? 3 : 4]));
      const code = codeOf(written);
      await cancel();
      expect(await code).toBe('unavailable');
    },
  );

  it('a repeated refresh commit does not rely on tokens that a cancelled attempt has left on this server only', async () => {
    await standby('not needed');
    await migrate(open('a direct connection'), { connectionString: cluster.url('postgres') }, createLogger('silent'));
    const [grant] = await cluster.sql<{ id: string; userId: string }>(
      `with users as (insert into users (issuer, subject) values ('i', 's') returning id)
       insert into grants (id, user_id, provider, subject, tokens) select gen_random_uuid(), id, 'workspace', 's', 'old' from users
       returning id, user_id as "userId"`,
    );
    await standby('away');
    const unset = { status: 'active', scopes: undefined, life: 60, failures: 0, pause: undefined } as const;
    const renewed = { ...grant!, ...unset, replaces: Buffer.from('old'), tokens: Buffer.from('new') };
    const stored = storeRenewedTokens(open('a direct connection'), [renewed], 'skip');
    const code = codeOf(stored);
    await cancel();
    expect(await code).toBe('unavailable');
    expect(await cluster.sql('select tokens from grants')).toEqual([{ tokens: renewed.tokens }]);
    let isReplicated = false;
    const replicated = awaitReplication(open('a direct connection'), grant!).then(() => (isReplicated = true));
    await eventually(async () => (await cluster.sql(WAITING)).length > 0);
    expect(isReplicated).toBe(false);
    await standby('not needed');
    expect(await replicated).toBe(true);
  });
});
