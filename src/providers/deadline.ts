const UNPACKING_MS = 100;

/**
 * Like `AbortSignal.timeout`, but a response that arrived in time is still read. Timers run before sockets are read, so
 * that after a pause of the process a plain timeout would discard responses that have arrived, and with them tokens that
 * exist nowhere else. Between timeout and abort, sockets are read once and their data is decompressed.
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
