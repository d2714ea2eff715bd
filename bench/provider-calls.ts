import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { WebSocket } from 'ws';
import type { Figure } from './figures.ts';
import { createPeople } from './mixed/people.ts';
import { plainReference, type Running, SERVICE, startServer } from './processes.ts';
import { hello, SocketLoad } from './socket-load.ts';
import type { Stage } from './stage.ts';

const PAIRS = 7;
const WARM_UP_MS = 6_000;
const MEASURE_MS = 3_000;
const SOCKETS = [32, 512];
const PLENTY = '100000000';
const MESSAGE = JSON.stringify({ type: 'call', requestId: 'request-1', action: 'mail.labels', input: {} });

interface Sample {
  perSecond: number;
  /** Processor time of the server per call, microseconds. */
  cpuMicros: number;
}

/** (k) Calls that send a request to a provider, each socket another user's, against bare ws that does the same with undici and pg. */
export async function measureProviderCalls(stage: Stage): Promise<Figure[]> {
  await using provider = await startServer(plainReference('labels-provider'), {});
  const url = `http://127.0.0.1:${provider.port}`;
  await using service = await startServer(SERVICE, providerCallEnv(stage, url));
  await using reference = await startServer(plainReference('provider-reference'), { ...stage.referenceEnv, API_URL: url });
  using client = new SocketLoad();
  const hellos = await signInAll(stage);
  await assertEqual(service, reference, hellos[0] ?? '');
  const figures: Figure[] = [];
  for (const sockets of SOCKETS) {
    const run = (server: Running, durationMs: number) => runLoad(client, server, hellos, sockets, durationMs);
    figures.push(...(await measurePairs(service, reference, run, sockets)));
  }
  return figures;
}

/** Environment of the service of (k). @param url of the provider */
export function providerCallEnv(stage: Stage, url: string): Record<string, string> {
  return {
    ...stage.serviceEnv,
    GOOGLE_CLIENT_ID: 'bench',
    GOOGLE_CLIENT_SECRET: 'bench',
    GOOGLE_API_URL: url,
    INTEGRATIONS_FILE: join(import.meta.dirname, 'provider-calls.yaml'),
    LIMIT_SOCKET_MESSAGES_PER_MINUTE: PLENTY,
    LIMIT_SOCKET_BYTES_PER_MINUTE: '100000000000',
    // On a slow machine, the first calls of 512 users at once take longer than is acceptable, and the bench ends at a refusal.
    LIMIT_BUSY_LATENCY_MS: '1000',
  };
}

/** The first messages of as many users as there are sockets, whose access tokens are valid throughout. */
export async function signInAll(stage: Stage): Promise<string[]> {
  const consent = () => ({
    accessToken: `ya29.${randomBytes(150).toString('base64url')}`,
    refreshToken: randomBytes(80).toString('base64url'),
  });
  const people = await createPeople(stage, { consent }, Math.max(...SOCKETS), () => 3_600);
  return people.map(({ token }) => hello(token));
}

async function runLoad(client: SocketLoad, server: Running, hellos: string[], sockets: number, durationMs: number): Promise<Sample> {
  const before = server.cpuMs();
  const { answers: responses, elapsedMs } = await client.run({
    kind: 'load',
    port: server.port,
    hello: hellos,
    message: MESSAGE,
    sockets,
    durationMs,
  });
  return { perSecond: (responses / elapsedMs) * 1000, cpuMicros: ((server.cpuMs() - before) / responses) * 1000 };
}

async function measurePairs(
  service: Running,
  reference: Running,
  run: (server: Running, durationMs: number) => Promise<Sample>,
  sockets: number,
): Promise<Figure[]> {
  for (const server of [service, reference]) await run(server, WARM_UP_MS);
  const samples = { service: [] as Sample[], reference: [] as Sample[] };
  for (let pair = 0; pair < PAIRS; pair += 1) {
    if (pair % 2 === 0) samples.service.push(await run(service, MEASURE_MS));
    samples.reference.push(await run(reference, MEASURE_MS));
    if (pair % 2 === 1) samples.service.push(await run(service, MEASURE_MS));
  }
  const column = (key: keyof Sample) => ({
    service: samples.service.map((sample) => sample[key]),
    reference: samples.reference.map((sample) => sample[key]),
  });
  return [
    {
      label: `(k) call through HTTP, ${sockets} sockets`,
      unit: 'calls/s',
      ...column('perSecond'),
      goal: { kind: 'at least', value: 0.3, of: 'ratio' },
    },
    { label: '    processor of the server', unit: 'µs/call', ...column('cpuMicros') },
  ];
}

/** Both servers must give the same data, or the comparison means nothing. */
async function assertEqual(service: Running, reference: Running, first: string): Promise<void> {
  const [ours, theirs] = await Promise.all([service, reference].map((server) => callOnce(server, first, MESSAGE)));
  if (!isDeepStrictEqual(ours, theirs)) throw new Error(`the responses differ: ${JSON.stringify(ours)} and ${JSON.stringify(theirs)}`);
}

/** The data of one call. @param first message of the socket */
export async function callOnce({ port }: Running, first: string, call: string): Promise<unknown> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  socket.on('error', reject).on('open', () => socket.send(first));
  socket.on('message', (message) => {
    const { type, data } = JSON.parse(String(message)) as { type: string; data?: unknown };
    if (type === 'ready') socket.send(call);
    else if (type === 'result') resolve(data);
    else if (type === 'error') reject(new Error(String(message)));
  });
  try {
    return await promise;
  } finally {
    socket.terminate();
  }
}
