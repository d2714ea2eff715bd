import { type Clock, systemClock } from '../../../src/clock/clock.ts';

/** A clock whose time of day stands still until it is moved, also in other processes; durations are those of the machine. */
export class StormClock implements Clock {
  readonly monotonic = systemClock.monotonic;
  readonly sleep = systemClock.sleep;
  readonly after = systemClock.after;
  readonly every = systemClock.every;
  #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  moveTo(now: number): void {
    this.#now = Math.max(this.#now, now);
  }
}
