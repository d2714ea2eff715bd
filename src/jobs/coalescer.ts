import type { Clock } from '../clock/clock.ts';

/**
 * Combines requests for the same work: for each key, one run is in progress and one is pending at most. Requests share
 * the pending run, which begins after they were made and so sees the state that they ask about.
 */
export class Coalescer<Result> {
  readonly #clock: Clock;
  readonly #running = new Map<string, Promise<Result>>();
  readonly #pending = new Map<string, Promise<Result>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param delayMs pause before the run begins; a request that joins a pending run does not change its pause
   * @throws what `work` throws, for all requests that share the run
   */
  run(key: string, work: () => Promise<Result>, delayMs = 0): Promise<Result> {
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const running = this.#running.get(key);
    if (running === undefined && delayMs <= 0) return this.#start(key, work);
    const next = this.#startAfter(running, delayMs, key, work);
    this.#pending.set(key, next);
    return next;
  }

  async #startAfter(running: Promise<Result> | undefined, delayMs: number, key: string, work: () => Promise<Result>): Promise<Result> {
    await running?.catch(() => {});
    if (delayMs > 0) await this.#clock.sleep(delayMs);
    this.#pending.delete(key);
    return this.#start(key, work);
  }

  #start(key: string, work: () => Promise<Result>): Promise<Result> {
    const run = work().finally(() => this.#running.delete(key));
    this.#running.set(key, run);
    return run;
  }
}
