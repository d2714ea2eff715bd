import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';

/** What is judged is a tenth of a second. */
const SAMPLE_MS = 100;
/** Seconds, of which each refusal names one at random, so that those who were refused together do not return together. */
const RETRY_SECONDS = 3;
/** Below this share of its time the event loop is not what requests wait for. */
const BUSY = 0.9;
/** With so few requests under way nothing is refused: below this, load is not the cause. */
const FEW = 128;
/** Samples that requests have to wait too long: a single stall or burst is no overload. */
const LATE_SAMPLES = 5;
/** Growth meanwhile, by which more is asked for than is done: clients that wait for their responses keep a queue as long as it is. */
const GROWTH = 1.2;
/** So many times what is acceptable is too long even if it does not grow. */
const FAR_TOO_LONG = 4;
/** The share of what may be under way that is given in the order of arrival; the rest is for users with less than an equal part of it. */
const UNSHARED = 0.5;
/** Samples without a refusal, after which nothing is refused any more. */
const CALM_SAMPLES = 10;
/** Weight of the last sample in what is completed a second. */
const RECENT = 0.3;
/** What has been under way for longer, at most twice as long, is an open stream: a process may have thousands with nothing to do. */
const STREAM_MS = 30_000;

const NOT_LATE = { samples: 0, far: 0, underWay: 0 };

export interface AdmissionOptions {
  /** Mean time of requests inside the process that is acceptable while its event loop is busy, milliseconds. */
  latencyMs: number;
  clock: Pick<Clock, 'monotonic'>;
  /** Uniform in [0, 1). */
  random?: () => number;
  /** Called with each refusal and what the process has too little of. */
  onRefusal?: (reason: 'event_loop' | 'database') => void;
}

/**
 * Decides at the start of each request whether a saturated process takes it on: the one place for all transports. It has as
 * many requests under way as it completes within the acceptable time (Little's law), shared equally by those who ask.
 */
export class Admission {
  readonly #options: Required<AdmissionOptions>;
  /** Requests that have not ended, by the half minute in which they began. */
  #recent = { underWay: 0 };
  #earlier = { underWay: 0 };
  #periodAt: number;
  /** Requests under way of each client. */
  readonly #clients = new Map<string, number>();
  #completed = 0;
  #perSecond = 0;
  #sampledAt: number;
  /** Samples in a row in which requests waited too long, and far too long, and how many were under way in the first. */
  #late = NOT_LATE;
  #calm = 0;
  #isSaturated = false;
  #reason: 'event_loop' | 'database' = 'event_loop';

  constructor({ random = Math.random, onRefusal = () => {}, ...options }: AdmissionOptions) {
    this.#options = { ...options, random, onRefusal };
    this.#periodAt = options.clock.monotonic();
    this.#sampledAt = this.#periodAt;
  }

  /** Whether requests are refused at the moment. */
  get isSaturated(): boolean {
    return this.#isSaturated;
  }

  /**
   * Judges the last interval. Called every tenth of a second.
   *
   * @param utilisation of the event loop, from 0 to 1
   * @param database how long requests wait for a database connection, by what is acceptable
   */
  sample(utilisation: number, database: number): void {
    this.#count(this.#options.clock.monotonic());
    // Requests that wait for something else are slow, too, and leave the event loop idle.
    const loop = utilisation < BUSY || this.#underWay === 0 ? 0 : (this.#underWay * 1_000) / this.#perSecond / this.#options.latencyMs;
    const isLate = loop > 1 || database > 1;
    const { samples, far, underWay } = this.#late;
    if (!isLate) this.#late = NOT_LATE;
    else this.#late = { samples: samples + 1, far: loop > FAR_TOO_LONG ? far + 1 : 0, underWay: samples === 0 ? this.#underWay : underWay };
    this.#calm = isLate ? 0 : this.#calm + 1;
    if (this.#isSaturated) this.#isSaturated = this.#calm < CALM_SAMPLES;
    else this.#isSaturated = (database > 1 && this.#late.samples >= LATE_SAMPLES) || (loop > 0 && this.#isOverloaded);
    this.#reason = database > loop ? 'database' : 'event_loop';
  }

  /**
   * Begins a request. Clients that have more than an equal share under way are refused first.
   *
   * @param client whose limits it counts towards
   * @returns ends it
   * @throws AppError `unavailable` with the time after which to try again
   */
  begin(client: string): () => void {
    if (this.#isSaturated && !this.#isAdmitted(client)) {
      this.#calm = 0;
      this.#options.onRefusal(this.#reason);
      const retryAfter = 1 + Math.floor(this.#options.random() * RETRY_SECONDS);
      throw new AppError('unavailable', 'The service is overloaded at the moment.', { retryAfter, logged: true });
    }
    const period = this.#recent;
    period.underWay += 1;
    this.#clients.set(client, (this.#clients.get(client) ?? 0) + 1);
    return () => {
      period.underWay -= 1;
      if (period === this.#recent || period === this.#earlier) this.#completed += 1;
      const left = (this.#clients.get(client) ?? 1) - 1;
      if (left === 0) this.#clients.delete(client);
      else this.#clients.set(client, left);
    };
  }

  get #underWay(): number {
    return this.#recent.underWay + this.#earlier.underWay;
  }

  get #isOverloaded(): boolean {
    const { samples, far, underWay } = this.#late;
    return far >= LATE_SAMPLES || (samples >= LATE_SAMPLES && this.#underWay > underWay * GROWTH);
  }

  #isAdmitted(client: string): boolean {
    const most = Math.max((this.#perSecond * this.#options.latencyMs) / 1_000, FEW / UNSHARED);
    const unshared = most * UNSHARED;
    if (this.#underWay < unshared) return true;
    const own = this.#clients.get(client);
    const clients = this.#clients.size + (own === undefined ? 1 : 0);
    return this.#underWay < most && (own ?? 0) < unshared / clients;
  }

  #count(now: number): void {
    const elapsed = Math.max(now - this.#sampledAt, 1);
    this.#perSecond += RECENT * ((this.#completed * 1_000) / elapsed - this.#perSecond);
    this.#completed = 0;
    this.#sampledAt = now;
    const period = now - this.#periodAt;
    if (period < STREAM_MS) return;
    this.#earlier = period < 2 * STREAM_MS ? this.#recent : { underWay: 0 };
    this.#recent = { underWay: 0 };
    this.#periodAt = now;
  }
}

/**
 * Measures how much of its time the event loop is not idle.
 *
 * @param onSample called with a share from 0 to 1, of the time since the last call
 * @returns stops it
 */
export function watchLoopUtilisation(onSample: (utilisation: number) => void): () => void {
  let last = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    onSample(performance.eventLoopUtilization(now, last).utilization);
    last = now;
  }, SAMPLE_MS);
  timer.unref();
  return () => clearInterval(timer);
}
