import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import { type BoundedMap, boundedMap } from './bounded-map.ts';

const MINUTE_MS = 60_000;

/** A window of one minute, which starts with the first request after the previous one has ended. */
class Window {
  #end = 0;

  /** Starts a new window if the current one has ended or the clock was set back. @returns whether it did */
  restart(now: number): boolean {
    if (now < this.#end && now >= this.#end - MINUTE_MS) return false;
    this.#end = now + MINUTE_MS;
    return true;
  }

  /** At least 1. */
  secondsLeft(now: number): number {
    return Math.max(1, Math.ceil((this.#end - now) / 1000));
  }
}

/** Counts the requests of one client in a fixed window of one minute. */
export class FixedWindowCounter {
  readonly #window = new Window();
  #count = 0;

  /** Requests in the current window. */
  get count(): number {
    return this.#count;
  }

  /**
   * Counts a request.
   *
   * @param now milliseconds
   * @returns false when it exceeds the limit
   */
  allows(perMinute: number, now: number): boolean {
    if (this.#window.restart(now)) this.#count = 0;
    this.#count += 1;
    return this.#count <= perMinute;
  }
}

/** Counts requests by key (client address, user) in a fixed window of one minute, which all keys share. */
export class FixedWindowLimiter {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #tooMany: string;
  readonly #window = new Window();
  #counts: BoundedMap<{ count: number }> = boundedMap();

  /** @param tooMany the message of the error */
  constructor(clock: Pick<Clock, 'monotonic'>, tooMany = 'Too many requests. Slow down.') {
    this.#clock = clock;
    this.#tooMany = tooMany;
  }

  /** Counts a request, or an amount of bytes. @throws AppError `rate_limited` when it exceeds the limit */
  take(key: string, perMinute: number, amount = 1): void {
    if (this.allows(key, perMinute, amount)) return;
    throw new AppError('rate_limited', this.#tooMany, { retryAfter: this.#window.secondsLeft(this.#clock.monotonic()) });
  }

  /** The same. @returns false when it exceeds the limit */
  allows(key: string, perMinute: number, amount = 1): boolean {
    const now = this.#clock.monotonic();
    // A new map: clearing a full one takes some 20 ms.
    if (this.#window.restart(now)) this.#counts = boundedMap();
    const counted = this.#counts.get(key);
    // Stored once: the map's `set` costs as much as everything else here.
    if (counted === undefined) this.#counts.set(key, { count: amount });
    else counted.count += amount;
    return (counted?.count ?? amount) <= perMinute;
  }

  /** Number of keys with a count. */
  get size(): number {
    return this.#counts.size;
  }
}
