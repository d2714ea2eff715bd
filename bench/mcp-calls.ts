import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type Figure, median } from './figures.ts';
import { McpConnection } from './mcp-connection.ts';
import { type Running, startServer } from './processes.ts';
import { ACCOUNT, callEnv, INPUT } from './socket-calls.ts';
import { hello } from './socket-load.ts';
import type { Stage } from './stage.ts';

const PAIRS = 9;
const WARM_UP = 2_000;
const REQUESTS = 300;

interface Sample {
  /** Median time of a request, milliseconds. */
  ms: number;
  /** Processor time of the server per request, milliseconds. */
  cpuMs: number;
}

type Send = () => Promise<unknown>;

/** (i) The same call over /mcp and over a socket, one at a time, on one service; and the list of tools over both. */
export async function measureMcp(stage: Stage): Promise<Figure[]> {
  await using service = await startServer('bench/call-service.ts', callEnv(stage));
  const idToken = await stage.signIn();
  const socket = await openSocket(service.port, idToken);
  const call = { type: 'call', requestId: '2', action: 'bench.echo', account: ACCOUNT, input: INPUT };
  const overSocket = { call: () => ask(socket, call), list: () => ask(socket, { type: 'list', requestId: '2' }) };
  for (let times = 0; times < REQUESTS; times += 1) await overSocket.call();
  const beforeFirst = service.residentMb();
  const connection = await McpConnection.open(service.port, await newToken(service.port, idToken));
  const toCall = connection.prepare('tools/call', { name: 'bench_echo', arguments: { ...INPUT, account: ACCOUNT } });
  const toList = connection.prepare('tools/list', {});
  const overMcp = { call: () => connection.send(toCall), list: () => connection.send(toList) };
  for (let times = 0; times < REQUESTS; times += 1) await overMcp.call();
  const afterFirst = service.residentMb();
  for (const send of [overSocket.call, overMcp.call, overSocket.list, overMcp.list]) await run(service, send, WARM_UP);
  const calls = await inPairs(service, overMcp.call, overSocket.call);
  const lists = await inPairs(service, overMcp.list, overSocket.list);
  connection.close();
  socket.close();
  const more = calls.mcp.map(({ ms }, index) => ms - (calls.socket[index]?.ms ?? Number.NaN));
  const reference = calls.socket.map(({ ms }) => ms);
  return [
    { label: '(i) call over /mcp', unit: 'ms', ...column(calls, 'ms'), goal: { kind: 'at most', value: 2, of: 'ratio' } },
    { label: '    more than over a socket', unit: 'ms', service: more, reference, goal: { kind: 'at most', value: 3, of: 'service' } },
    { label: '    processor of the server', unit: 'ms', ...column(calls, 'cpuMs') },
    { label: '    list of tools', unit: 'ms', ...column(lists, 'ms') },
    { label: '    memory after its first calls', unit: 'MB', service: [afterFirst], reference: [beforeFirst] },
  ];
}

interface Samples {
  mcp: Sample[];
  socket: Sample[];
}

function column({ mcp, socket }: Samples, key: keyof Sample): Pick<Figure, 'service' | 'reference'> {
  return { service: mcp.map((sample) => sample[key]), reference: socket.map((sample) => sample[key]) };
}

async function inPairs(service: Running, overMcp: Send, overSocket: Send): Promise<Samples> {
  const samples: Samples = { mcp: [], socket: [] };
  for (let pair = 0; pair < PAIRS; pair += 1) {
    if (pair % 2 === 0) samples.mcp.push(await run(service, overMcp));
    samples.socket.push(await run(service, overSocket));
    if (pair % 2 === 1) samples.mcp.push(await run(service, overMcp));
  }
  return samples;
}

async function run(service: Running, send: Send, requests = REQUESTS): Promise<Sample> {
  const cpu = service.cpuMs();
  const times: number[] = [];
  for (let count = 0; count < requests; count += 1) {
    const start = performance.now();
    await send();
    times.push(performance.now() - start);
  }
  return { ms: median(times), cpuMs: (service.cpuMs() - cpu) / requests };
}

async function openSocket(port: number, idToken: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { perMessageDeflate: false });
  await once(socket, 'open');
  socket.send(hello(idToken));
  await once(socket, 'message');
  return socket;
}

/** @throws Error for any but a result */
async function ask(socket: WebSocket, frame: object): Promise<void> {
  socket.send(JSON.stringify(frame));
  const text = String((await once(socket, 'message'))[0]);
  if (!text.includes('"type":"result"')) throw new Error(text);
}

async function newToken(port: number, idToken: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/tokens`, {
    method: 'POST',
    headers: { authorization: idToken, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', actions: ['*'], access: 'write' }),
  });
  const body = (await response.json()) as { token?: string };
  if (body.token === undefined) throw new Error(`no token: ${JSON.stringify(body)}`);
  return body.token;
}
