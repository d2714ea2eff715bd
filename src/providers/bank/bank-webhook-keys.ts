import type { JWK } from 'jose';
import type { Clock } from '../../clock/clock.ts';
import { SingleFlight } from '../../concurrency/single-flight.ts';
import { AppError } from '../../errors.ts';

/** A key with which the aggregator signs webhooks (ES256, a public JWK, RFC 7517). */
export interface WebhookKey {
  jwk: JWK;
  /** Seconds since 1970; null: in use. */
  expiredAt: number | null;
}

/** Requests a key from the aggregator; undefined: there is none with this id. */
export type LoadKey = (kid: string) => Promise<WebhookKey | undefined>;

interface Known {
  key: WebhookKey | undefined;
  /** Until when the entry is valid. */
  until: number;
}

const MINUTE = 60_000;
/** A withdrawn key is rejected here after this time at the latest. */
const GOOD_FOR = 60 * MINUTE;
const UNKNOWN_FOR = 15 * MINUTE;
/** After a failure, the key is not requested again for this time. */
const FAILED_FOR = 6_000;
const LOADS_A_MINUTE = 10;
/** Requests reserved for known keys, because anyone can invent unknown key ids. */
const KEPT_FOR_KNOWN = 2;
const RETRY_SECONDS = 30;

/**
 * The aggregator's webhook keys by id. A flood of webhooks causes at most ten requests a minute, and only responses of the
 * aggregator are cached.
 */
export class WebhookKeys {
  readonly #load: LoadKey;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();
  readonly #failed = new Map<string, { error: unknown; until: number }>();
  /** Concurrent callers share a request. */
  readonly #loading = new SingleFlight<WebhookKey | undefined>();
  #loads: number[] = [];

  constructor(load: LoadKey, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
  }

  /**
   * @returns the key; undefined if the aggregator has none with this id or has withdrawn it
   * @throws AppError `unavailable` when it cannot be requested, `rate_limited` after too many requests
   */
  async find(kid: string): Promise<WebhookKey | undefined> {
    const known = this.#known.get(kid);
    const isFresh = known !== undefined && known.until > this.#clock.now();
    const key = isFresh ? known.key : await this.#loading.run(kid, () => this.#ask(kid, known?.key !== undefined));
    return key === undefined || this.#isExpired(key) ? undefined : key;
  }

  #isExpired({ expiredAt }: WebhookKey): boolean {
    return expiredAt !== null && expiredAt * 1_000 <= this.#clock.now();
  }

  async #ask(kid: string, wasGood: boolean): Promise<WebhookKey | undefined> {
    const failed = this.#failed.get(kid);
    if (failed !== undefined && failed.until > this.#clock.now()) throw unreachable(failed.error);
    this.#spend(wasGood);
    try {
      const key = await this.#load(kid);
      this.#failed.delete(kid);
      this.#forgetOld();
      this.#known.set(kid, { key, until: this.#clock.now() + (key === undefined ? UNKNOWN_FOR : GOOD_FOR) });
      return key;
    } catch (error) {
      // Invalid credentials of this service are an error for the operator.
      if (error instanceof AppError && error.code === 'internal') throw error;
      this.#forgetOld();
      this.#failed.set(kid, { error, until: this.#clock.now() + FAILED_FOR });
      throw unreachable(error);
    }
  }

  #spend(wasGood: boolean): void {
    const now = this.#clock.now();
    this.#loads = this.#loads.filter((at) => Math.abs(now - at) < MINUTE);
    const allowed = wasGood ? LOADS_A_MINUTE : LOADS_A_MINUTE - KEPT_FOR_KNOWN;
    if (this.#loads.length >= allowed) {
      throw new AppError('rate_limited', 'Too many webhooks with unknown keys.', { retryAfter: RETRY_SECONDS });
    }
    this.#loads.push(now);
  }

  /** Keys that were valid are kept, because they have reserved requests. */
  #forgetOld(): void {
    const now = this.#clock.now();
    for (const [kid, { key, until }] of this.#known) if (key === undefined && until <= now) this.#known.delete(kid);
    for (const [kid, { until }] of this.#failed) if (until <= now) this.#failed.delete(kid);
  }
}

function unreachable(cause: unknown): AppError {
  return new AppError('unavailable', 'The webhook can’t be verified at the moment.', { cause, retryAfter: RETRY_SECONDS });
}
