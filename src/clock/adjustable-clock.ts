import type { Clock, SleepOptions, Timer } from './clock.ts';

/**
 * A clock whose time of day can be moved, so that in development a day passes at once. Durations and timers stay those of
 * the clock below: what waits an hour waits an hour.
 */
export class AdjustableClock implements Clock {
  readonly #base: Clock;
  readonly #moved: () => void;
  #offset = 0;

  /** @param moved called after each move: what is due by the time of day may be due now */
  constructor(base: Clock, moved: () => void) {
    this.#base = base;
    this.#moved = moved;
  }

  now(): number {
    return this.#base.now() + this.#offset;
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  sleep(milliseconds: number, options?: SleepOptions): Promise<void> {
    return this.#base.sleep(milliseconds, options);
  }

  after(milliseconds: number, callback: () => void): Timer {
    return this.#base.after(milliseconds, callback);
  }

  every(milliseconds: number, callback: () => void): Timer {
    return this.#base.every(milliseconds, callback);
  }

  /** Moves the time of day by `milliseconds`, which may be negative. */
  move(milliseconds: number): void {
    this.#offset += milliseconds;
    this.#moved();
  }
}
