import { deepStrictEqual } from 'node:assert';
import type { Figure } from './figures.ts';
import type { LoadClient } from './load.ts';
import { getRequest } from './load.ts';
import { plainReference, type Running, SERVICE, startServer } from './processes.ts';
import { type Stage, USERS } from './stage.ts';

const PAIRS = 7;
const WARM_UP_MS = 3_000;
const MEASURE_MS = 2_000;

interface Contest {
  label: string;
  path: string;
  /** Of the users; connection n sends requests of user n. */
  tokens?: readonly string[];
  /** File and further environment of the reference. */
  reference: { file: string; env?: Record<string, string> };
  goal?: Figure['goal'];
}

interface Sample {
  perSecond: number;
  /** Processor time of the server per request, microseconds. */
  cpuMicros: number;
  /** Share of one processor that the client used. */
  clientShare: number;
}

/** (a) The health check against a bare Express app. */
export function measureHealth(stage: Stage, client: LoadClient): Promise<Figure[]> {
  const reference = { file: plainReference('test-reference') };
  const goal = { kind: 'at least', value: 0.6, of: 'ratio' } as const;
  return compare(stage, client, { label: '(a) GET /test', path: '/test', reference, goal });
}

/** (b) The lists of bank entries of 32 users against bare node:http; the modes are explained in the reference. */
export async function measureAccounts(stage: Stage, client: LoadClient): Promise<Figure[]> {
  const tokens = await Promise.all(Array.from({ length: USERS }, (_, user) => stage.signIn(user)));
  const contest = { path: '/auth/bank/accounts', tokens };
  const against = (mode: string) => ({ file: plainReference('accounts-reference'), env: { MODE: mode } });
  const goal = { kind: 'at least', value: 0.8, of: 'ratio' } as const;
  return [
    ...(await compare(stage, client, { ...contest, label: '(b) GET /auth/bank/accounts', reference: against('two') })),
    ...(await compare(stage, client, { ...contest, label: '(b) … one statement', reference: against('one'), goal })),
    ...(await compare(stage, client, { ...contest, label: '(b) … remembers too', reference: against('remember') })),
  ];
}

/** Both servers run, and one at a time is loaded; the order changes from pair to pair. */
async function compare(stage: Stage, client: LoadClient, contest: Contest): Promise<Figure[]> {
  await using service = await startServer(SERVICE, stage.serviceEnv);
  await using reference = await startServer(contest.reference.file, { ...stage.referenceEnv, ...contest.reference.env });
  await checkSameResponse(service, reference, contest);
  const requests = (contest.tokens ?? [undefined]).map((token) => getRequest(contest.path, token));
  for (const server of [service, reference]) await client.forTime(server.port, requests, WARM_UP_MS);
  const samples: { service: Sample; reference: Sample }[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const first = await sample(client, pair % 2 === 0 ? service : reference, requests);
    const second = await sample(client, pair % 2 === 0 ? reference : service, requests);
    samples.push(pair % 2 === 0 ? { service: first, reference: second } : { service: second, reference: first });
  }
  return figures(contest, samples);
}

async function sample(client: LoadClient, server: Running, requests: readonly string[]): Promise<Sample> {
  const before = server.cpuMs();
  const { answers: responses, elapsedMs, cpuMs } = await client.forTime(server.port, requests, MEASURE_MS);
  return {
    perSecond: (responses / elapsedMs) * 1000,
    cpuMicros: ((server.cpuMs() - before) / responses) * 1000,
    clientShare: cpuMs / elapsedMs,
  };
}

function figures({ label, goal }: Contest, samples: { service: Sample; reference: Sample }[]): Figure[] {
  const column = (key: keyof Sample) => ({
    service: samples.map((pair) => pair.service[key]),
    reference: samples.map((pair) => pair.reference[key]),
  });
  return [
    { label, unit: 'requests/s', ...column('perSecond'), ...(goal && { goal }) },
    { label: '    processor of the server', unit: 'µs/request', ...column('cpuMicros') },
    { label: '    processor of the client', unit: 'cores', ...column('clientShare') },
  ];
}

/** Different responses of the two servers would make the figures worthless. */
async function checkSameResponse(service: Running, reference: Running, { path, tokens = [] }: Contest): Promise<void> {
  const read = async ({ port }: Running) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: tokens[0] === undefined ? {} : { authorization: tokens[0] },
    });
    return { status: response.status, body: await response.json() };
  };
  deepStrictEqual(await read(service), await read(reference), `the service and its reference answer ${path} differently`);
}
