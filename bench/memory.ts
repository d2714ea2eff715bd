import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from './figures.ts';
import { getRequest, type LoadClient } from './load.ts';
import { plainReference, type Running, SERVICE, startServer } from './processes.ts';
import type { Stage } from './stage.ts';

const PAIRS = 5;
const REST_MS = 5_000;
const REQUESTS = 1_000;

/** (d) Resident memory 5 s after ready, and again 5 s after the first 1,000 requests. */
export async function measureMemory(stage: Stage, client: LoadClient): Promise<Figure[]> {
  const file = plainReference('pool-reference');
  const token = await stage.signIn();
  const atRest = { service: [] as number[], reference: [] as number[] };
  const used = { service: [] as number[], reference: [] as number[] };
  for (let pair = 0; pair < PAIRS; pair += 1) {
    await using service = await startServer(SERVICE, stage.serviceEnv);
    await using reference = await startServer(file, stage.referenceEnv);
    await sleep(REST_MS);
    read(service, reference, atRest);
    await client.requests(service.port, getRequest('/auth/bank/accounts', token), REQUESTS);
    await client.requests(reference.port, getRequest('/test'), REQUESTS);
    await sleep(REST_MS);
    read(service, reference, used);
  }
  return [
    { label: '(d) memory at rest', unit: 'MB', ...atRest, goal: { kind: 'at most', value: 110, of: 'service' } },
    { label: '    after 1,000 requests', unit: 'MB', ...used },
  ];
}

function read(service: Running, reference: Running, into: { service: number[]; reference: number[] }): void {
  into.service.push(service.residentMb());
  into.reference.push(reference.residentMb());
}
