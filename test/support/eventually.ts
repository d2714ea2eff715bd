import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;

/**
 * Polls until `check` returns something other than undefined, null or false.
 *
 * @param limitMs a limit for what never happens; no test asserts the time
 * @throws the error of the last attempt, or one if there was none
 */
export async function eventually<Value>(
  check: () => Promise<Value> | Value,
  limitMs = 120_000,
): Promise<Exclude<Value, undefined | null | false>> {
  const deadline = Date.now() + limitMs;
  let failure: unknown = new Error('it never happened');
  while (Date.now() < deadline) {
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
