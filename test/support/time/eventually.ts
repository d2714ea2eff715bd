import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;
/** Below the limit of a test, so that it fails with what it waits for. No test asserts the time. */
export const PATIENCE_MS = 240_000;
/** Whatever a test replaces meanwhile. */
const now = performance.now.bind(performance);

/**
 * Polls until `check` returns something other than undefined, null or false.
 *
 * @param limitMs for the fault suites, which report what takes too long
 * @throws the error of the last attempt, or one if there was none
 */
export async function eventually<Value>(
  check: () => Promise<Value> | Value,
  limitMs = PATIENCE_MS,
): Promise<Exclude<Value, undefined | null | false>> {
  const deadline = now() + limitMs;
  let failure: unknown = new Error('it never happened');
  while (now() < deadline) {
    try {
      const value = await check();
      if (value !== undefined && value !== null && value !== false) return value as Exclude<Value, undefined | null | false>;
    } catch (error) {
      failure = error;
    }
    await sleep(POLL_MS);
  }
  throw failure;
}

/**
 * For what comes by itself, without polling.
 *
 * @param fail is called if it never comes
 * @returns what to call when it has come
 */
export function patiently(fail: () => void): () => void {
  const timer = setTimeout(fail, PATIENCE_MS);
  return () => clearTimeout(timer);
}
