import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addMonth, partitionNames } from '../../../src/database/partitions.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { WAITS_FOR_ROW } from '../../support/database/waits-for-row.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { newName, sweepNow, unschedule } from '../../support/scenes/flows.ts';
import { authorized, refresh } from '../../support/scenes/oauth-scene.ts';
import { eventually } from '../../support/time/eventually.ts';
import { McpClient } from '../../support/users/mcp-client.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { sessionOf } from '../../support/users/sign-in.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const CALLS = 100;
const MESSAGE = { to: ['a@example.com'] };
/** More than the number of connections. */
const CHANGES = 60;
/** How long a request waits in the process. */
const QUEUE_MS = 5_000;
const TICKET = 'a-ticket-of-the-locked-user';

describe.skipIf(!hasPostgres)('while the rows of one user are locked', () => {
  let database: PostgresDatabase;
  let scene: ExecutorScene;
  let one: ConnectedGrant;
  let other: ConnectedGrant;
  let holder: pg.Client;

  beforeAll(async () => {
    database = await createPostgresDatabase();
    scene = await ExecutorScene.start({ DATABASE_URL: database.url, LIMIT_OAUTH_REGISTRATIONS_PER_MINUTE: '1000' });
    one = await scene.connect();
    other = await scene.connect();
    // Created at the first use.
    for (const user of [one, other]) await scene.call(user, 'test.send', MESSAGE);
    holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
  });

  afterAll(async () => {
    await holder?.end();
    await scene?.stop();
    await database?.drop();
  });

  afterEach(() => holder.query('rollback'));

  const oauthClient = async (user: ConnectedGrant) => authorized(scene.steward, await sessionOf(scene.steward, user.token));

  /** Also like a deletion, which the service never does for long. */
  async function lock(tables: string[]): Promise<void> {
    await holder.query('begin');
    for (const table of tables) {
      await holder.query(`select 1 from ${table} where ${table === 'users' ? 'id' : 'user_id'} = $1 for update`, [one.userId]);
    }
  }

  it.each([
    ['the user', ['users']],
    ['the grants', ['grants', 'workspace_accounts']],
    ['all of them', ['users', 'user_keys', 'grants', 'workspace_accounts', 'audit_log', 'events', 'oauth_flows', 'browser_bindings']],
  ])('%s: requests of others succeed before the lock is released', async (_name, tables) => {
    await lock(tables);
    // The rows of both share statements.
    const reads = Array.from({ length: CALLS }, (_, index) => scene.call(index % 2 === 0 ? one : other, 'test.read'));
    const waiting = tables.includes('users') ? Array.from({ length: CHANGES }, () => scene.call(one, 'test.send', MESSAGE)) : [];
    const answered = countSettled(waiting);
    const changes = Array.from({ length: 5 }, () => scene.call(other, 'test.send', MESSAGE));
    expect((await Promise.all(reads)).length).toBe(CALLS);
    expect((await Promise.all(changes)).length).toBe(5);
    // Only the locked user waits.
    expect(answered()).toBe(0);
    if (waiting.length > 0) await expectOneConnection(waiting.length, answered);
    await holder.query('rollback');
    await Promise.allSettled(waiting);
  });

  it.each([
    ['asks for access', () => askForAccess(one.token)],
    ['logs in', () => scene.steward.call(`/auth/workspace/login?token=${one.token}`)],
    ['logs in by a ticket', () => scene.steward.call(`/auth/workspace/login?token=${TICKET}`)],
  ])('the user %s repeatedly: others connect before the lock is released', async (_name, again) => {
    await prepareTicket();
    await lock(['users', 'oauth_flows']);
    await expectRoomBeside(again);
  });

  it('a user without a key requests access repeatedly: others connect before the lock is released', async () => {
    const token = await scene.steward.signIn(newName());
    const { userId } = await scene.steward.context.sessions.authenticate(token);
    await holder.query('begin');
    await holder.query('select 1 from users where id = $1 for update', [userId]);
    await expectRoomBeside(() => askForAccess(token));
  });

  it.each([
    ['the user', 'users'],
    ['the tokens', 'oauth_entries'],
  ])('%s: OAuth clients of others refresh and call before the lock is released', async (_name, table) => {
    const [locked, free] = [await oauthClient(one), await oauthClient(other)];
    await lock([table]);
    const waiting = Array.from({ length: CHANGES }, () => refresh(scene.steward, locked.client, locked.tokens.refresh_token));
    const mcp = new McpClient(scene.steward, free.tokens.access_token);
    await eventually(async () => (await database.sql(WAITS_FOR_ROW)).length > 0);
    expect((await mcp.request('tools/list')).status).toBe(200);
    expect((await refresh(scene.steward, free.client, free.tokens.refresh_token)).status).toBe(200);
    expect((await database.sql(WAITS_FOR_ROW)).length).toBeLessThanOrEqual(2);
    await holder.query('rollback');
    await Promise.all(waiting);
  });

  it('a client whose grant is locked calls repeatedly: all of its reads succeed, too', async () => {
    const client = { name: 'x', actions: ['*'], access: 'write' as const, days: 1 };
    const { grant } = await scene.steward.context.clientTokens.create(one.userId, client);
    await lock(['client_grants']);
    const reads = Array.from({ length: CALLS }, () => scene.call({ userId: one.userId, clientId: grant.id }, 'test.read'));
    expect((await Promise.all([...reads, scene.call(other, 'test.send', MESSAGE)])).length).toBe(CALLS + 1);
  });

  it('other users receive common events, and this user does once the row is unlocked', async () => {
    const [here, there] = [await socket(one), await socket(other)];
    await lock(['users']);
    const telling = scene.steward.context.events.recordForAll([one.userId, other.userId], 'integrations.updated', { revision: 'r2' });
    expect(await there.event('integrations.updated')).toMatchObject({ data: { revision: 'r2' } });
    await holder.query('rollback');
    await telling;
    expect(await here.event('integrations.updated')).toMatchObject({ data: { revision: 'r2' } });
    await Promise.all([here.close(), there.close()]);
  });

  it('the sweep deletes expired rows of other users', async () => {
    // Without the scheduled run, the lock precedes the deletion.
    await unschedule(scene.steward.sql, 'sweep');
    await database.sql(`update audit_log set at = now() - interval '401 days'`);
    await lock(['audit_log']);
    const old = (user: ConnectedGrant) =>
      database.sql(`select 1 from audit_log where user_id = $1 and at < now() - interval '400 days'`, [user.userId]);
    await sweepNow(scene.steward);
    await eventually(async () => expect(await old(other)).toEqual([]));
    expect(await old(one)).not.toEqual([]);
  });

  it('what has read a table changes it while a month is added to it', async () => {
    const month = new Date('2200-01-01T00:00:00Z');
    const add = () => addMonth(scene.steward.context.db, 'audit_log', month, createLogger('silent'));
    await holder.query('begin');
    await holder.query('select 1 from audit_log limit 1');
    const adding = add();
    // In one statement, since the other waits for the lock for some milliseconds only. It ends by itself.
    await holder.query(`do $$ begin
      for times in 1..100000 loop
        exit when exists (select 1 from pg_locks where relation = 'audit_log_default'::regclass and not granted);
      end loop;
      delete from audit_log_default where false;
    end $$`);
    await holder.query('rollback');
    await adding;
    // It may have given up before.
    await add();
    expect(await partitionNames(scene.steward.context.db, 'audit_log')).toContain('audit_log_2200_01');
  });

  const askForAccess = (token: string) => scene.steward.call('/workspace_access_request', { token, form: { email: 'a@example.com' } });

  /** A flow that was not opened. */
  async function prepareTicket(): Promise<void> {
    await database.sql(
      `insert into oauth_flows (id, user_id, ticket_hash, state_hash, redirect_uri, secrets, ticket_expires_at, expires_at)
       select gen_random_uuid(), $1, $2, $2, 'https://example.com', '', now() + interval '1 hour', now() + interval '1 hour'
       where not exists (select 1 from oauth_flows where ticket_hash = $2)`,
      [one.userId, createHash('sha256').update(TICKET).digest()],
    );
  }

  /** All requests that wait for the lock use one connection. */
  async function expectRoomBeside(request: () => Promise<unknown>): Promise<void> {
    const waiting = Array.from({ length: CHANGES }, request);
    const answered = countSettled(waiting);
    await eventually(async () => (await database.sql(WAITS_FOR_ROW)).length > 0);
    for (let times = 0; times < 5; times += 1) expect((await askForAccess(other.token)).status).toBe(200);
    await expectOneConnection(waiting.length, answered);
    expect((await askForAccess(other.token)).status).toBe(200);
    await holder.query('rollback');
    await Promise.allSettled(waiting);
  }

  function countSettled(requests: readonly Promise<unknown>[]): () => number {
    let settled = 0;
    for (const one of requests) one.catch(() => {}).finally(() => (settled += 1));
    return () => settled;
  }

  /** Of requests that wait for the lock, all but one wait in the process, until their time is over. */
  async function expectOneConnection(requests: number, answered: () => number): Promise<void> {
    const blocked = await database.sql(WAITS_FOR_ROW);
    // The session of one that was given up ends a moment later.
    expect(blocked.length, JSON.stringify(blocked)).toBeLessThanOrEqual(1 + answered());
    await eventually(async () => {
      await scene.steward.clock.advance(QUEUE_MS);
      return answered() >= requests - 1;
    });
  }

  const socket = (user: ConnectedGrant) => SocketClient.signedIn(scene.steward.url, user.token);
});
