import { randomBytes } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { startProcess, type TestProcess } from '../support/processes/process.ts';
import { startIssuer, type TestIssuer } from '../support/servers/issuer.ts';
import { eventually } from '../support/time/eventually.ts';
import { heldWait } from '../support/time/held-wait.ts';
import { SocketClient } from '../support/users/socket-client.ts';

/** As docs/operations.md says. */
const PRODUCTION_WAIT_MS = 5_000;

describe.skipIf(!hasPostgres)('stopping a production process', () => {
  let issuer: TestIssuer;
  let database: PostgresDatabase;
  let keys: string;
  let child: TestProcess;

  beforeAll(async () => {
    issuer = await startIssuer();
    database = await createPostgresDatabase();
    keys = `k1:${randomBytes(32).toString('base64')}`;
  });
  afterEach(async () => {
    await child?.kill('SIGKILL');
  });

  afterAll(async () => {
    issuer.close();
    await database.drop();
  });

  async function start(env: Record<string, string> = {}): Promise<void> {
    child = await startProcess({
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://steward.example.com',
      SITE_URL: 'https://www.example.com/',
      DATABASE_URL: database.url,
      MASTER_KEYS: keys,
      ...issuer.env,
      ...env,
    });
  }

  it('is reported by readiness first, while requests and sockets are still served; each response ends its connection', async () => {
    await start({ LIMIT_STOP_WAIT_MS: '3600000', LIMIT_STOP_MS: '7200000', ...heldWait(3_600_000) });
    const address = addressOf(child);
    const before = await get(address, '/test');
    expect(before).toMatchObject({ status: 200, connection: 'keep-alive' });
    const exit = child.kill('SIGTERM');
    await eventually(async () => (await get(address, '/health/ready')).status === 503);
    expect(await get(address, '/health/live')).toMatchObject({ status: 200, connection: 'close' });
    expect(await get(address, '/test')).toMatchObject({ status: 200, connection: 'close' });
    const socket = await SocketClient.signedIn(address, await issuer.sign('ana'));
    void child.kill('SIGUSR2');
    expect((await socket.ended).code).toBe(1012);
    expect(await exit).toMatchObject({ code: 0, signal: null });
    expect(child.output()).not.toMatch(/"level":50/);
  });

  it('waits by default in production, so that a balancer notices', async () => {
    await start(heldWait(PRODUCTION_WAIT_MS));
    const exit = child.kill('SIGTERM');
    await eventually(async () => (await get(addressOf(child), '/health/ready')).status === 503);
    // A new connection, after it has begun to stop.
    expect((await get(addressOf(child), '/test')).status).toBe(200);
    void child.kill('SIGUSR2');
    expect(await exit).toMatchObject({ code: 0, signal: null });
  });

  it('exits immediately with a distinct code at the second signal', async () => {
    await start({ LIMIT_STOP_WAIT_MS: '3600000', LIMIT_STOP_MS: '3600000' });
    void child.kill('SIGTERM');
    await eventually(async () => (await get(addressOf(child), '/health/ready')).status === 503);
    expect(await child.kill('SIGTERM')).toMatchObject({ code: 1, signal: null });
  });

  it('takes two interrupts at the same moment for one, as npm and a terminal send them', async () => {
    await start({});
    const exits = [child.kill('SIGINT'), child.kill('SIGINT')];
    for (const exit of await Promise.all(exits)) expect(exit).toMatchObject({ code: 0, signal: null });
  });

  it('exits after its time limit although work still runs, and logs it', async () => {
    await start({ LIMIT_STOP_WAIT_MS: '3600000', LIMIT_STOP_MS: '200' });
    const exit = await child.kill('SIGTERM');
    expect(exit).toMatchObject({ code: 1, signal: null });
    const last = exit.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(last.at(-1)).toMatchObject({ level: 50, milliseconds: 200, msg: expect.stringContaining('took too long') });
  });
});

/** The address at which it listens, regardless of PUBLIC_URL. */
function addressOf(child: TestProcess): string {
  return /"address":"([^"]+)"/.exec(child.output())?.[1] ?? '';
}

/** One request on a keep-alive connection. */
function get(base: string, path: string): Promise<{ status: number | undefined; connection: string | undefined }> {
  const agent = new Agent({ keepAlive: true });
  return new Promise((resolve, reject) => {
    httpRequest(`${base}${path}`, { agent }, (response) => {
      response.resume().once('end', () => agent.destroy());
      resolve({ status: response.statusCode, connection: response.headers.connection });
    })
      .once('error', reject)
      .end();
  });
}
