import { once } from 'node:events';
import type { Response } from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { connect, outcome } from '../../support/scenes/flows.ts';
import { type FaultyDatabase, startFaultyDatabase } from '../../support/servers/database-proxy.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { request } from '../../support/users/request.ts';

let database: FaultyDatabase;
let steward: TestSteward;

beforeAll(async () => {
  database = await startFaultyDatabase();
  steward = await startSteward(database.env);
});

afterAll(async () => {
  await steward.stop();
  await database.stop();
});

async function connections(): Promise<number> {
  return (await request(steward.url).get('/test')).body.connections;
}

/** Waits for this status of readiness, which is cached for a moment. */
function ready(status: number): Promise<Response> {
  return eventually(async () => {
    const response = await request(steward.url).get('/health/ready');
    return response.status === status ? response : undefined;
  });
}

describe('GET /test', () => {
  it('returns exactly status, service, environment and connections', async () => {
    const response = await request(steward.url).get('/test');
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toMatch(/^application\/json\b/);
    expect(response.body).toEqual({ status: 'success', service: 'steward', environment: 'development', connections: 0 });
  });

  it('counts WebSocket connections while they are open', async () => {
    const address = `${steward.url.replace('http', 'ws')}/ws`;
    const sockets = [new WebSocket(address), new WebSocket(address)];
    await Promise.all(sockets.map((socket) => once(socket, 'open')));
    expect(await connections()).toBe(2);
    sockets[0]?.terminate();
    await eventually(async () => (await connections()) === 1);
    sockets[1]?.close();
    await eventually(async () => (await connections()) === 0);
  });

  it('doesn’t count upgrades that were rejected', async () => {
    const rejected = new WebSocket(`${steward.url.replace('http', 'ws')}/ws`, { origin: 'https://evil.example' });
    const [error] = (await once(rejected, 'error')) as [Error];
    expect(error.message).toContain('403');
    expect(await connections()).toBe(0);
  });

  it('ignores queries, cookies and tokens', async () => {
    const response = await request(steward.url)
      .get('/test?x=1&environment=production')
      .set('Authorization', 'nonsense')
      .set({ cookie: 'a=b' });
    expect(response.body).toMatchObject({ status: 'success', environment: 'development' });
  });
});

describe('GET /health/live and /health/ready', () => {
  it('are 200 in a healthy service', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      const response = await request(steward.url).get(path);
      expect([response.status, response.text]).toEqual([200, '{"status":"success"}']);
    }
  });
});

describe('with stored data under a missing master key', () => {
  it('is not ready until the key is back', async () => {
    const { callback } = await connect(steward, { email: 'demo@example.com' });
    expect(outcome(callback)).toMatchObject({ status: 'connected' });
    const [key] = await steward.sql<{ id: string }>('select master_key_id as id from user_keys');
    await steward.sql(`insert into key_canaries (master_key_id, sealed) values ('of-another-replica', '')`);
    await steward.sql(`update user_keys set master_key_id = 'of-another-replica'`);
    try {
      const response = await ready(503);
      expectError(response, 'unavailable');
      expect(response.text).not.toContain('of-another-replica');
      await request(steward.url).get('/health/live').expect(200);
    } finally {
      await steward.sql('update user_keys set master_key_id = $1', [key?.id]);
    }
    await ready(200);
  });
});

describe('while the database is unavailable', () => {
  it('is live but not ready, /test is 200, authenticated requests are 503, and the service recovers', async () => {
    const token = await steward.signIn();
    database.cut();
    try {
      expectError(await ready(503), 'unavailable');
      await request(steward.url).get('/health/live').expect(200);
      expect((await request(steward.url).get('/test')).body.status).toBe('success');
      expectError(await request(steward.url).get('/integrations').set('Authorization', token), 'unavailable');
      expectError(await request(steward.url).get(`/auth/workspace/login?token=${token}`), 'unavailable');
      expectError(await request(steward.url).get('/auth/bank/accounts').set('Authorization', token), 'unavailable');
    } finally {
      database.restore();
    }
    await ready(200);
    await request(steward.url).get('/integrations').set('Authorization', token).expect(200);
  });

  it('is not ready if the database is read-only', async () => {
    await takeReadsOnly(true);
    try {
      await ready(503);
    } finally {
      await takeReadsOnly(false);
    }
    await ready(200);
  });

  /** For new sessions, and for the embedded database's only one; others are closed. */
  async function takeReadsOnly(on: boolean): Promise<void> {
    const value = on ? 'on' : 'off';
    await steward.context.db.transaction(async (tx) => {
      await tx.query('set transaction read write');
      await tx.query(
        `do $$ begin execute format('alter database %I set default_transaction_read_only = ${value}', current_database()); end $$`,
      );
      await tx.query(`set default_transaction_read_only = ${value}`);
    });
    if (steward.context.embedded) return;
    database.cut();
    database.restore();
  }
});
