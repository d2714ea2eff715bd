const UNPACKING_MS = 100;

/**
 * Like `AbortSignal.timeout`, but what came in time counts even if nobody had time to read it: timers run before
 * sockets are read, so that after a pause of the process a plain one would throw away answers that lie there, and with
 * them tokens that exist only once. Sockets are read once between the end and the abort, and what was read is unpacked.
 *
 * @param ms milliseconds
 */
export function deadline(ms: number): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  const unpacked = () => setTimeout(() => setImmediate(abort), UNPACKING_MS).unref();
  setTimeout(() => setImmediate(unpacked), ms).unref();
  return controller.signal;
}
