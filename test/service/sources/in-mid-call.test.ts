import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/providers/mcp/source-settings.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { allRows } from '../../support/database/user-tables.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';
import { newToken } from '../../support/scenes/mcp-scene.ts';
import { ToolScene, type ToolUser } from '../../support/scenes/tool-scene.ts';
import { McpSource } from '../../support/servers/mcp-source.ts';
import { type ScriptedCall, sendJson } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const inputSchema = { type: 'object', properties: { id: { type: 'string' } } };
const READ: ToolDefinition = { name: 'read', inputSchema };
const CLOSE: ToolDefinition = { name: 'close', inputSchema };
/** That no log, and no row after the end, may hold. */
const ASKED = 'what-the-user-asked-7391';
const ANSWERED = 'what-the-server-answers-2846';

/** What reached the server and waits for its answer. */
interface Held {
  call: ScriptedCall;
  response: ServerResponse;
  isCutOff: boolean;
}

describe.skipIf(!hasPostgres)('a call that its server holds', () => {
  const held: Held[] = [];
  let source: McpSource;
  let database: PostgresDatabase;
  let scene: ToolScene;
  let other: TestSteward;
  let user: ToolUser;
  /** A client's, which every replica knows. */
  let token: string;

  const file = (isOf: 'tickets' | 'nobody' = 'tickets') => {
    const whole = sourceFile(
      `{ url: "${source.address}", auth: none, label: Tickets }`,
      'read: { tool: read, effect: read }',
      'close: { tool: close, effect: write, policy: { approval: never } }',
    );
    return isOf === 'tickets' ? whole : `${whole.slice(0, whole.indexOf('agents:'))}agents: {}\n`;
  };

  beforeAll(async () => {
    source = await new McpSource().start();
    database = await createPostgresDatabase();
    const env = { DATABASE_URL: database.url, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` };
    scene = await ToolScene.real(file(), env);
    // As on two machines with the same file.
    other = await startSteward({ ...env, INTEGRATIONS_FILE: scene.path });
    await other.tick();
  });

  beforeEach(async () => {
    held.length = 0;
    source.restart();
    source.pages = { first: { tools: [READ, CLOSE] } };
    scene.listed.set('tickets', [READ, CLOSE]);
    if (scene.steward.context.integrations.current.agents.size === 0) await scene.reload(file());
    await other.tick();
    user = await scene.user('tickets');
    ({ token } = await newToken(scene.steward, user));
    source.answer = (response, call) => {
      const one = { call, response, isCutOff: false };
      held.push(one);
      response.on('close', () => {
        one.isCutOff = !response.writableEnded;
      });
    };
  });

  afterAll(async () => {
    await other?.stop();
    await scene?.steward.stop();
    await database?.drop();
    await source?.stop();
  });

  const answer = ({ response, call }: Held) =>
    sendJson(response, 200, {
      jsonrpc: '2.0',
      id: call.body.id,
      result: { resultType: 'complete', content: [{ type: 'text', text: ANSWERED }] },
    });

  const REPLICAS = { 'this replica': () => scene.steward, 'the other replica': () => other };
  type Replica = keyof typeof REPLICAS;
  const post = (on: Replica, action: string) =>
    REPLICAS[on]().call(`/agents/tickets.${action}`, { token, headers: JSON_TYPE, body: JSON.stringify({ id: ASKED }) });
  const code = async (on: Replica, action: string) => (await post(on, action)).body.code ?? 'ok';

  const EVENTS = {
    'its source is disconnected': async () => {
      const path = `/auth/sources/accounts/${user.accounts.tickets}`;
      expect((await scene.steward.call(path, { method: 'DELETE', token: user.token })).body).toEqual({ success: true });
    },
    'its source is made read-only': async () => {
      const body = JSON.stringify({ account_id: user.accounts.tickets });
      expect((await scene.steward.call('/read-only', { token: user.token, headers: JSON_TYPE, body })).status).toBeLessThan(300);
    },
    'its agent is removed by a reload': async () => {
      await scene.reload(file('nobody'));
      await other.tick();
    },
    'its user is deleted': async () => {
      expect((await scene.steward.call('/user', { method: 'DELETE', token: user.token })).body).toEqual({ success: true });
    },
  };
  type Event = keyof typeof EVENTS;
  interface Expected {
    /** How the call ends, and how the next one does. */
    ends: string;
    next: string;
    trail: string[];
  }
  const DISCONNECTED: Record<'read' | 'close', Expected> = {
    read: { ends: 'not_found', next: 'not_found', trail: ['allowed not_found'] },
    close: { ends: 'outcome_unknown', next: 'not_found', trail: ['started ok', 'allowed outcome_unknown'] },
  };
  const EXPECTED: Record<Event, Record<'read' | 'close', Expected>> = {
    'its source is disconnected': DISCONNECTED,
    // What was sent before is done, and what it gave is told.
    'its source is made read-only': {
      read: { ends: 'ok', next: 'ok', trail: ['allowed ok'] },
      close: { ends: 'ok', next: 'forbidden', trail: ['started ok', 'allowed ok'] },
    },
    'its agent is removed by a reload': DISCONNECTED,
    'its user is deleted': {
      read: { ends: 'not_found', next: 'invalid_token', trail: [] },
      close: { ends: 'outcome_unknown', next: 'invalid_token', trail: [] },
    },
  };
  const CASES = Object.keys(REPLICAS).flatMap((on) =>
    Object.keys(EVENTS).flatMap((event) => (['read', 'close'] as const).map((action) => [on as Replica, event as Event, action] as const)),
  );

  it.each(CASES)('on %s, when %s: %s', async (on, event, action) => {
    const expected = EXPECTED[event][action];
    const call = post(on, action);
    await eventually(() => held.length === 1);
    await EVENTS[event]();
    const [first] = held as [Held];
    if (expected.ends === 'ok') answer(first);
    const { body } = await call;
    expect(body.code ?? 'ok').toBe(expected.ends);
    if (expected.ends !== 'ok') {
      expect(JSON.stringify(body)).not.toContain(ANSWERED);
      await eventually(() => first.isCutOff);
    }

    source.answer = (response, sent) => answer({ response, call: sent, isCutOff: false });
    const before = source.callsOf('/mcp').length;
    expect(await Promise.all([code('this replica', action), code('the other replica', action)])).toEqual([expected.next, expected.next]);
    if (expected.next !== 'ok') expect(source.callsOf('/mcp')).toHaveLength(before);

    const rows = await scene.steward.sql<Record<string, string>>(
      `select decision, outcome from audit_log where user_id = $1 and action = $2 order by id limit $3`,
      [user.userId, `tickets.${action}`, expected.trail.length],
    );
    expect(rows.map(({ decision, outcome }) => `${decision} ${outcome}`)).toEqual(expected.trail);
    for (const { logs } of [scene.steward, other]) {
      expect(logs.join('')).not.toContain(ASKED);
      expect(logs.join('')).not.toContain(ANSWERED);
    }
    if (event === 'its source is disconnected' || event === 'its user is deleted') {
      for (const table of ['grants', 'source_accounts', 'source_tools', 'read_only_accounts']) {
        expect(await scene.steward.sql(`select 1 from ${table} where user_id = $1`, [user.userId]), table).toEqual([]);
      }
    }
    if (event === 'its user is deleted') {
      const left = (await allRows(scene.steward.sql)).filter(({ row }) => row.includes(user.accounts.tickets ?? '') || row.includes(ASKED));
      expect(left).toEqual([]);
    }
  });

  it.each(['its source is disconnected', 'its user is deleted'] as const)(
    'a list of tools that its server holds leaves nothing behind when %s',
    async (event) => {
      const release = source.hold('/mcp');
      await scene.steward.sql('update source_accounts set list_after = now() where id = $1', [user.accounts.tickets]);
      const reading = other.tick();
      const lists = () => source.callsOf('/mcp').filter(({ body }) => body?.method === 'server/discover' || body?.method === 'tools/list');
      await eventually(() => lists().length > 0);
      await EVENTS[event]();
      release();
      await reading;
      for (const table of ['grants', 'source_accounts', 'source_tools']) {
        expect(await scene.steward.sql(`select 1 from ${table} where user_id = $1`, [user.userId]), table).toEqual([]);
      }
      if (event === 'its user is deleted') {
        expect(await scene.steward.sql('select 1 from user_keys where user_id = $1', [user.userId])).toEqual([]);
      }
    },
  );
});
