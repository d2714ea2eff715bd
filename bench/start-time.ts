import type { Figure } from './figures.ts';
import { plainReference, SERVICE, timeToReady } from './processes.ts';
import type { Stage } from './stage.ts';

const PAIRS = 9;

/** (c) Time from process start to ready, on a database that is migrated already. */
export async function measureStart(stage: Stage): Promise<Figure[]> {
  const file = plainReference('pool-reference');
  const starts = { service: () => timeToReady(SERVICE, stage.serviceEnv), reference: () => timeToReady(file, stage.referenceEnv) };
  // Not counted: fills the file cache and Node's compile cache, and installs the queue's schema.
  await starts.service();
  await starts.reference();
  const service: number[] = [];
  const reference: number[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    if (pair % 2 === 0) service.push(await starts.service());
    reference.push(await starts.reference());
    if (pair % 2 === 1) service.push(await starts.service());
  }
  return [{ label: '(c) start to ready', unit: 'ms', service, reference, goal: { kind: 'at most', value: 3, of: 'ratio' } }];
}
