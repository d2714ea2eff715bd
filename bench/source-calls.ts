import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { accessCredential } from '../src/providers/mcp/credentials.ts';
import type { ToolDefinition } from '../src/providers/mcp/source-settings.ts';
import { insertAccount } from '../src/sources/accounts-repository.ts';
import { SourceTools } from '../src/sources/source-tools.ts';
import { upsertUser } from '../src/users/users-repository.ts';
import type { Figure } from './figures.ts';
import { openVault } from './mixed/people.ts';
import { plainReference, type Running, SERVICE, startServer } from './processes.ts';
import { callOnce, providerCallEnv } from './provider-calls.ts';
import { hello, SocketLoad } from './socket-load.ts';
import type { SourceClientOrder, SourceClientResult } from './source-client.ts';
import type { Stage } from './stage.ts';

const PAIRS = 7;
const WARM_UP_MS = 6_000;
const MEASURE_MS = 3_000;
const AT_ONCE = 32;
const TOOL = 'find_tickets';
const INPUT = { query: 'open' };
const MESSAGE = JSON.stringify({ type: 'call', requestId: 'request-1', action: 'tickets.find', input: INPUT });

interface Sample {
  perSecond: number;
  cpuMicros: number;
}

/** (k) Calls of a source's tool over sockets, each another user's, against bare clients of the MCP SDK that call it directly. */
export async function measureSourceCalls(stage: Stage): Promise<Figure[]> {
  await using source = await startServer(plainReference('source-provider'), {});
  const url = `http://127.0.0.1:${source.port}/mcp`;
  const folder = mkdtempSync(join(tmpdir(), 'steward-bench-'));
  const env = { ...providerCallEnv(stage, url), INTERNAL_HOSTS: '127.0.0.1', INTEGRATIONS_FILE: join(folder, 'integrations.yaml') };
  writeFileSync(env.INTEGRATIONS_FILE, integrations(url));
  try {
    const hellos = await connectAll(stage, url);
    await using service = await startServer(SERVICE, env);
    using load = new SocketLoad();
    using bare = new BareClients(url);
    await assertEqual(service, hellos[0] ?? '', bare);
    const overSockets = (durationMs: number) => callOverSockets(load, service, hellos, durationMs);
    return await measurePairs(overSockets, (durationMs) => bare.run(durationMs));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function integrations(url: string): string {
  return JSON.stringify({
    version: 1,
    sources: { tickets: { url, auth: 'none', label: 'Tickets' } },
    agents: {
      tickets: {
        provider: 'mcp',
        source: 'tickets',
        description: 'Tickets.',
        actions: { find: { tool: TOOL, effect: 'read', policy: { rate: '99999/sec' } } },
      },
    },
  });
}

/** Users who are connected to the source and have its tool approved. @returns their first messages */
async function connectAll(stage: Stage, url: string): Promise<string[]> {
  const { db, userKeys, grants } = openVault(stage);
  const tools = new SourceTools({
    db,
    userKeys,
    emit: async () => {},
    recordDecision: async () => {},
    fileTools: () => new Map([[TOOL, {}]]),
  });
  const definitions = await listedBy(url);
  const hellos: string[] = [];
  for (let index = 0; index < AT_ONCE; index += 1) {
    const subject = `source-user-${index}`;
    const userId = await upsertUser(db, stage.issuer.env.OIDC_ISSUER, subject, `${subject}@example.com`);
    const id = randomUUID();
    await db.transaction(async (tx) => {
      const tokens = { accessToken: accessCredential({ url }) };
      const grant = await grants.store(tx, { userId, provider: 'mcp', subject: id, tokens, scopes: [], expiresAt: null });
      await insertAccount(tx, { id, userId, grantId: grant.id, source: 'tickets', url, label: 'Tickets' });
    }, userId);
    await tools.store({ userId, id }, definitions, undefined);
    hellos.push(hello(await stage.issuer.sign(subject)));
  }
  await db.close();
  return hellos;
}

async function listedBy(url: string): Promise<ToolDefinition[]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) });
  const { result } = (await response.json()) as { result: { tools: ToolDefinition[] } };
  return result.tools;
}

/** The SDK's clients, in a process that stays warm between measurements. */
class BareClients {
  readonly #child: ChildProcess = fork(join(import.meta.dirname, 'source-client.ts'));
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async call(durationMs: number): Promise<SourceClientResult> {
    const order: SourceClientOrder = { url: this.#url, clients: AT_ONCE, durationMs, tool: TOOL, input: INPUT };
    this.#child.send(order);
    const [response] = (await once(this.#child, 'message')) as [SourceClientResult | { error: string }];
    if ('error' in response) throw new Error(response.error);
    return response;
  }

  async run(durationMs: number): Promise<Sample> {
    const { answers, elapsedMs, cpuMs } = await this.call(durationMs);
    return { perSecond: (answers / elapsedMs) * 1000, cpuMicros: (cpuMs / answers) * 1000 };
  }

  [Symbol.dispose](): void {
    this.#child.disconnect();
  }
}

async function callOverSockets(load: SocketLoad, server: Running, hellos: string[], durationMs: number): Promise<Sample> {
  const before = server.cpuMs();
  const { answers, elapsedMs } = await load.run({
    kind: 'load',
    port: server.port,
    hello: hellos,
    message: MESSAGE,
    sockets: AT_ONCE,
    durationMs,
  });
  return { perSecond: (answers / elapsedMs) * 1000, cpuMicros: ((server.cpuMs() - before) / answers) * 1000 };
}

type Run = (durationMs: number) => Promise<Sample>;

async function measurePairs(overSockets: Run, bare: Run): Promise<Figure[]> {
  for (const run of [overSockets, bare]) await run(WARM_UP_MS);
  const samples = { service: [] as Sample[], reference: [] as Sample[] };
  for (let pair = 0; pair < PAIRS; pair += 1) {
    if (pair % 2 === 0) samples.service.push(await overSockets(MEASURE_MS));
    samples.reference.push(await bare(MEASURE_MS));
    if (pair % 2 === 1) samples.service.push(await overSockets(MEASURE_MS));
  }
  const column = (key: keyof Sample) => ({
    service: samples.service.map((sample) => sample[key]),
    reference: samples.reference.map((sample) => sample[key]),
  });
  return [
    {
      label: `(k) call through a source, ${AT_ONCE} at once`,
      unit: 'calls/s',
      ...column('perSecond'),
      goal: { kind: 'at least', value: 0.3, of: 'ratio' },
    },
    { label: '    processor of the server, of the bare clients', unit: 'µs/call', ...column('cpuMicros') },
  ];
}

/** Both must get the same data, or the comparison means nothing. */
async function assertEqual(service: Running, first: string, bare: BareClients): Promise<void> {
  const ours = await callOnce(service, first, MESSAGE);
  const { structuredContent } = await bare.call(1);
  const theirs = { structured: structuredContent };
  if (!isDeepStrictEqual(ours, theirs)) throw new Error(`the responses differ: ${JSON.stringify(ours)} and ${JSON.stringify(theirs)}`);
}
