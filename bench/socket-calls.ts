import { CONCURRENT_BATCHES, GATHERING } from '../src/database/statement-batcher.ts';
import type { Figure } from './figures.ts';
import { plainReference, type Running, startServer } from './processes.ts';
import { hello, SocketLoad } from './socket-load.ts';
import type { Stage } from './stage.ts';

const PAIRS = 5;
const WARM_UP_MS = 5_000;
const MEASURE_MS = 2_000;
/** With few, calls wait for Postgres; with many, for a processor. */
const SOCKETS = [32, 128, 512];
const MOST_SOCKETS = 512;
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
    // Code that is not compiled yet takes 512 calls slowly enough for some to be refused.
    LIMIT_BUSY_LATENCY_MS: PLENTY,
  };
}

type Samples = Record<'service' | 'reference' | 'echo', Sample[]>;

/** (g) Calls over sockets, with audit rows and the account's token, against bare ws and pg that reads and commits a row, and bare ws. */
export async function measureCalls(stage: Stage): Promise<Figure[]> {
  await using service = await startServer('bench/call-service.ts', callEnv(stage));
  const GROUPS = JSON.stringify({ ...CONCURRENT_BATCHES, ...GATHERING });
  await using reference = await startServer(plainReference('socket-rows-reference'), { ...stage.referenceEnv, GROUPS });
  await using echo = await startServer(plainReference('socket-reference'), stage.referenceEnv);
  using client = new SocketLoad();
  const token = await stage.signIn();
  const run = async (server: Running, sockets: number, durationMs: number): Promise<Sample> => {
    const before = server.cpuMs();
    const order = { kind: 'load', port: server.port, hello: hello(token), message: MESSAGE, sockets, durationMs } as const;
    const { answers: responses, elapsedMs, cpuMs } = await client.run(order);
    return {
      perSecond: (responses / elapsedMs) * 1000,
      cpuMicros: ((server.cpuMs() - before) / responses) * 1000,
      clientShare: cpuMs / elapsedMs,
    };
  };
  for (const server of [service, reference, echo]) await run(server, MOST_SOCKETS, WARM_UP_MS);
  const figures: Figure[] = [];
  for (const sockets of SOCKETS) {
    const samples: Samples = { service: [], reference: [], echo: [] };
    const order = Object.entries({ service, reference, ...(sockets === MOST_SOCKETS && { echo }) });
    for (let pair = 0; pair < PAIRS; pair += 1) {
      for (const [name, server] of pair % 2 === 0 ? order : order.toReversed()) {
        samples[name as keyof Samples].push(await run(server, sockets, MEASURE_MS));
      }
    }
    figures.push(...figuresOf(`(g) call over ${sockets} sockets`, samples.service, samples.reference, 0.4));
    if (samples.echo.length > 0) figures.push(...figuresOf('(g) … against an echo', samples.service, samples.echo));
  }
  return figures;
}

/** @param least ratio of calls a second that is the goal */
function figuresOf(label: string, service: readonly Sample[], reference: readonly Sample[], least?: number): Figure[] {
  const column = (key: keyof Sample) => ({
    service: service.map((sample) => sample[key]),
    reference: reference.map((sample) => sample[key]),
  });
  return [
    {
      label,
      unit: 'calls/s',
      ...column('perSecond'),
      ...(least !== undefined && { goal: { kind: 'at least', value: least, of: 'ratio' } }),
    },
    { label: '    processor of the server', unit: 'µs/call', ...column('cpuMicros') },
    { label: '    processor of the client', unit: 'cores', ...column('clientShare') },
  ];
}
