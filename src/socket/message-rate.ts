const MINUTE_MS = 60_000;

/** Counts what one client sends, by the minute. */
export class MessageRate {
  #windowEnd = 0;
  #count = 0;

  /** Of the minute under way. */
  get count(): number {
    return this.#count;
  }

  /** @returns false when this message is one too many */
  allows(perMinute: number, now: number): boolean {
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + MINUTE_MS;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= perMinute;
  }
}

/** The same for many at a time: users, addresses. All share one minute, so that forgetting costs nothing. */
export class RatesByKey {
  readonly #counts = new Map<string, number>();
  #windowEnd = 0;

  /** @returns false when these are too many */
  allows(key: string, perMinute: number, now: number, amount = 1): boolean {
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + MINUTE_MS;
      this.#counts.clear();
    }
    const count = (this.#counts.get(key) ?? 0) + amount;
    this.#counts.set(key, count);
    return count <= perMinute;
  }

  /** Seconds until all may begin anew, at least 1. */
  secondsLeft(now: number): number {
    return Math.max(1, Math.ceil((this.#windowEnd - now) / 1000));
  }
}
