import { Worker } from 'node:worker_threads';
import { threadOptions } from './thread-options.ts';
import type { WorkOrder, WorkOutcome } from './worker.ts';

/** Buffers, which no limit of a thread's heap covers. */
const MAX_BUFFER_BYTES = 256 * 1024 * 1024;
const WATCH_MS = 50;

/** The work needed more memory than it may. */
export class OutOfBuffers extends Error {
  override name = 'OutOfBuffers';
}

/**
 * Runs work on a thread of its own, which ends with it: for parsers of whole file formats, which may keep state, and
 * whose buffers are watched.
 *
 * @param signal ends the thread
 * @throws the thread's error, {@link OutOfBuffers}, or the signal's reason
 */
export async function ownThread(order: WorkOrder, signal: AbortSignal, transfer: readonly ArrayBuffer[]): Promise<WorkOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<WorkOutcome>();
  const entry = new URL('own-thread-worker.ts', import.meta.url);
  const thread = new Worker(entry, { ...threadOptions(), workerData: order, transferList: [...transfer] });
  thread.unref();
  thread.once('message', resolve);
  thread.once('error', reject);
  thread.once('exit', () => reject(new Error('the thread ended without a result')));
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const watch = setInterval(() => {
    thread.getHeapStatistics().then(
      ({ external_memory: bytes }) => bytes > MAX_BUFFER_BYTES && reject(new OutOfBuffers()),
      // It has just ended.
      () => {},
    );
  }, WATCH_MS);
  try {
    signal.throwIfAborted();
    return await promise;
  } finally {
    clearInterval(watch);
    signal.removeEventListener('abort', onAbort);
    await thread.terminate();
  }
}
