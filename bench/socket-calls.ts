import type { Figure } from './figures.ts';
import { plainReference, type Running, SERVICE_OPTIONS, startServer } from './processes.ts';
import { hello, SocketLoad } from './socket-load.ts';
import type { Stage } from './stage.ts';

const PAIRS = 7;
const WARM_UP_MS = 8_000;
const MEASURE_MS = 3_000;
const SOCKETS = 512;
const PLENTY = '100000000';
/** Of the call that (g) and (i) measure. */
export const ACCOUNT = 'First Example Bank';
export const INPUT = { text: 'Balances and transactions, read-only. '.repeat(5) };
const MESSAGE = JSON.stringify({ type: 'call', requestId: 'request-1', action: 'bench.echo', account: ACCOUNT, input: INPUT });

interface Sample {
  perSecond: number;
  /** Processor time of the server per call, microseconds. */
  cpuMicros: number;
  /** Share of one processor that the client used. */
  clientShare: number;
}

/** Environment of the service of (g) and (i): limits of one user raised, and an aggregator that is never called. */
export function callEnv(stage: Stage): Record<string, string> {
  return {
    ...stage.serviceEnv,
    PLAID_CLIENT_ID: 'bench',
    PLAID_SECRET: 'bench',
    LIMIT_SOCKET_MESSAGES_PER_MINUTE: PLENTY,
    LIMIT_SOCKET_BYTES_PER_MINUTE: '100000000000',
    LIMIT_SOCKETS_PER_USER: PLENTY,
    LIMIT_MCP_REQUESTS_PER_MINUTE: PLENTY,
  };
}

/** (g) Calls over sockets, with audit rows and the account's token, against bare ws that sends the same JSON back. */
export async function measureCalls(stage: Stage): Promise<Figure[]> {
  await using service = await startServer('bench/call-service.ts', callEnv(stage), SERVICE_OPTIONS);
  await using reference = await startServer(plainReference('socket-reference'), stage.referenceEnv);
  using client = new SocketLoad();
  const token = await stage.signIn();
  const run = async (server: Running, durationMs: number): Promise<Sample> => {
    const before = server.cpuMs();
    const order = { kind: 'load', port: server.port, hello: hello(token), message: MESSAGE, sockets: SOCKETS, durationMs } as const;
    const { answers: responses, elapsedMs, cpuMs } = await client.run(order);
    return {
      perSecond: (responses / elapsedMs) * 1000,
      cpuMicros: ((server.cpuMs() - before) / responses) * 1000,
      clientShare: cpuMs / elapsedMs,
    };
  };
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
    { label: '(g) call over a socket', unit: 'calls/s', ...column('perSecond'), goal: { kind: 'at least', value: 0.3, of: 'ratio' } },
    { label: '    processor of the server', unit: 'µs/call', ...column('cpuMicros') },
    { label: '    processor of the client', unit: 'cores', ...column('clientShare') },
  ];
}
