import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { FormBrowser } from '../../test/support/browser/browser.ts';
import { WorkspaceEmulator } from '../../test/support/emulators/workspace-emulator.ts';
import { read, toService } from '../chat-stream.ts';
import { McpConnection } from '../mcp-connection.ts';
import { plainReference, type Running, startServer } from '../processes.ts';
import { callEnv } from '../socket-calls.ts';
import { CallingSocket, closeRequests, request } from './lanes.ts';
import { Latencies } from './latencies.ts';
import type { Person } from './people.ts';
import { between, type ProcessorTime, readProcessorTime } from './processor-time.ts';
import type { Scene } from './scene.ts';
import { type StatementTap, tapStatements } from './statement-tap.ts';

/** What one request of a kind costs. */
export interface StatementCost {
  kind: string;
  /** Sent to the database, BEGIN and COMMIT included. */
  statements: number;
  /** Transactions that were given an id, because they write or lock rows. */
  writes: number;
  /** Bytes of the write-ahead log. */
  walBytes: number;
  /** Processor time, microseconds. */
  serviceUs: number;
  databaseUs: number;
}

interface Reading {
  at: number;
  statements: number;
  writes: number;
  walBytes: number;
  processor: ProcessorTime;
}

/** One service with what its clients need. */
interface Stand {
  scene: Scene;
  server: Running;
  tap: StatementTap;
  database: pg.Client;
}

interface Kind {
  name: string;
  /** How many requests `run` makes. */
  count: number;
  run(stand: Stand): Promise<void>;
}

const MODEL = '5-20-5';
const REPEATS = 3;
const WARM_UP = 1;
/** Of a replica that serves nobody. */
const IDLE_MS = 15_000;
/** After its start, and after the others' rows were written, which Postgres still works on. */
const SETTLE_MS = 8_000;
const IDLE_SOCKETS = 100;

/**
 * What a request of each kind costs, without what the same replica does at rest. The write-ahead log and the ids of
 * transactions are those of the whole server, so nothing else may use it.
 */
export async function measureStatementCosts(scene: Scene): Promise<StatementCost[]> {
  await using open = new AsyncDisposableStack();
  open.defer(closeRequests);
  const tap = await tapStatements(scene.stage.databaseUrl);
  open.defer(() => tap.close());
  const database = open.adopt(new pg.Client({ connectionString: scene.stage.databaseUrl }), (client) => client.end());
  await database.connect();
  const model = open.use(await startServer(plainReference('model-server'), {}));
  const provider = await new WorkspaceEmulator().start();
  open.defer(() => provider.stop());
  const env = {
    ...callEnv(scene.stage),
    ...scene.env,
    DATABASE_URL: tap.url,
    LIMIT_MCP_REQUESTS_PER_MINUTE: '100000000',
    MODELS: JSON.stringify([{ name: MODEL, model: MODEL, provider: 'openai-compatible', baseUrl: `http://127.0.0.1:${model.port}/v1` }]),
  };
  const costs: StatementCost[] = [];
  const measureAll = async (more: Record<string, string>, kinds: (stand: Stand) => Promise<Kind[]>, rest: StatementCost) => {
    await using server = await startServer('bench/call-service.ts', { ...env, ...more });
    const stand = { scene, server, tap, database };
    const all = await kinds(stand);
    for (const { run } of all) for (let time = 0; time < WARM_UP; time += 1) await run(stand);
    for (const kind of all) costs.push(await measure(stand, kind, rest));
  };
  costs.push(...(await measureIdle(env, { scene, tap, database })));
  const [rest] = costs as [StatementCost];
  await measureAll({}, kindsOfCalls, rest);
  await measureAll(provider.env, async () => [await kindOfConnecting(scene, provider)], rest);
  return costs;
}

async function measure(stand: Stand, { name, count, run }: Kind, rest: StatementCost): Promise<StatementCost> {
  console.error(`${name} …`);
  const samples: StatementCost[] = [];
  for (let time = 0; time < REPEATS; time += 1) {
    const before = await readAll(stand);
    await run(stand);
    samples.push(perRequest(name, before, await readAll(stand), count, rest));
  }
  const middle = (key: Exclude<keyof StatementCost, 'kind'>) => samples.map((one) => one[key]).sort((a, b) => a - b)[1] ?? Number.NaN;
  return {
    kind: name,
    statements: middle('statements'),
    writes: middle('writes'),
    walBytes: middle('walBytes'),
    serviceUs: middle('serviceUs'),
    databaseUs: middle('databaseUs'),
  };
}

/** @returns per second */
async function atRest(stand: Stand): Promise<StatementCost> {
  const before = await readAll(stand);
  await sleep(IDLE_MS);
  return perRequest('', before, await readAll(stand), IDLE_MS / 1000, undefined);
}

/** A replica that serves nobody, per second, and what each of many sockets at rest adds in a minute. */
async function measureIdle(env: Record<string, string>, parts: Omit<Stand, 'server'>): Promise<StatementCost[]> {
  console.error('at rest …');
  await using server = await startServer('bench/call-service.ts', env);
  const stand = { ...parts, server };
  await sleep(SETTLE_MS);
  const rest = await atRest(stand);
  const sockets: CallingSocket[] = [];
  for (const { token } of parts.scene.people.slice(0, IDLE_SOCKETS)) sockets.push(await CallingSocket.open(server.port, token));
  await sleep(SETTLE_MS);
  const before = await readAll(stand);
  await sleep(IDLE_MS);
  const minutes = (IDLE_SOCKETS * IDLE_MS) / 60_000;
  const socket = perRequest('an idle socket, a minute', before, await readAll(stand), minutes, rest);
  for (const one of sockets) one.close();
  return [{ ...rest, kind: 'an idle replica, a second' }, socket];
}

async function readAll({ server, tap, database }: Stand): Promise<Reading> {
  const { rows } = await database.query<{ wal: string; xid: string }>(
    `select (pg_current_wal_insert_lsn() - '0/0')::text as wal, pg_snapshot_xmax(pg_current_snapshot())::text as xid`,
  );
  return {
    at: performance.now(),
    statements: tap.executed,
    writes: Number(rows[0]?.xid),
    walBytes: Number(rows[0]?.wal),
    processor: await readProcessorTime(server, database),
  };
}

function perRequest(kind: string, before: Reading, after: Reading, count: number, rest: StatementCost | undefined): StatementCost {
  const seconds = (after.at - before.at) / 1000;
  const used = between(before.processor, after.processor);
  const each = (all: number, atRest: number) => (all - atRest * seconds) / count;
  return {
    kind,
    statements: each(after.statements - before.statements, rest?.statements ?? 0),
    writes: each(after.writes - before.writes, rest?.writes ?? 0),
    walBytes: each(after.walBytes - before.walBytes, rest?.walBytes ?? 0),
    serviceUs: each(used.service / 1000, rest?.serviceUs ?? 0),
    databaseUs: each(used.database / 1000, rest?.databaseUs ?? 0),
  };
}

async function kindsOfCalls({ scene, server }: Stand): Promise<Kind[]> {
  const { people, stage } = scene;
  const failures = new Latencies();
  const sockets: CallingSocket[] = [];
  for (const { token } of people) sockets.push(await CallingSocket.open(server.port, token));
  const [first] = people as [Person];
  const [socket] = sockets as [CallingSocket];
  const mcp = await McpConnection.open(server.port, await newToken(server.port, first.token));
  const mcpCall = mcp.prepare('tools/call', { name: 'bench_echo', arguments: { text: 'Balances.' } });
  const checked = async (work: Promise<void>) => {
    await work;
    if (failures.errors > 0) throw new Error(failures.firstError);
  };
  const times = async (count: number, work: (index: number) => Promise<unknown>) => {
    for (let index = 0; index < count; index += 1) await work(index);
  };
  const list = (token: string) => checked(request(server.port, '/auth/workspace/accounts', token, failures));
  return [
    {
      name: 'first request of a new user',
      count: 50,
      run: () => times(50, async () => list(await stage.issuer.sign(`new-${randomUUID()}`))),
    },
    {
      name: 'request with a new ID token',
      count: 50,
      run: () => times(50, async (index) => list(await stage.issuer.sign(people[index % people.length]?.subject ?? ''))),
    },
    { name: 'list of accounts', count: 50, run: () => times(50, () => list(first.token)) },
    {
      name: 'socket: open and authenticate',
      count: 50,
      run: () => times(50, async () => (await CallingSocket.open(server.port, first.token)).close()),
    },
    { name: 'read call, one at a time', count: 50, run: () => times(50, () => checked(socket.call('bench.echo', failures, BANK_CALL))) },
    {
      name: `read call, ${people.length} at a time`,
      count: people.length * 5,
      run: () => times(5, () => Promise.all(sockets.map((one) => checked(one.call('bench.echo', failures, BANK_CALL))))),
    },
    {
      name: 'read call through HTTP, one at a time',
      count: 50,
      run: () => times(50, () => checked(socket.call('mail.labels', failures))),
    },
    {
      name: 'the same with a refresh of its token',
      count: people.length,
      run: async ({ database }) => {
        await database.query(`update grants set expires_at = now() - interval '1 minute' where provider = 'workspace'`);
        await times(people.length, (index) => checked((sockets[index] as CallingSocket).call('mail.labels', failures)));
      },
    },
    { name: 'changing call', count: 50, run: () => times(50, () => checked(socket.call('bench.change', failures, BANK_CALL))) },
    {
      name: 'call that asks, and its approval',
      count: 50,
      run: () =>
        times(50, async (index) =>
          approve(server.port, first.token, await socket.ask('bench.ask', { text: `Ask ${index} ${randomUUID()}` })),
        ),
    },
    { name: 'call over MCP', count: 50, run: () => times(50, () => mcp.send(mcpCall)) },
    {
      name: `chat: an answer of 20 tokens in a new thread`,
      count: 5,
      run: () => times(5, () => read(toService(server.port, first.token, MODEL)).done),
    },
  ];
}

const BANK_CALL = { text: 'Balances.' };

async function approve(port: number, token: string, id: string): Promise<void> {
  const headers = { authorization: token, 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}/approvals/${id}`, { method: 'POST', headers, body: '{"approved":true}' });
  if (response.status !== 200) throw new Error(`the approval answered ${response.status}: ${await response.text()}`);
}

async function newToken(port: number, idToken: string): Promise<string> {
  const headers = { authorization: idToken, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'bench', actions: ['*'], access: 'write' });
  const response = await fetch(`http://127.0.0.1:${port}/tokens`, { method: 'POST', headers, body });
  return ((await response.json()) as { token: string }).token;
}

/** From the request for a connection to the redirect after the consent, each with a new account of a user. */
async function kindOfConnecting(scene: Scene, provider: WorkspaceEmulator): Promise<Kind> {
  const count = 10;
  return {
    name: 'connecting an account',
    count,
    async run({ server }) {
      for (let index = 0; index < count; index += 1) {
        const { token = '' } = scene.people[index % scene.people.length] ?? {};
        const browser = new FormBrowser(`http://127.0.0.1:${server.port}`);
        const email = `${randomUUID()}@example.com`;
        const begun = await browser.visit('/workspace_access_request', { form: { email }, token });
        const login = await browser.visit(begun.body.login_url);
        const callback = await browser.visit(provider.approve(login.headers.get('location') ?? '', email));
        if (callback.status !== 302 && callback.status !== 303)
          throw new Error(`the callback answered ${callback.status}: ${callback.text}`);
      }
    },
  };
}
