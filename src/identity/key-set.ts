import type { CryptoKey, JSONWebKeySet, JWSHeaderParameters } from 'jose';
import { createLocalJWKSet } from 'jose/jwks/local';
import { timeoutSignal } from '../clock/clock.ts';
import { SingleFlight } from '../concurrency/single-flight.ts';
import type { AppError } from '../errors.ts';
import { type ThrottledLog, throttledLog } from '../observability/throttled-log.ts';
import type { VerifierContext } from './identity.ts';
import { identityUnavailable } from './token-errors.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MIN_FRESH = 5 * MINUTE;
const MAX_FRESH = 24 * HOUR;
const DEFAULT_FRESH = HOUR;
/** How long expired keys are still used while the issuer is unavailable. */
const MAX_STALE = 24 * HOUR;
/** Least time between two fetches, whatever key ids tokens name. */
const FETCH_INTERVAL = MINUTE;
/** The same while there are no keys and every request is rejected. */
const EMPTY_FETCH_INTERVAL = 5_000;
/** Key ids remembered after their keys were withdrawn. */
const MAX_WITHDRAWN = 1_000;

export interface LoadedKeys {
  /** Public signing keys, at most one for each key id. */
  jwks: JSONWebKeySet;
  /** `max-age` of the response, seconds. */
  maxAge: number | undefined;
}

export type LoadKeys = (signal: AbortSignal) => Promise<LoadedKeys>;

/**
 * An issuer's signing keys, fetched on demand, at most once a minute. jose's `createLocalJWKSet` selects the key.
 *
 * jose's `createRemoteJWKSet` would not do: it ignores Cache-Control, fails while the issuer is unavailable, and then
 * fetches for every token, since its cooldown starts at a successful fetch.
 */
export class KeySet {
  readonly #load: LoadKeys;
  readonly #context: VerifierContext;
  readonly #alarm: ThrottledLog;
  readonly #unknownKey: ThrottledLog;
  #select = createLocalJWKSet({ keys: [] });
  #keyIds: ReadonlySet<string> = new Set();
  #withdrawn: ReadonlySet<string> = new Set();
  #freshUntil = Number.NEGATIVE_INFINITY;
  #attemptedAt = Number.NEGATIVE_INFINITY;
  readonly #refreshing = new SingleFlight<boolean>();

  constructor(load: LoadKeys, context: VerifierContext) {
    this.#load = load;
    this.#context = context;
    this.#alarm = throttledLog(context.clock, context.logger, 'error');
    this.#unknownKey = throttledLog(context.clock, context.logger, 'warn');
  }

  /**
   * The key that a token's header selects; without a key id, the only one that fits its algorithm (OIDC Core 10.1).
   *
   * @param mayBeNew false if an unknown key id cannot be a new key of the issuer
   * @throws JOSEError if no key matches
   * @throws AppError `unavailable` without usable keys, or when an unknown key id may not be looked up yet
   */
  async find(header: JWSHeaderParameters, mayBeNew: boolean): Promise<CryptoKey> {
    let fetched = !this.#isFresh() && (await this.#refresh());
    if (!this.#isUsable()) throw identityUnavailable(EMPTY_FETCH_INTERVAL / 1_000);
    const { kid } = header;
    if (kid !== undefined && !this.#keyIds.has(kid)) {
      fetched = (await this.#refresh()) || fetched;
      if (!fetched && mayBeNew && this.#mayAppear(kid)) throw this.#undecided();
    }
    return this.#select(header);
  }

  #mayAppear(kid: string): boolean {
    return this.#keyIds.size > 0 && !this.#keyIds.has(kid) && !this.#withdrawn.has(kid);
  }

  /** A client that receives `invalid_token` signs its user out, so it is asked to retry once the keys may be fetched. */
  #undecided(): AppError {
    const left = FETCH_INTERVAL - Math.abs(this.#context.clock.now() - this.#attemptedAt);
    this.#unknownKey({}, 'ID tokens name unknown signing keys: their requests get 503 until the keys may be fetched again');
    return identityUnavailable(Math.max(1, Math.ceil(left / 1_000)), undefined, true);
  }

  #isFresh(): boolean {
    return this.#context.clock.now() < this.#freshUntil;
  }

  #isUsable(): boolean {
    return this.#context.clock.now() < this.#freshUntil + MAX_STALE;
  }

  /**
   * Joins the pending fetch or starts one, unless the last was too recent. Never rejects.
   *
   * @returns whether the issuer has responded
   */
  #refresh(): Promise<boolean> {
    return this.#refreshing.run('keys', () => this.#fetchIfDue());
  }

  async #fetchIfDue(): Promise<boolean> {
    const now = this.#context.clock.now();
    const interval = this.#isUsable() ? FETCH_INTERVAL : EMPTY_FETCH_INTERVAL;
    // The absolute difference: a clock set back must not stop fetches until it has caught up.
    if (Math.abs(now - this.#attemptedAt) < interval) return false;
    this.#attemptedAt = now;
    const step = { kind: 'provider', name: 'identity', operation: 'keys' } as const;
    return this.#context.telemetry.step(
      step,
      () => this.#fetch(),
      (succeeded) => (succeeded ? 'ok' : 'failed'),
    );
  }

  async #fetch(): Promise<boolean> {
    try {
      const { jwks, maxAge } = await this.#load(timeoutSignal(this.#context.clock, this.#context.timeouts.keys));
      this.#replace(jwks);
      this.#freshUntil = this.#context.clock.now() + Math.min(freshness(maxAge), this.#context.keysMaxAge);
      return true;
    } catch (error) {
      this.#alarm(
        { err: error },
        this.#isUsable()
          ? 'The signing keys cannot be refreshed: ID tokens are verified with the last known keys'
          : 'There are no signing keys: ID tokens cannot be verified',
      );
      return false;
    }
  }

  #replace(jwks: JSONWebKeySet): void {
    const keyIds = new Set(jwks.keys.flatMap(({ kid }) => kid ?? []));
    const withdrawn = [...this.#withdrawn, ...this.#keyIds].filter((kid) => !keyIds.has(kid));
    this.#select = createLocalJWKSet(jwks);
    this.#withdrawn = new Set(withdrawn.slice(-MAX_WITHDRAWN));
    this.#keyIds = keyIds;
  }
}

/** Milliseconds for which fetched keys are fresh (RFC 9111 5.2.2.1). */
function freshness(maxAge: number | undefined): number {
  if (maxAge === undefined) return DEFAULT_FRESH;
  return Math.min(Math.max(maxAge * 1_000, MIN_FRESH), MAX_FRESH);
}
