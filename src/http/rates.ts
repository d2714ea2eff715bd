const MINUTE_MS = 60_000;
/** Twice as many are kept at most: some 4 MB. Whoever commands more addresses is not held by counting them one by one. */
const GENERATION = 25_000;

/**
 * Counts by key, by the minute: addresses, users. All keys share one minute, so that forgetting costs nothing.
 * In a flood of keys those that rested longest are forgotten, so that the table does not grow.
 */
export class Rates {
  #counts = new Map<string, number>();
  /** Those that were counted before; one that comes again moves up. */
  #older = new Map<string, number>();
  #windowEnd = 0;

  /**
   * @param now milliseconds; a clock that is set back begins a new minute
   * @returns false when these are too many
   */
  allows(key: string, perMinute: number, now: number, amount = 1): boolean {
    if (now >= this.#windowEnd || now < this.#windowEnd - MINUTE_MS) this.#begin(now);
    const count = (this.#counts.get(key) ?? this.#older.get(key) ?? 0) + amount;
    this.#counts.set(key, count);
    if (this.#counts.size > GENERATION) {
      this.#older = this.#counts;
      this.#counts = new Map();
    }
    return count <= perMinute;
  }

  /** Seconds until all may begin anew, at least 1. */
  secondsLeft(now: number): number {
    return Math.max(1, Math.ceil((this.#windowEnd - now) / 1000));
  }

  /** How many entries it holds at present. */
  get size(): number {
    return this.#counts.size + this.#older.size;
  }

  #begin(now: number): void {
    this.#windowEnd = now + MINUTE_MS;
    this.#counts.clear();
    this.#older.clear();
  }
}
