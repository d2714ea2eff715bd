import type { Clock } from '../clock/clock.ts';

/**
 * Waits for work that continues after the limit.
 *
 * @param onLate gives the result after that time, or throws the error
 */
export async function withTimeLimit<Result, Late>(
  clock: Clock,
  work: Promise<Result>,
  milliseconds: number,
  onLate: () => Late,
): Promise<Result | Late> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(milliseconds, resolve);
  try {
    return await Promise.race([work, late.then(onLate)]);
  } finally {
    timer.cancel();
  }
}
