/**
 * How far the admitted rate is below what is completed, for a load of 2 (and above, for a load of 0): a queue of 0.1 s that
 * is too long is worked off within a third of a second.
 */
const GAIN = 0.3;
const LEAST_FACTOR = 0.5;
/** Intervals without a refusal, after which nothing is limited any more. */
const CALM_INTERVALS = 10;
/** Requests a second that are admitted in any case. */
const LEAST_RATE = 20;
/** Of a second's rate: what may come at once. */
const BURST_SHARE = 0.05;
const LEAST_BURST = 10;

/**
 * How many requests a second a saturated process admits: what it completes, less while its queue is too long, and more
 * while it is not.
 */
export class AdmittedRate {
  #rate = Number.POSITIVE_INFINITY;
  #refused = false;
  /** Intervals in a row without a refusal. */
  #calm = 0;
  #tokens = 0;
  #refilledAt = 0;

  /** Requests a second; infinite while the process is not saturated. */
  get perSecond(): number {
    return this.#rate;
  }

  /**
   * Takes one request from the rate.
   *
   * @param ahead from 0 to 1: how early before its time it may be admitted
   * @returns false when there is none left at the moment
   */
  take(now: number, ahead: number): boolean {
    const burst = Math.max(this.#rate * BURST_SHARE, LEAST_BURST);
    this.#tokens = Math.min(this.#tokens + (this.#rate * (now - this.#refilledAt)) / 1_000, burst);
    this.#refilledAt = now;
    if (this.#tokens < 1 - burst * ahead) return false;
    this.#tokens -= 1;
    return true;
  }

  refused(): void {
    this.#refused = true;
  }

  /** Limits the rate from now on. @param now milliseconds */
  begin(now: number): void {
    this.#tokens = 0;
    this.#refilledAt = now;
    this.#calm = 0;
  }

  /**
   * Ends an interval.
   *
   * @param load the length of the queue by the one that is acceptable
   * @param completedPerSecond in this and recent intervals
   */
  adjust(load: number, completedPerSecond: number): void {
    this.#calm = this.#refused || load > 1 ? 0 : this.#calm + 1;
    this.#refused = false;
    const factor = Math.max(1 + GAIN * (1 - load), LEAST_FACTOR);
    this.#rate = this.#calm >= CALM_INTERVALS ? Number.POSITIVE_INFINITY : Math.max(completedPerSecond * factor, LEAST_RATE);
  }
}
