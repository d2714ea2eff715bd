import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import { boundedMap } from './bounded-map.ts';

interface Window {
  /** Number of the window since the clock's zero. */
  index: number;
  count: number;
  /** Calls in the previous window. */
  before: number;
}

/** Tolerance for floating-point error, so that a call succeeds after the announced wait. */
const ROUNDING = 1e-6;

/**
 * A sliding-window counter for calls of a user and action, in this process: the calls of the current window, plus those
 * of the previous one weighted by the share of it that lies within the last `perMs`.
 */
export class SlidingWindowLimiter {
  readonly #windows = boundedMap<Window>();
  readonly #clock: Pick<Clock, 'monotonic'>;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Counts one call.
   *
   * @throws AppError `rate_limited`
   */
  take(userId: string, action: string, { calls, perMs }: { calls: number; perMs: number }): void {
    const now = this.#clock.monotonic();
    const index = Math.floor(now / perMs);
    const window = this.#window(`${userId} ${action}`, index);
    const elapsed = now / perMs - index;
    if (window.count + window.before * (1 - elapsed) > calls - 1 + ROUNDING)
      throw rateLimited((wait(window, calls, elapsed) * perMs) / 1000);
    window.count += 1;
  }

  #window(key: string, index: number): Window {
    const known = this.#windows.get(key);
    if (known?.index === index) return known;
    const window = { index, count: 0, before: known?.index === index - 1 ? known.count : 0 };
    this.#windows.set(key, window);
    return window;
  }
}

/** Time until one more call fits, in windows. */
function wait({ count, before }: Window, calls: number, elapsed: number): number {
  const free = calls - 1;
  const withinCurrent = before === 0 ? Number.POSITIVE_INFINITY : 1 - (free - count) / before;
  if (count <= free && withinCurrent < 1) return withinCurrent - elapsed;
  return 1 - elapsed + (count > free ? 1 - free / count : 0);
}

/** @param seconds until the caller may try again */
export function rateLimited(seconds: number): AppError {
  return new AppError('rate_limited', 'This action has been used too often. Try again later.', {
    retryAfter: Math.max(1, Math.ceil(seconds)),
  });
}
