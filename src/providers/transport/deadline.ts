import type { Clock } from '../../clock/clock.ts';

const UNPACKING_MS = 100;

/**
 * Calls `expired` after a time, but not before a response that arrived in time has been read. Timers run before sockets are
 * read, so that after a pause of the process a plain timeout would discard responses that have arrived, and with them
 * tokens that exist nowhere else. Between timeout and `expired`, sockets are read once and their data is decompressed.
 *
 * @param ms milliseconds
 * @returns ends the wait
 */
export function onDeadline(clock: Clock, ms: number, expired: () => void): () => void {
  let isEnded = false;
  const after = (delay: number, next: () => void) => clock.after(delay, () => setImmediate(() => isEnded || next())).unref();
  let timer = after(ms, () => {
    timer = after(UNPACKING_MS, expired);
  });
  return () => {
    isEnded = true;
    timer.cancel();
  };
}

/** Like `AbortSignal.timeout`, but as {@link onDeadline}. */
export function deadline(clock: Clock, ms: number): AbortSignal {
  const controller = new AbortController();
  onDeadline(clock, ms, () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')));
  return controller.signal;
}
