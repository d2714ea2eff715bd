import { AppError } from '../errors.ts';
import { BoundedMap } from './bounded-map.ts';

interface Window {
  /** Which stretch of `perMs` it counts. */
  index: number;
  count: number;
  /** Calls in the stretch before. */
  before: number;
}

/** The time that a caller is told has to suffice. */
const ROUNDING = 1e-6;

/**
 * How often a user may read, counted in this process: the calls of the running stretch, and of the one before
 * as much as still lies within the last `perMs`. Three numbers for each user and action, whatever the rate.
 */
export class ReadRates {
  readonly #windows = new BoundedMap<Window>();
  readonly #now: () => number;

  /** @param now milliseconds, never going back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Counts one call.
   *
   * @throws AppError `rate_limited`
   */
  take(userId: string, action: string, { calls, perMs }: { calls: number; perMs: number }): void {
    const now = this.#now();
    const index = Math.floor(now / perMs);
    const window = this.#window(`${userId} ${action}`, index);
    const passed = now / perMs - index;
    if (window.count + window.before * (1 - passed) > calls - 1 + ROUNDING) throw rateLimited((wait(window, calls, passed) * perMs) / 1000);
    window.count += 1;
  }

  #window(key: string, index: number): Window {
    const known = this.#windows.get(key);
    const before = known?.index === index - 1 ? known.count : 0;
    const window = known?.index === index ? known : { index, count: 0, before };
    this.#windows.set(key, window);
    return window;
  }
}

/** Stretches until one more call fits. */
function wait({ count, before }: Window, calls: number, passed: number): number {
  const free = calls - 1;
  const withinThis = before === 0 ? Number.POSITIVE_INFINITY : 1 - (free - count) / before;
  if (count <= free && withinThis < 1) return withinThis - passed;
  return 1 - passed + (count > free ? 1 - free / count : 0);
}

/** @param seconds until another try makes sense */
export function rateLimited(seconds: number): AppError {
  return new AppError('rate_limited', 'This action has been used too often. Try again later.', {
    retryAfter: Math.max(1, Math.ceil(seconds)),
  });
}
