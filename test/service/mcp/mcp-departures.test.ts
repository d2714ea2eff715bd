import { once } from 'node:events';
import { connect } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { eventually } from '../../support/time/eventually.ts';
import { McpClient } from '../../support/users/mcp-client.ts';

const WAITING = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

describe.skipIf(!hasPostgres)('/mcp, when clients leave', () => {
  let database: PostgresDatabase;
  let holder: pg.Client;
  let scene: ExecutorScene;
  let token: string;
  /** Of another client. */
  let second: string;

  beforeAll(async () => {
    database = await createPostgresDatabase();
    holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    scene = await ExecutorScene.start({ DATABASE_URL: database.url, LIMIT_MCP_CALLS: '1' });
    const user = await scene.connect();
    const body = JSON.stringify({ name: 'leaving', actions: ['*'], access: 'write' });
    const headers = { 'content-type': 'application/json' };
    const newToken = async () => (await scene.steward.call('/tokens', { token: user.token, body, headers })).body.token;
    token = await newToken();
    second = await newToken();
  });
  afterAll(async () => {
    await holder?.end();
    await scene?.stop();
    await database?.drop();
  });

  it('counts no request of one that left while it was authenticated', async () => {
    await holder.query('begin');
    await holder.query('lock table client_grants in access exclusive mode');
    const { host, hostname, port } = new URL(scene.steward.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const headers = [`host: ${host}`, `authorization: Bearer ${token}`, 'content-type: application/json', `content-length: ${PING.length}`];
    socket.write(`POST /mcp HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${PING}`);
    await eventually(async () => (await database.sql(WAITING)).length > 0);
    socket.destroy();
    await eventually(() => scene.steward.logs.some((line) => line.includes('request aborted')));
    await holder.query('rollback');
    // Served after the one that waited.
    expect((await new McpClient(scene.steward, second).request('tools/list')).status).toBe(200);
    expect((await new McpClient(scene.steward, token).request('tools/list')).status).toBe(200);
  });
});
