import type { JWK } from 'jose';
import { AppError } from '../../errors.ts';

/** A key that the aggregator signs its webhooks with (ES256, a public key in JWK form, RFC 7517). */
export interface WebhookKey {
  jwk: JWK;
  /** Seconds since 1970; null = in use. */
  expiredAt: number | null;
}

/** Asks the aggregator for a key; undefined = it has none of this id. */
export type LoadKey = (kid: string) => Promise<WebhookKey | undefined>;

export interface WebhookKeysOptions {
  load: LoadKey;
  /** Milliseconds since 1970. */
  now?: () => number;
}

interface Known {
  key: WebhookKey | undefined;
  /** Until when its word counts. */
  until: number;
}

const MINUTE = 60_000;
/** A key that the aggregator withdraws is refused here after this long at the latest. */
const GOOD_FOR = 60 * MINUTE;
const UNKNOWN_FOR = 15 * MINUTE;
/** After a failure every webhook of that key waits this long, so that a dead aggregator isn't asked by each of them. */
const FAILED_FOR = 6_000;
const LOADS_A_MINUTE = 10;
/** Of these, what key ids that nobody has heard of can't use up: anybody can invent them. */
const KEPT_FOR_KNOWN = 2;
const RETRY_SECONDS = 30;

/**
 * The aggregator's webhook keys by id. A flood of webhooks drives no more than
 * ten calls a minute, and what is remembered grows with answers only, not with
 * what strangers send.
 */
export class WebhookKeys {
  readonly #load: LoadKey;
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();
  readonly #failed = new Map<string, { error: unknown; until: number }>();
  readonly #loading = new Map<string, Promise<WebhookKey | undefined>>();
  #loads: number[] = [];

  constructor({ load, now = Date.now }: WebhookKeysOptions) {
    this.#load = load;
    this.#now = now;
  }

  /**
   * @returns the key, or undefined where the aggregator has none of this id or has withdrawn it
   * @throws AppError `unavailable` when it can't be asked, `rate_limited` when it was asked too often
   */
  async find(kid: string): Promise<WebhookKey | undefined> {
    const known = this.#known.get(kid);
    const key = known !== undefined && known.until > this.#now() ? known.key : await this.#ask(kid, known?.key !== undefined);
    return key === undefined || this.#isExpired(key) ? undefined : key;
  }

  #isExpired({ expiredAt }: WebhookKey): boolean {
    return expiredAt !== null && expiredAt * 1_000 <= this.#now();
  }

  /** Joins a question under way. */
  #ask(kid: string, wasGood: boolean): Promise<WebhookKey | undefined> {
    const under = this.#loading.get(kid);
    if (under !== undefined) return under;
    const failed = this.#failed.get(kid);
    if (failed !== undefined && failed.until > this.#now()) throw unreachable(failed.error);
    this.#spend(wasGood);
    const loading = this.#loadOnce(kid).finally(() => this.#loading.delete(kid));
    this.#loading.set(kid, loading);
    return loading;
  }

  async #loadOnce(kid: string): Promise<WebhookKey | undefined> {
    try {
      const key = await this.#load(kid);
      this.#failed.delete(kid);
      this.#forgetOld();
      this.#known.set(kid, { key, until: this.#now() + (key === undefined ? UNKNOWN_FOR : GOOD_FOR) });
      return key;
    } catch (error) {
      // Credentials of ours that are wrong are the operator's to put right, and told as such.
      if (error instanceof AppError && error.code === 'internal') throw error;
      this.#forgetOld();
      this.#failed.set(kid, { error, until: this.#now() + FAILED_FOR });
      throw unreachable(error);
    }
  }

  #spend(wasGood: boolean): void {
    const now = this.#now();
    this.#loads = this.#loads.filter((at) => Math.abs(now - at) < MINUTE);
    const allowed = wasGood ? LOADS_A_MINUTE : LOADS_A_MINUTE - KEPT_FOR_KNOWN;
    if (this.#loads.length >= allowed) {
      throw new AppError('rate_limited', 'Too many webhooks with unknown keys.', { retryAfter: RETRY_SECONDS });
    }
    this.#loads.push(now);
  }

  /** Keys that were good stay: their next question is asked before those of strangers. */
  #forgetOld(): void {
    const now = this.#now();
    for (const [kid, { key, until }] of this.#known) if (key === undefined && until <= now) this.#known.delete(kid);
    for (const [kid, { until }] of this.#failed) if (until <= now) this.#failed.delete(kid);
  }
}

function unreachable(cause: unknown): AppError {
  return new AppError('unavailable', 'The webhook can’t be verified at the moment.', { cause, retryAfter: RETRY_SECONDS });
}
