import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { FormBrowser } from '../support/browser/browser.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { runProcess, startProcess, type TestProcess } from '../support/processes/process.ts';
import { connect, linkBank, outcome } from '../support/scenes/flows.ts';
import { TcpProxy } from '../support/servers/tcp-proxy.ts';
import { eventually } from '../support/time/eventually.ts';
import type { HttpResponse } from '../support/users/request.ts';

const withPostgres = describe.skipIf(!hasPostgres);

interface Site {
  database: PostgresDatabase;
  proxy: TcpProxy;
  env: Record<string, string>;
  remove(): Promise<void>;
}

/** A database behind a proxy, and the environment to use it. */
async function createSite(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-outage-'));
  const database = await createPostgresDatabase();
  const url = new URL(database.url);
  const proxy = new TcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
  await proxy.open();
  url.host = `127.0.0.1:${proxy.port}`;
  return {
    database,
    proxy,
    env: { DATABASE_URL: url.href, DATA_DIR: folder, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` },
    async remove() {
      await proxy.close();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function expectUnavailable(response: HttpResponse): void {
  expect(response.status).toBe(503);
  expect(response.body).toEqual({
    status: 'error',
    code: 'unavailable',
    message: expect.any(String),
    request_id: response.headers.get('x-request-id'),
  });
  expect(response.body.message).not.toMatch(/ECONN|postgres|127\.0\.0\.1|timeout/i);
  expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

function expectUnavailablePage(response: HttpResponse): void {
  expect(response.status).toBe(503);
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(response.text).toContain('<code>unavailable</code>');
  expect(response.text).not.toContain('<script');
}

withPostgres('while the database is unavailable', () => {
  let site: Site;
  let child: TestProcess;
  /** Seen before the outage. */
  let token: string;
  let accounts: unknown[];

  beforeAll(async () => {
    site = await createSite();
    child = await startProcess({ ...site.env, LIMIT_REVOCATION_RETRY_SECONDS: '1' });
    const connected = await connect(child, { email: 'demo@example.com' });
    expect(outcome(connected.callback)).toMatchObject({ status: 'connected' });
    token = connected.token;
    accounts = (await child.call('/auth/workspace/accounts', { token })).body.accounts;
  });

  afterAll(async () => {
    await child.kill('SIGKILL');
    await site.remove();
  });

  // Also after a failed test, the next one finds the database available.
  afterEach(async () => {
    site.proxy.breakConnections();
    await site.proxy.open();
  });

  /** Concurrently: each may take as long as the database's time limits. */
  async function expectOutage(): Promise<void> {
    const stranger = await child.signIn('stranger');
    const html = { headers: { accept: 'text/html' } };
    const callback = '/auth/workspace/callback?state=unknown&code=code';
    // The probe's result is cached for a moment.
    expectUnavailable(await eventually(() => unready()));
    const [live, test, saved, alias, ...others] = await Promise.all([
      child.call('/health/live'),
      child.call('/test'),
      child.call('/waitlist', { form: { email: 'ana@example.com' } }),
      child.call('/email', { form: { email: 'ben@example.com' } }),
      child.call('/auth/bank/accounts', { token }),
      child.call('/auth/bank/accounts', { token: stranger }),
      child.call('/workspace_access_request', { token, form: { email: 'demo@example.com' } }),
      child.call(`/auth/workspace/login?token=${token}`),
      child.call(callback),
    ]);
    const pages = await Promise.all([child.call(`/auth/workspace/login?token=${token}`, html), child.call(callback, html)]);
    expect(live).toMatchObject({ status: 200, body: { status: 'success' } });
    expect(test).toMatchObject({ status: 200, body: { status: 'success', service: 'steward' } });
    for (const entry of [saved, alias])
      expect(entry).toMatchObject({ status: 200, body: { status: 'error', message: expect.any(String) } });
    for (const response of others) expectUnavailable(response);
    for (const page of pages) expectUnavailablePage(page);
  }

  async function unready(): Promise<HttpResponse | undefined> {
    const response = await child.call('/health/ready');
    return response.status === 200 ? undefined : response;
  }

  async function expectRecovery(): Promise<void> {
    await eventually(async () => (await child.call('/auth/workspace/accounts', { token })).status === 200);
    await eventually(async () => (await child.call('/health/ready')).status === 200);
    expect((await child.call('/auth/workspace/accounts', { token })).body.accounts).toEqual(accounts);
    expect((await child.call('/waitlist', { form: { email: 'ana@example.com' } })).body).toEqual({ status: 'success' });
    const fresh = await child.signIn('stranger');
    expect((await child.call('/auth/bank/accounts', { token: fresh })).status).toBe(200);
    expect(child.running()).toBe(true);
  }

  it('cut off: returns 503 unavailable, keeps running, and works again afterwards', async () => {
    await site.proxy.cut();
    await expectOutage();
    await site.proxy.open();
    await expectRecovery();
    expect(await site.database.sql('select email from waitlist')).toEqual([{ email: 'ana@example.com' }]);
  });

  it('a black hole: returns 503 unavailable instead of hanging, and works again afterwards', async () => {
    site.proxy.freeze();
    await expectOutage();
    site.proxy.breakConnections();
    await site.proxy.open();
    await expectRecovery();
  });

  it('slow: works as long as it responds in time, and returns 503 otherwise', async () => {
    site.proxy.hold();
    const late = child.call('/auth/workspace/accounts', { token });
    await eventually(() => site.proxy.holding > 0);
    site.proxy.release();
    expect((await late).body.accounts).toEqual(accounts);
    site.proxy.hold();
    expectUnavailable(await child.call('/auth/workspace/accounts', { token }));
    expectUnavailable(await eventually(() => unready()));
    site.proxy.breakConnections();
    await site.proxy.open();
    await expectRecovery();
  });

  it('connections closed by the server are replaced after at most one failed request', async () => {
    await site.database.sql(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await expectRecovery();
  });

  it('broken within a transaction: nothing is half done, and the process keeps running', async () => {
    const blocker = new pg.Client({ connectionString: site.database.url });
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('lock table workspace_accounts in access exclusive mode');
    const id = (accounts[0] as { id: string }).id;
    const disconnect = child.call(`/auth/workspace/accounts/${id}`, { method: 'DELETE', token });
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually(async () => (await site.database.sql(waiting)).length > 0);
    site.proxy.breakConnections();
    expectUnavailable(await disconnect);
    await blocker.query('rollback');
    await blocker.end();
    await expectRecovery();
    expect(await site.database.sql('select id from revocations')).toEqual([]);
    expect(await site.database.sql('select id from grants')).toHaveLength(1);
  });

  it('a socket that authenticates meanwhile is told to retry', async () => {
    const unseen = await child.signIn('unseen');
    await site.proxy.cut();
    const socket = new WebSocket(`${child.url.replace('http', 'ws')}/ws`);
    socket.on('open', () => socket.send(JSON.stringify({ type: 'authenticate', requestId: '1', token: unseen })));
    const frame = await new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));
    expect(JSON.parse(frame)).toMatchObject({ type: 'error', requestId: '1', error: { code: 'unavailable', retryable: true } });
    socket.terminate();
    await site.proxy.open();
    await expectRecovery();
  });

  it('background work resumes', async () => {
    const { callback, token: mine } = await connect(child, { token: await child.signIn('temp'), email: 'temp@example.com' });
    await child.control('faults', { part: 'workspace', path: '/revoke', kind: 'status' });
    const id = outcome(callback).account_id;
    expect((await child.call(`/auth/workspace/accounts/${id}`, { method: 'DELETE', token: mine })).body).toEqual({ success: true });
    await site.proxy.cut();
    await expectOutage();
    await site.proxy.open();
    await child.control('faults/clear', {});
    // As if the minute had passed after which the queue takes back a job whose end could not be stored.
    await site.database.sql(
      `update pgboss.job set state = 'retry', start_after = now() where name = 'revoke' and state in ('active', 'retry')`,
    );
    await eventually(async () => (await site.database.sql('select id from revocations')).length === 0);
    const { accounts: known } = await child.control('state');
    expect(known.find((account: { email: string }) => account.email === 'temp@example.com')).toMatchObject({ refresh_tokens: 0 });
  });

  it('exits with 0 on SIGTERM even while the database is a black hole, or cut off', async () => {
    site.proxy.freeze();
    expect(await child.kill('SIGTERM')).toMatchObject({ code: 0, signal: null });
    await site.proxy.open();
    child = await startProcess(site.env);
    await site.proxy.cut();
    expect(await child.kill('SIGTERM')).toMatchObject({ code: 0, signal: null });
  });

  it('does not start, with a message that says where to look', async () => {
    await site.proxy.cut();
    const exit = await runProcess(site.env);
    expect(exit.code).toBe(1);
    expect(exit.stderr).toMatch(/^The database can’t be reached: .*ECONNREFUSED.*DATABASE_URL/);
    expect(exit.stderr).not.toContain('    at ');
    await site.proxy.open();
    child = await startProcess(site.env);
    expect((await child.call('/auth/workspace/accounts', { token: await child.signIn() })).body.accounts).toEqual(accounts);
  });
});

withPostgres('a service with a single database connection', () => {
  let site: Site;
  let child: TestProcess;

  beforeAll(async () => {
    site = await createSite();
    child = await startProcess({ ...site.env, LIMIT_DATABASE_CONNECTIONS: '1' });
  });

  afterAll(async () => {
    await child.kill('SIGKILL');
    await site.remove();
  });

  it('connects, confirms, links and disconnects on one connection, without waiting for a second', async () => {
    const { callback, token } = await connect(child, { email: 'demo@example.com' });
    expect(outcome(callback)).toMatchObject({ status: 'connected' });
    const other = await connect(child, { token, email: 'demo@example.com', chosen: 'other@example.com' });
    expect(other.callback.status).toBe(200);
    const confirmed = await other.browser.submit(other.callback, other.callbackUrl, (fields) => fields.set('decision', 'confirm'));
    expect(outcome(confirmed)).toMatchObject({ status: 'connected' });
    expect((await linkBank(child, token)).body).toEqual({ success: true });
    const id = outcome(callback).account_id;
    expect((await child.call(`/auth/workspace/accounts/${id}`, { method: 'DELETE', token })).body).toEqual({ success: true });
    const browser = new FormBrowser(child.url);
    expect((await browser.visit('/auth/workspace/callback?state=unknown&code=x')).status).toBe(303);
  });

  it('returns 503 while that connection is blocked, and works again afterwards', async () => {
    const token = await child.signIn();
    expect((await child.call('/auth/bank/accounts', { token })).status).toBe(200);
    const blocker = new pg.Client({ connectionString: site.database.url });
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('lock table waitlist in access exclusive mode');
    const blocked = child.call('/waitlist', { form: { email: 'ana@example.com' } });
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually(async () => (await site.database.sql(waiting)).length > 0);
    const others = await Promise.all(
      ['/auth/bank/accounts', '/auth/workspace/accounts', '/integrations'].map((path) => child.call(path, { token })),
    );
    expect(others.map((response) => response.status)).toContain(503);
    for (const response of others.filter(({ status }) => status !== 200)) expectUnavailable(response);
    expect((await child.call('/health/live')).status).toBe(200);
    expect((await blocked).body).toMatchObject({ status: 'error' });
    await blocker.query('rollback');
    await blocker.end();
    await eventually(async () => (await child.call('/health/ready')).status === 200);
    expect((await child.call('/waitlist', { form: { email: 'ana@example.com' } })).body).toEqual({ status: 'success' });
    expect((await child.call('/auth/bank/accounts', { token })).status).toBe(200);
    expect(child.running()).toBe(true);
  });
});

withPostgres('a service whose job queue cannot start at first', () => {
  let site: Site;
  let child: TestProcess | undefined;

  beforeAll(async () => {
    site = await createSite();
    await site.database.sql('drop schema pgboss cascade');
    await site.database.sql('create schema pgboss');
    await site.database.sql('create table pgboss.version (nothing_that_is_expected integer)');
  });

  afterAll(async () => {
    await child?.kill('SIGKILL');
    await site.remove();
  });

  it('serves requests, and starts its background work as soon as possible', async () => {
    child = await startProcess({ ...site.env, LIMIT_REVOCATION_RETRY_SECONDS: '1' });
    await eventually(() => child?.output().includes('background work could not start; retrying'));
    const { callback, token } = await connect(child, { email: 'demo@example.com' });
    const id = outcome(callback).account_id;
    expect((await child.call(`/auth/workspace/accounts/${id}`, { method: 'DELETE', token })).body).toEqual({ success: true });
    expect(await site.database.sql('select id from revocations')).toHaveLength(1);
    await site.database.sql('drop schema pgboss cascade');
    await eventually(async () => (await site.database.sql('select id from revocations')).length === 0);
    expect(child.running()).toBe(true);
  });
});
