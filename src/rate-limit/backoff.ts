/** A random value between half of `value` and all of it, so that clients that failed together do not retry together. */
export function jittered(value: number): number {
  return value * (0.5 + Math.random() / 2);
}

/**
 * The pause before a retry: doubles with every attempt, with jitter.
 *
 * @param first the longest first pause, in any unit; the result has the same
 * @param attempts failed attempts in a row, from 1
 */
export function backoff(first: number, attempts: number, longest = Number.POSITIVE_INFINITY): number {
  return jittered(Math.min(first * 2 ** (attempts - 1), longest));
}
