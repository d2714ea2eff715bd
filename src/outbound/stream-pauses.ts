import type { Clock } from '../clock/clock.ts';

const FIRST_MS = 100;
const LONGEST_MS = 60_000;

/** Pauses before a stream of a server is continued: each is longer than the last, until an answer comes. A server may ask for none at all. */
export class StreamPauses {
  readonly #clock: Clock;
  #leastMs = FIRST_MS;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns a function that cancels it */
  schedule(reconnect: () => void, requestedMs: number): () => void {
    const timer = this.#clock.after(Math.max(requestedMs, this.#leastMs), reconnect).unref();
    this.#leastMs = Math.min(this.#leastMs * 2, LONGEST_MS);
    return () => timer.cancel();
  }

  /** An answer has come. */
  reset(): void {
    this.#leastMs = FIRST_MS;
  }
}
