import { AppError } from '../errors.ts';
import { AdmittedRate } from './admitted-rate.ts';
import { FairShares } from './fair-shares.ts';

/** Seconds, of which each refusal names one at random, so that those who were refused together do not return together. */
const RETRY_SECONDS = 3;
/** What has been under way for longer, at most twice as long, is an open stream: a process may have thousands of them and nothing to do. */
const STREAM_MS = 30_000;

export interface AdmissionOptions {
  /** Monotonic clock, milliseconds. */
  now?: () => number;
  /** Uniform in [0, 1). */
  random?: () => number;
  /** Called with each refusal. */
  onRefusal?: () => void;
}

/** Decides at the start of each request whether a saturated process takes it on: the one place for all transports. */
export class Admission {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #onRefusal: () => void;
  readonly #rate: AdmittedRate;
  readonly #shares: FairShares;
  /** How many requests that began in this period, and in the one before it, have not ended. */
  #recent = { underWay: 0 };
  #earlier = { underWay: 0 };
  #periodAt: number;

  constructor({ now = () => performance.now(), random = Math.random, onRefusal = () => {} }: AdmissionOptions = {}) {
    this.#now = now;
    this.#random = random;
    this.#onRefusal = onRefusal;
    this.#rate = new AdmittedRate(now());
    this.#shares = new FairShares(now());
    this.#periodAt = now();
  }

  /** Whether requests are refused at the moment. */
  get isSaturated(): boolean {
    return this.#rate.perSecond !== Number.POSITIVE_INFINITY;
  }

  /** How long work waits in this process, by what is acceptable: more than 1 is too long. Called every few milliseconds. */
  sample(load: number): void {
    this.#rate.sample(load, this.#now());
  }

  /**
   * Begins a request. Clients that ask for more than an equal share are refused first.
   *
   * @param client whose limits it counts towards
   * @returns ends it
   * @throws AppError `unavailable` with the time after which to try again
   */
  begin(client: string): () => void {
    const now = this.#now();
    const asked = this.#shares.count(client, now);
    this.#advance(now);
    const underWay = this.#recent.underWay + this.#earlier.underWay;
    if (this.isSaturated && underWay >= this.#rate.few && !this.#isAdmitted(asked, now)) {
      this.#rate.refused();
      this.#onRefusal();
      const retryAfter = 1 + Math.floor(this.#random() * RETRY_SECONDS);
      throw new AppError('unavailable', 'The service has too much to do at the moment.', { retryAfter, logged: true });
    }
    const period = this.#recent;
    period.underWay += 1;
    return () => {
      period.underWay -= 1;
      this.#rate.completed();
    };
  }

  #advance(now: number): void {
    const elapsed = now - this.#periodAt;
    if (elapsed < STREAM_MS) return;
    this.#earlier = elapsed < 2 * STREAM_MS ? this.#recent : { underWay: 0 };
    this.#recent = { underWay: 0 };
    this.#periodAt = now;
  }

  #isAdmitted(asked: number, now: number): boolean {
    const { perSecond } = this.#rate;
    const share = Math.min(this.#shares.shareOf(perSecond), perSecond);
    return (asked <= share || this.#random() < share / asked) && this.#rate.take(now, Math.max(1 - asked / share, 0));
  }
}
