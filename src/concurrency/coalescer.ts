import type { Clock } from '../clock/clock.ts';
import { SingleFlight } from './single-flight.ts';

/**
 * Combines requests for the same work: for each key, one run is in progress and one is pending at most. Requests share
 * the pending run, which begins after they were made and so sees the state that they ask about.
 */
export class Coalescer<Result> {
  readonly #clock: Clock;
  readonly #running = new SingleFlight<Result>();
  readonly #pending = new SingleFlight<Result>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param delayMs pause before the run begins; a request that joins a pending run does not change its pause
   * @throws what `work` throws, for all requests that share the run
   */
  run(key: string, work: () => Promise<Result>, delayMs = 0): Promise<Result> {
    const isFree = (this.#running.get(key) ?? this.#pending.get(key)) === undefined;
    if (isFree && delayMs <= 0) return this.#running.run(key, work);
    return this.#pending.run(key, async () => {
      await this.#running.get(key)?.catch(() => {});
      if (delayMs > 0) await this.#clock.sleep(delayMs);
      this.#pending.forget(key);
      return this.#running.run(key, work);
    });
  }
}
