import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { createEmptyPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { startProcess, type TestProcess } from '../support/processes/process.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startIssuer, type TestIssuer } from '../support/servers/issuer.ts';
import { eventually } from '../support/time/eventually.ts';

describe.skipIf(!hasPostgres)('a production process', () => {
  let issuer: TestIssuer;
  let database: PostgresDatabase;
  let folder: string;
  let env: Record<string, string>;
  let child: TestProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-production-'));
    issuer = await startIssuer();
    database = await createEmptyPostgresDatabase();
    const port = await freePort();
    env = {
      NODE_ENV: 'production',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      SITE_URL: 'https://www.example.com/welcome',
      DATABASE_URL: database.url,
      DATA_DIR: join(folder, 'data'),
      MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      ...issuer.env,
    };
    child = await startProcess({ ...env, NODE_V8_COVERAGE: join(folder, 'loaded') });
  });

  afterAll(async () => {
    await child.kill('SIGKILL');
    issuer.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('logs one line when ready, with its address and what is off', () => {
    const lines = child.output().trim().split('\n');
    const ready = lines.map((line) => JSON.parse(line)).filter((line) => line.msg === 'ready');
    expect(ready).toHaveLength(1);
    expect(ready[0]).toMatchObject({ url: env.PUBLIC_URL, workspace: false, bank: false });
  });

  it('warns that all users may use it', () => {
    expect(child.output()).toContain('ALLOWED_USERS is empty');
  });

  it('redirects GET / to the website', async () => {
    const response = await child.call('/');
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('https://www.example.com/welcome');
  });

  it.each(['/sandbox', '/sandbox/identity/token', '/sandbox/control/state', '/sandbox/bank/link', '/api-docs'])(
    'does not serve %s',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        expect(await child.call(path, { method })).toMatchObject({ status: 404, body: { status: 'error', code: 'not_found' } });
      }
    },
  );

  it('accepts tokens of its issuer only', async () => {
    const accounts = await child.call('/auth/bank/accounts', { token: await issuer.sign('ana') });
    expect(accounts).toMatchObject({ status: 200, body: { accounts: [] } });
    const foreign = await issuer.sign('ana', { iss: 'https://identity.sandbox.invalid', aud: 'steward' });
    expect(await child.call('/auth/bank/accounts', { token: foreign })).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
  });

  it('returns 503 not_configured for the providers that are off', async () => {
    const token = await issuer.sign('ana');
    const responses = await Promise.all([
      child.call('/workspace_access_request', { token, form: { email: 'ana@example.com' } }),
      child.call(`/auth/workspace/login?token=${token}`),
      child.call('/auth/workspace/callback?state=x&code=y'),
      child.call('/auth/bank/create_link_token', { token, method: 'POST' }),
      child.call('/auth/bank/set_access_token', { token, form: { public_token: 'public' } }),
    ]);
    for (const response of responses) {
      expect(response).toMatchObject({ status: 503, body: { status: 'error', code: 'not_configured' } });
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    }
  });

  it('counts its sockets in GET /test', async () => {
    const socket = new WebSocket(`${env.PUBLIC_URL?.replace('http', 'ws')}/ws`);
    const connections = async () => (await child.call('/test')).body.connections;
    await eventually(async () => (await connections()) === 1);
    socket.terminate();
    await eventually(async () => (await connections()) === 0);
    expect((await child.call('/test')).body).toEqual({ status: 'success', service: 'steward', environment: 'production', connections: 0 });
  });

  it('loads neither the sandbox nor the embedded database, and ends with 0 on SIGTERM', async () => {
    expect(await child.kill('SIGTERM')).toMatchObject({ code: 0 });
    const reports = readdirSync(join(folder, 'loaded')).map((file) => JSON.parse(readFileSync(join(folder, 'loaded', file), 'utf8')));
    const loaded: string[] = reports.flatMap((report) => report.result.map((script: { url: string }) => script.url));
    expect(loaded.some((url) => /\/src\/server\.ts$|\/dist\/service\.js$/.test(url))).toBe(true);
    expect(loaded.filter((url) => /\/sandbox[/.]|@electric-sql/.test(url))).toEqual([]);
  });

  it('does not warn if ALLOWED_USERS is set, and rejects all other users', async () => {
    child = await startProcess({ ...env, ALLOWED_USERS: 'ana@example.com' });
    expect(child.output()).not.toContain('ALLOWED_USERS');
    expect((await child.call('/auth/bank/accounts', { token: await issuer.sign('ana') })).status).toBe(200);
    const rejected = await child.call('/auth/bank/accounts', { token: await issuer.sign('ben') });
    expect(rejected).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });
});
