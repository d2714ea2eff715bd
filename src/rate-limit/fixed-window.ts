import { BoundedMap } from './bounded-map.ts';

const MINUTE_MS = 60_000;

/** Counts by key, by the minute: addresses, users. All keys share one minute, so that forgetting costs nothing. */
export class Rates {
  readonly #counts = new BoundedMap<number>();
  #windowEnd = 0;

  /**
   * @param now milliseconds; a clock that is set back begins a new minute
   * @returns false when these are too many
   */
  allows(key: string, perMinute: number, now: number, amount = 1): boolean {
    if (now >= this.#windowEnd || now < this.#windowEnd - MINUTE_MS) this.#begin(now);
    const count = (this.#counts.get(key) ?? 0) + amount;
    this.#counts.set(key, count);
    return count <= perMinute;
  }

  /** Seconds until all may begin anew, at least 1. */
  secondsLeft(now: number): number {
    return Math.max(1, Math.ceil((this.#windowEnd - now) / 1000));
  }

  /** How many entries it holds at present. */
  get size(): number {
    return this.#counts.size;
  }

  #begin(now: number): void {
    this.#windowEnd = now + MINUTE_MS;
    this.#counts.clear();
  }
}
