import type { JWK } from 'jose';
import type { Clock } from '../../clock/clock.ts';
import { AppError } from '../../errors.ts';

/** A key with which the aggregator signs webhooks (ES256, a public JWK, RFC 7517). */
export interface WebhookKey {
  jwk: JWK;
  /** Seconds since 1970; null: in use. */
  expiredAt: number | null;
}

/** Requests a key from the aggregator; undefined: there is none with this id. */
export type LoadKey = (kid: string) => Promise<WebhookKey | undefined>;

/** What is known of a key id. */
interface Known {
  /** The aggregator's last answer; undefined: it has none. */
  key: WebhookKey | undefined;
  /** Why the key could not be requested again. */
  error?: unknown;
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
  readonly #loading = new Map<string, Promise<Known>>();
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
    const { key, error } = known !== undefined && known.until > this.#clock.now() ? known : await this.#ask(kid, known?.key);
    if (error !== undefined) throw unreachable(error);
    return key === undefined || this.#isExpired(key) ? undefined : key;
  }

  #isExpired({ expiredAt }: WebhookKey): boolean {
    return expiredAt !== null && expiredAt * 1_000 <= this.#clock.now();
  }

  /** Concurrent callers share a request. */
  #ask(kid: string, before: WebhookKey | undefined): Promise<Known> {
    const under = this.#loading.get(kid);
    if (under !== undefined) return under;
    this.#spend(before !== undefined);
    const loading = this.#request(kid, before).finally(() => this.#loading.delete(kid));
    this.#loading.set(kid, loading);
    return loading;
  }

  async #request(kid: string, before: WebhookKey | undefined): Promise<Known> {
    const known = await this.#load(kid).then(
      (key): Known => ({ key, until: this.#clock.now() + (key === undefined ? UNKNOWN_FOR : GOOD_FOR) }),
      (error: unknown): Known => {
        // Invalid credentials of this service are an error for the operator.
        if (error instanceof AppError && error.code === 'internal') throw error;
        return { key: before, error, until: this.#clock.now() + FAILED_FOR };
      },
    );
    this.#forgetOld();
    this.#known.set(kid, known);
    return known;
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
  }
}

function unreachable(cause: unknown): AppError {
  return new AppError('unavailable', 'The webhook can’t be verified at the moment.', { cause, retryAfter: RETRY_SECONDS });
}
