import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import { AdmittedRate } from './admitted-rate.ts';
import { FairShares } from './fair-shares.ts';
import { StandingQueue } from './standing-queue.ts';
import { TimeInside } from './time-inside.ts';

/** Seconds, of which each refusal names one at random, so that those who were refused together do not return together. */
const RETRY_SECONDS = 3;
/** Below this share of its time the event loop is not what requests wait for. */
const BUSY = 0.9;
/** With so few requests under way nothing is refused: not they are what makes a process slow. */
const FEW = 128;

export interface AdmissionOptions {
  /** Mean time of requests inside the process that is acceptable while its event loop is busy, milliseconds. */
  latencyMs: number;
  clock: Pick<Clock, 'monotonic'>;
  /** Uniform in [0, 1). */
  random?: () => number;
  /** Called with each refusal and what the process has too little of. */
  onRefusal?: (reason: 'event_loop' | 'database') => void;
}

/** Decides at the start of each request whether a saturated process takes it on: the one place for all transports. */
export class Admission {
  readonly #latencyMs: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #random: () => number;
  readonly #onRefusal: (reason: 'event_loop' | 'database') => void;
  readonly #inside: TimeInside;
  readonly #queue = new StandingQueue();
  readonly #rate = new AdmittedRate();
  readonly #shares: FairShares;
  #reason: 'event_loop' | 'database' = 'event_loop';

  constructor({ latencyMs, clock, random = Math.random, onRefusal = () => {} }: AdmissionOptions) {
    this.#latencyMs = latencyMs;
    this.#clock = clock;
    this.#random = random;
    this.#onRefusal = onRefusal;
    this.#inside = new TimeInside(clock.monotonic());
    this.#shares = new FairShares(clock.monotonic());
  }

  /** Whether requests are refused at the moment. */
  get isSaturated(): boolean {
    return this.#rate.perSecond !== Number.POSITIVE_INFINITY;
  }

  /**
   * Judges the last interval. Called every tenth of a second.
   *
   * @param utilisation of the event loop, from 0 to 1
   * @param database how long requests wait for a database connection, by what is acceptable
   */
  sample(utilisation: number, database: number): void {
    const now = this.#clock.monotonic();
    const ms = this.#inside.sample(now);
    // Requests that wait for something else are slow, too, and leave the event loop idle.
    const loop = utilisation < BUSY ? 0 : ms / this.#latencyMs;
    this.#queue.add({ loop, database, underWay: this.#inside.underWay });
    if (!this.isSaturated) {
      if (!this.#queue.isTooLong) return;
      this.#rate.begin(now);
    }
    this.#reason = database > loop ? 'database' : 'event_loop';
    this.#rate.adjust(Math.max(loop, database), this.#inside.completedPerSecond);
  }

  /**
   * Begins a request. Clients that ask for more than an equal share are refused first.
   *
   * @param client whose limits it counts towards
   * @returns ends it
   * @throws AppError `unavailable` with the time after which to try again
   */
  begin(client: string): () => void {
    const now = this.#clock.monotonic();
    const asked = this.#shares.count(client, now);
    if (this.isSaturated && this.#inside.underWay >= FEW && !this.#isAdmitted(asked, now)) {
      this.#rate.refused();
      this.#onRefusal(this.#reason);
      const retryAfter = 1 + Math.floor(this.#random() * RETRY_SECONDS);
      throw new AppError('unavailable', 'The service has too much to do at the moment.', { retryAfter, logged: true });
    }
    return this.#inside.begin();
  }

  #isAdmitted(asked: number, now: number): boolean {
    const { perSecond } = this.#rate;
    const share = Math.min(this.#shares.shareOf(perSecond), perSecond);
    return (asked <= share || this.#random() < share / asked) && this.#rate.take(now, Math.max(1 - asked / share, 0));
  }
}
