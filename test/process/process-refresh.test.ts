import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { startTokenService, type TokenService } from '../support/emulators/token-service.ts';
import { WorkspaceEmulator } from '../support/emulators/workspace-emulator.ts';
import { TcpProxy } from '../support/servers/tcp-proxy.ts';
import { eventually } from '../support/time/eventually.ts';
import { type ConnectedGrant, connectGrant, endWait, grantState, leave } from '../support/users/refreshing.ts';

/** Of `LIMIT_REFRESH_TIMEOUT_MS`. */
const REFRESH_TIMEOUT_MS = 60_000;
const withPostgres = describe.skipIf(!hasPostgres);

let database: PostgresDatabase;
let provider: WorkspaceEmulator;
/** Between the first process and the database. */
let proxy: TcpProxy;
let env: Record<string, string>;
let one: TokenService;
let two: TokenService;
let grant: ConnectedGrant;

beforeAll(async () => {
  if (!hasPostgres) return;
  database = await createPostgresDatabase();
  provider = await new WorkspaceEmulator().start();
  const url = new URL(database.url);
  proxy = new TcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
  await proxy.open();
  env = { ...provider.env, DATABASE_URL: database.url, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` };
  two = await startTokenService(env);
});

afterAll(async () => {
  await two?.kill('SIGKILL');
  await proxy?.close();
  await provider?.stop();
  await database?.drop();
});

/** An account connected through the second process, whose access token expired a minute ago; the first process has nothing cached. */
beforeEach(async () => {
  if (database === undefined) return;
  Object.assign(provider.tokens, { rotation: 'strict', fields: {}, before: () => {}, after: () => {} });
  await proxy.open();
  await startOne();
  grant = await connectGrant(two, provider, database.sql);
  await leave(database.sql, grant, -60);
});

afterEach(async () => {
  await one?.kill('SIGKILL');
});

async function startOne(): Promise<void> {
  const url = new URL(database.url);
  url.host = `127.0.0.1:${proxy.port}`;
  one = await startTokenService({ ...env, DATABASE_URL: url.href });
}

const state = () => grantState(database.sql, grant);
/** Statuses of the events sent to front ends, in order. */
async function statusEvents(): Promise<string[]> {
  const rows = await database.sql<{ status: string }>(
    `select data->>'status' as status from events where user_id = $1 and event = 'account.status' order by seq`,
    [grant.userId],
  );
  return rows.map(({ status }) => status);
}

const lastGiven = () => provider.tokens.given.at(-1) ?? '';
const NEVER = () => new Promise<void>(() => {});

/** Runs during the provider's request, at the point that `hook` names; `then` continues it. */
function once(hook: 'before' | 'after', then: () => Promise<void> | void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  provider.tokens[hook] = () => {
    provider.tokens[hook] = () => {};
    resolve();
    return then();
  };
  return promise;
}

async function asked(work: () => Promise<void>): Promise<number> {
  const before = provider.tokens.asked.length;
  await work();
  return provider.tokens.asked.length - before;
}

withPostgres('two processes', () => {
  it('with 100 callers each make one exchange, and all callers get its token', async () => {
    const valid = await connectGrant(two, provider, database.sql);
    const response = Promise.withResolvers<void>();
    provider.tokens.after = () => response.promise;
    const exchanges = await asked(async () => {
      const current = Promise.all([one.current(grant, 100), two.current(grant, 100)]);
      // Each process has begun these calls after those, and answered them.
      for (const process of [one, two]) expect(await process.current(valid)).toEqual([{ token: expect.any(String) }]);
      response.resolve();
      const results = (await current).flat();
      expect(results).toEqual(Array(200).fill({ token: lastGiven() }));
    });
    expect(exchanges).toBe(1);
    expect(await state()).toMatchObject({ status: 'active', lease: null });
  });

  it('share the pause after a failure', async () => {
    provider.tokens.instead.push([503, {}, { 'retry-after': '600' }]);
    const exchanges = await asked(async () => {
      expect(await one.current(grant, 3)).toEqual(Array(3).fill({ code: 'unavailable' }));
      expect(await two.current(grant, 3)).toEqual(Array(3).fill({ code: 'unavailable' }));
    });
    expect(exchanges).toBe(1);
  });

  it('share the end of a consent', async () => {
    provider.tokens.instead.push([400, { error: 'invalid_grant' }]);
    const exchanges = await asked(async () => {
      const results = await Promise.all([one.current(grant, 20), two.current(grant, 20)]);
      expect(results.flat()).toEqual(Array(40).fill({ code: 'reauth_required' }));
    });
    expect(exchanges).toBe(1);
    expect(await statusEvents()).toEqual(['reauth_required']);
  });
});

withPostgres('kill -9 of the process that refreshes', () => {
  it('before the provider got the request: waiting callers in another process take over', async () => {
    const reached = once('before', NEVER);
    void one.current(grant, 10);
    await reached;
    const waiting = two.current(grant, 10);
    await one.kill('SIGKILL');
    expect(await state()).toMatchObject({ status: 'active', lease: expect.closeTo(80, -2) });
    await endWait(database.sql, grant, 'lease_until');
    expect(await waiting).toEqual(Array(10).fill({ token: lastGiven() }));
    expect(await state()).toMatchObject({ status: 'active', lease: null });
  });

  it('after the response and before the commit: nothing is lost if the provider does not rotate', async () => {
    provider.tokens.rotation = 'off';
    const reached = once('after', () => proxy.freeze());
    void one.current(grant);
    await reached;
    const lost = lastGiven();
    await one.kill('SIGKILL');
    await endWait(database.sql, grant, 'lease_until');
    const [result] = await two.current(grant);
    expect(result).toEqual({ token: lastGiven() });
    expect(result?.token).not.toBe(lost);
    expect(await state()).toMatchObject({ status: 'active' });
  });

  it('after the response and before the commit: the user has to reconnect if it rotates, and that works', async () => {
    const reached = once('after', () => proxy.freeze());
    void one.current(grant);
    await reached;
    await one.kill('SIGKILL');
    await endWait(database.sql, grant, 'lease_until');
    expect(await two.current(grant, 5)).toEqual(Array(5).fill({ code: 'reauth_required' }));
    expect(await state()).toMatchObject({ status: 'reauth_required', lease: null });
    await connectGrant(two, provider, database.sql, grant);
    expect(await two.current(grant)).toEqual([{ token: provider.issued.at(-2) }]);
  });

  it('after the commit: the others use its token', async () => {
    const reached = once('after', () => proxy.muteAfter('refresh-store'));
    void one.current(grant);
    await reached;
    await eventually(async () => (await state())?.lease === null);
    await one.kill('SIGKILL');
    const exchanges = await asked(async () => expect(await two.current(grant)).toEqual([{ token: lastGiven() }]));
    expect(exchanges).toBe(0);
  });
});

withPostgres('a process that stands still for 40 seconds after the provider rotated', () => {
  it('keeps its lease that long, and stores its result: the account stays connected', async () => {
    const response = Promise.withResolvers<void>();
    const reached = once('after', () => response.promise);
    const first = two.current(grant);
    await reached;
    two.signal('SIGSTOP');
    const exchanges = await asked(async () => {
      await database.sql(`update grants set lease_until = lease_until - interval '40 seconds' where id = $1`, [grant.grantId]);
      const second = one.current(grant, 5);
      const third = one.current(grant);
      // Waiting callers read the row meanwhile, and find the lease.
      for (let look = 0; look < 50; look += 1) expect(await state()).toMatchObject({ lease: expect.any(Number) });
      response.resolve();
      two.signal('SIGCONT');
      const token = lastGiven();
      expect(await first).toEqual([{ token }]);
      expect(await second).toEqual(Array(5).fill({ token }));
      expect(await third).toEqual([{ token }]);
    });
    expect(exchanges).toBe(0);
    expect(await state()).toMatchObject({ status: 'active', lease: null });
    expect(await statusEvents()).toEqual([]);
  });
});

withPostgres('an answer of the provider that never arrives', () => {
  it.each([
    ['off', { token: expect.any(String) }],
    ['strict', { code: 'reauth_required' }],
  ] as const)('with rotation %s leaves a defined state', async (rotation, expected) => {
    provider.tokens.rotation = rotation;
    const lost = once('after', NEVER);
    const call = one.current(grant);
    await lost;
    one.advance(REFRESH_TIMEOUT_MS);
    expect(await call).toEqual([{ code: 'unavailable' }]);
    // The caller did not wait that long.
    await eventually(async () => expect(await state()).toMatchObject({ status: 'active', lease: null, failures: 1 }));
    await endWait(database.sql, grant, 'refresh_after');
    expect(await two.current(grant)).toEqual([expected]);
  });
});

withPostgres('a process that lost the database after the provider rotated', () => {
  /** The first process has the only valid tokens and can't store them; its lease has expired, and the second process refreshes. */
  async function overtake(): Promise<{ first: Promise<unknown>; second: Promise<unknown> }> {
    const reached = once('after', () => proxy.freeze());
    const first = one.current(grant);
    await reached;
    await endWait(database.sql, grant, 'lease_until');
    const before = provider.tokens.asked.length;
    const second = two.current(grant);
    await eventually(() => provider.tokens.asked.length > before);
    return { first, second };
  }

  async function reopen(): Promise<void> {
    proxy.breakConnections();
    await proxy.open();
  }

  it('stores them once it is available; callers whose old token was rejected wait for that', async () => {
    const { first, second } = await overtake();
    const rotated = lastGiven();
    await reopen();
    expect(await first).toEqual([{ token: rotated }]);
    expect(await second).toEqual([{ token: rotated }]);
    expect(await state()).toMatchObject({ status: 'active', lease: null });
  });

  it('reactivates the account if the consent was considered ended meanwhile', async () => {
    const { first, second } = await overtake();
    const rotated = lastGiven();
    expect(await second).toEqual([{ code: 'reauth_required' }]);
    await reopen();
    expect(await first).toEqual([{ token: rotated }]);
    expect(await two.current(grant)).toEqual([{ token: rotated }]);
    expect(await state()).toMatchObject({ status: 'active' });
    expect(await statusEvents()).toEqual(['reauth_required', 'active']);
  });
});
