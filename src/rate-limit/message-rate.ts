const MINUTE_MS = 60_000;

/** Counts what one client sends, by the minute. A clock that is set back begins a new minute. */
export class MessageRate {
  #windowEnd = 0;
  #count = 0;

  /** Of the minute under way. */
  get count(): number {
    return this.#count;
  }

  /** @returns false when this message is one too many */
  allows(perMinute: number, now: number): boolean {
    if (now >= this.#windowEnd || now < this.#windowEnd - MINUTE_MS) {
      this.#windowEnd = now + MINUTE_MS;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= perMinute;
  }
}
