/** Weight of the last interval in what is completed a second. */
const RECENT = 0.3;
/**
 * What has been under way for longer, at most twice as long, is an open stream: a process may have thousands of them and
 * nothing to do.
 */
const STREAM_MS = 30_000;

/** How long requests take inside a process, by their number under way and how many are completed (Little's law). */
export class TimeInside {
  /** How many requests that began in this period, and in the one before it, have not ended. */
  #recent = { underWay: 0 };
  #earlier = { underWay: 0 };
  #periodAt: number;
  #completed = 0;
  #startedAt: number;
  #perSecond = 0;

  /** @param now milliseconds */
  constructor(now: number) {
    this.#startedAt = now;
    this.#periodAt = now;
  }

  get underWay(): number {
    return this.#recent.underWay + this.#earlier.underWay;
  }

  get completedPerSecond(): number {
    return this.#perSecond;
  }

  /** @returns ends the request */
  begin(): () => void {
    const period = this.#recent;
    period.underWay += 1;
    return () => {
      period.underWay -= 1;
      if (period === this.#recent || period === this.#earlier) this.#completed += 1;
    };
  }

  /**
   * Ends an interval.
   *
   * @param now milliseconds
   * @returns the mean time of a request, milliseconds
   */
  sample(now: number): number {
    const elapsed = Math.max(now - this.#startedAt, 1);
    this.#perSecond += RECENT * ((this.#completed * 1_000) / elapsed - this.#perSecond);
    this.#completed = 0;
    this.#startedAt = now;
    this.#advance(now);
    return this.underWay === 0 ? 0 : (this.underWay * 1_000) / this.#perSecond;
  }

  #advance(now: number): void {
    const elapsed = now - this.#periodAt;
    if (elapsed < STREAM_MS) return;
    this.#earlier = elapsed < 2 * STREAM_MS ? this.#recent : { underWay: 0 };
    this.#recent = { underWay: 0 };
    this.#periodAt = now;
  }
}
