import { eventually } from '../../support/time/eventually.ts';
import { ask } from './ask.ts';
import type { Replica } from './replica.ts';

/** Maximum time until a service is ready again after a fault. */
export const BACK_MS = 30_000;

/** Waits until every replica is ready. @returns milliseconds @throws when one isn't in time */
export async function untilReady(replicas: readonly Replica[]): Promise<number> {
  const startedAt = performance.now();
  for (const { url } of replicas) await eventually(async () => (await ask(url, '/health/ready'))?.status === 200, BACK_MS);
  return performance.now() - startedAt;
}
