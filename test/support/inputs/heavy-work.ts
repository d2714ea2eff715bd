import { AppError } from '../../../src/errors.ts';
import { workerTask } from '../../../src/off-thread/worker-task.ts';

/** Work that tests pass to threads, which load this file themselves. */
export const where = workerTask(import.meta.url, 'where', async (_input: null) => {
  const { isMainThread } = await import('node:worker_threads');
  return { isMainThread, environment: Object.keys(process.env) };
});

export const refuse = workerTask(import.meta.url, 'refuse', (details: Record<string, string>): string => {
  throw new AppError('invalid_request', 'slides: no such slide', { details, cause: new Error('canary') });
});

/** In large pieces: small ones cost so much collecting that a busy machine reaches the time limit first. */
export const fillMemory = workerTask(import.meta.url, 'fillMemory', (_input: null): number => {
  const kept: number[][] = [];
  for (;;) kept.push(new Array<number>(100_000).fill(1));
});

/** Memory outside of the heap. */
export const fillBuffers = workerTask(import.meta.url, 'fillBuffers', (_input: null): number => {
  const kept: Uint8Array[] = [];
  for (;;) kept.push(new Uint8Array(1_000_000).fill(1));
});

export const never = workerTask(import.meta.url, 'never', (begun: Int32Array): number => {
  Atomics.store(begun, 0, 1);
  for (;;) Atomics.add(begun, 1, 1);
});

export const echo = workerTask(import.meta.url, 'echo', (input: string) => input);
