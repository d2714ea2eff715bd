/** A queue is judged over at least this time and number of samples: a single stall is no overload. */
const INTERVAL_MS = 100;
const SAMPLES = 3;
/** Of what was completed a second: the first rate that is admitted, so that the queue drains. */
const FIRST_SHARE = 0.9;
/** Per interval while the queue is too long, and the step up for each interval in a row in which it is not: careful at first. */
const DOWN = 0.9;
const UP_STEP = 0.03;
const UP_MAX = 1.5;
/** Intervals without a refusal, after which nothing is limited any more. */
const CALM_INTERVALS = 10;
/** Weight of the last interval in what is completed a second. */
const RECENT = 0.3;
/** Requests a second that are admitted in any case: so few are not what the process is busy with. */
const LEAST_RATE = 20;
const LEAST_BURST = 10;
/** With so many under way, a request takes this long on average (Little's law), seconds: one less would not be faster. */
const QUICK_SECONDS = 0.05;
const FEW = 32;

/**
 * How many requests a second a saturated process admits. As in CoDel (RFC 8289), it is saturated while its shortest delay
 * within an interval is too long: bursts and single stalls leave shorter ones. Then the rate follows what is completed, a
 * little below while the delay is too long and a little above while it is not.
 */
export class AdmittedRate {
  #rate = Number.POSITIVE_INFINITY;
  #startedAt: number;
  #samples = 0;
  #least = Number.POSITIVE_INFINITY;
  #completed = 0;
  #completedPerSecond = 0;
  #refused = false;
  /** Intervals in a row without saturation, and those without a refusal as well. */
  #good = 0;
  #calm = 0;
  #tokens = 0;
  #refilledAt: number;

  /** @param now milliseconds */
  constructor(now: number) {
    this.#startedAt = now;
    this.#refilledAt = now;
  }

  /** Requests a second; infinite while the process is not saturated. */
  get perSecond(): number {
    return this.#rate;
  }

  /** Requests under way with which nothing has to be refused. */
  get few(): number {
    return Math.max(this.#completedPerSecond * QUICK_SECONDS, FEW);
  }

  completed(): void {
    this.#completed += 1;
  }

  /**
   * Takes one request from the rate.
   *
   * @param ahead from 0 to 1: how early before its time it may be admitted
   * @returns false when there is none left at the moment
   */
  take(now: number, ahead: number): boolean {
    if (this.#rate === Number.POSITIVE_INFINITY) return true;
    const burst = Math.max((this.#rate * INTERVAL_MS) / 1_000, LEAST_BURST);
    this.#tokens = Math.min(this.#tokens + (this.#rate * (now - this.#refilledAt)) / 1_000, burst);
    this.#refilledAt = now;
    if (this.#tokens < 1 - burst * ahead) return false;
    this.#tokens -= 1;
    return true;
  }

  refused(): void {
    this.#refused = true;
  }

  /** @param load the delay by the one that is acceptable: more than 1 is too long */
  sample(load: number, now: number): void {
    this.#least = Math.min(this.#least, load);
    this.#samples += 1;
    const elapsed = now - this.#startedAt;
    if (elapsed < INTERVAL_MS || this.#samples < SAMPLES) return;
    this.#completedPerSecond += RECENT * ((this.#completed * 1_000) / elapsed - this.#completedPerSecond);
    this.#adjust(this.#least > 1, now);
    this.#startedAt = now;
    this.#samples = 0;
    this.#least = Number.POSITIVE_INFINITY;
    this.#completed = 0;
    this.#refused = false;
  }

  #adjust(isSaturated: boolean, now: number): void {
    this.#good = isSaturated ? 0 : this.#good + 1;
    this.#calm = isSaturated || this.#refused ? 0 : this.#calm + 1;
    if (this.#rate === Number.POSITIVE_INFINITY) {
      if (isSaturated) this.#begin(now);
    } else if (this.#calm >= CALM_INTERVALS) this.#rate = Number.POSITIVE_INFINITY;
    else this.#rate = Math.max(this.#rate * (isSaturated ? DOWN : Math.min(1 + UP_STEP * this.#good, UP_MAX)), LEAST_RATE);
  }

  #begin(now: number): void {
    this.#rate = Math.max(this.#completedPerSecond * FIRST_SHARE, LEAST_RATE);
    this.#tokens = 0;
    this.#refilledAt = now;
  }
}
