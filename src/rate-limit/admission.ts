import { AppError } from '../errors.ts';
import { AdmittedRate } from './admitted-rate.ts';
import { FairShares } from './fair-shares.ts';

/** Seconds, of which each refusal names one at random, so that those who were refused together do not return together. */
const RETRY_SECONDS = 3;

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
  #underWay = 0;

  constructor({ now = () => performance.now(), random = Math.random, onRefusal = () => {} }: AdmissionOptions = {}) {
    this.#now = now;
    this.#random = random;
    this.#onRefusal = onRefusal;
    this.#rate = new AdmittedRate(now());
    this.#shares = new FairShares(now());
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
    if (this.isSaturated && this.#underWay >= this.#rate.few && !this.#isAdmitted(asked, now)) {
      this.#rate.refused();
      this.#onRefusal();
      const retryAfter = 1 + Math.floor(this.#random() * RETRY_SECONDS);
      throw new AppError('unavailable', 'The service has too much to do at the moment.', { retryAfter, logged: true });
    }
    this.#underWay += 1;
    return () => {
      this.#underWay -= 1;
      this.#rate.completed();
    };
  }

  #isAdmitted(asked: number, now: number): boolean {
    const { perSecond } = this.#rate;
    const share = Math.min(this.#shares.shareOf(perSecond), perSecond);
    return (asked <= share || this.#random() < share / asked) && this.#rate.take(now, Math.max(1 - asked / share, 0));
  }
}
