import type { AppError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import { type ThrottledLog, throttledLog } from '../observability/throttled-log.ts';
import { identityUnavailable } from './token-errors.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FRESH_LEAST = 5 * MINUTE;
const FRESH_MOST = 24 * HOUR;
const FRESH_DEFAULT = HOUR;
/** How long an issuer may be out of reach before tokens are no longer taken on the word of old keys. */
const STALE_MOST = 24 * HOUR;
/** Between two fetches, whatever tokens claim about their key. */
const FETCH_INTERVAL = MINUTE;
/** Key ids that are remembered after their keys were withdrawn. */
const MOST_WITHDRAWN = 1_000;
/** The same while there is no key at all and every caller is turned away. */
const COLD_INTERVAL = 5_000;

export interface LoadedKeys<Key> {
  /** Key id → key. */
  keys: ReadonlyMap<string, Key>;
  /** Seconds the answer stays fresh, as its Cache-Control said. */
  maxAge: number | undefined;
}

export interface KeySetOptions<Key> {
  load: (signal: AbortSignal) => Promise<LoadedKeys<Key>>;
  logger: Logger;
  telemetry: Pick<Telemetry, 'step'>;
  now: () => number;
  /** Longest a load may take, milliseconds. */
  timeout: number;
  /** Longest that keys stay fresh, whatever their issuer says, milliseconds: so long may a withdrawn one be used. */
  maxAge: number;
}

/** An issuer's signing keys, fetched when they are needed and bounded in every direction: neither a flood of tokens nor a dead issuer costs more than a fetch a minute. */
export class KeySet<Key> {
  readonly #options: KeySetOptions<Key>;
  readonly #alarm: ThrottledLog;
  readonly #unknown: ThrottledLog;
  #keys: ReadonlyMap<string, Key> = new Map();
  #withdrawn = new Set<string>();
  #freshUntil = Number.NEGATIVE_INFINITY;
  #attemptedAt = Number.NEGATIVE_INFINITY;
  #pending: Promise<boolean> | undefined;

  constructor(options: KeySetOptions<Key>) {
    this.#options = options;
    this.#alarm = throttledLog(options.logger, 'error', options.now);
    this.#unknown = throttledLog(options.logger, 'warn', options.now);
  }

  /** The keys of the last good load, however old: check with {@link find} first. */
  get latest(): ReadonlyMap<string, Key> {
    return this.#keys;
  }

  /**
   * The key of this id; without an id, the only key there is (OIDC Core 10.1).
   *
   * @param mayBeNew false where nobody but a forger would name an id that isn't known
   * @returns undefined where the issuer has no such key
   * @throws AppError `unavailable` while no keys are to be had, or nothing can be said about a key that may be new
   */
  async find(kid: string | undefined, mayBeNew = true): Promise<Key | undefined> {
    let asked = !this.#isFresh() && (await this.#refresh());
    if (!this.#isUsable()) throw identityUnavailable(COLD_INTERVAL / 1_000);
    const key = this.#pick(kid);
    if (key !== undefined) return key;
    // The issuer may have begun to sign with a key that is younger than our copy.
    asked = (await this.#refresh()) || asked;
    const young = this.#pick(kid);
    if (young !== undefined || asked || !mayBeNew || !this.#isToCome(kid)) return young;
    throw this.#undecided();
  }

  /** Whether an id may be that of a key that we haven't seen yet. An issuer without keys, or with keys of no id, has none to come. */
  #isToCome(kid: string | undefined): boolean {
    return kid !== undefined && this.#keys.size > 0 && !this.#withdrawn.has(kid);
  }

  /** A client that is told "invalid" signs its user out: it is asked to come again once the keys may be fetched. */
  #undecided(): AppError {
    const left = FETCH_INTERVAL - Math.abs(this.#options.now() - this.#attemptedAt);
    this.#unknown(
      {},
      'ID tokens name keys that their issuer had not published when asked last: they are put off until it may be asked again',
    );
    return identityUnavailable(Math.max(1, Math.ceil(left / 1_000)), undefined, 'told');
  }

  #pick(kid: string | undefined): Key | undefined {
    if (kid !== undefined) return this.#keys.get(kid);
    const [only, ...others] = this.#keys.values();
    return others.length === 0 ? only : undefined;
  }

  #isFresh(): boolean {
    return this.#options.now() < this.#freshUntil;
  }

  #isUsable(): boolean {
    return this.#options.now() < this.#freshUntil + STALE_MOST;
  }

  /**
   * Joins the fetch under way or starts one, unless the last is too recent. Never rejects: what is left afterwards decides.
   *
   * @returns whether the issuer has answered
   */
  async #refresh(): Promise<boolean> {
    if (this.#pending === undefined) {
      const interval = this.#isUsable() ? FETCH_INTERVAL : COLD_INTERVAL;
      // The distance, not the difference: a clock set back must not stop us until it has caught up.
      if (Math.abs(this.#options.now() - this.#attemptedAt) < interval) return false;
      this.#attemptedAt = this.#options.now();
      const step = { kind: 'provider', name: 'identity', operation: 'keys' } as const;
      const loading = this.#options.telemetry.step(
        step,
        () => this.#load(),
        (isLoaded) => (isLoaded ? 'ok' : 'failed'),
      );
      this.#pending = loading.finally(() => {
        this.#pending = undefined;
      });
    }
    return this.#pending;
  }

  #replace(keys: ReadonlyMap<string, Key>): void {
    const gone = [...this.#withdrawn, ...this.#keys.keys()].filter((kid) => !keys.has(kid));
    this.#withdrawn = new Set(gone.slice(-MOST_WITHDRAWN));
    this.#keys = keys;
  }

  /** @returns false where the issuer, or the way to it, is to blame */
  async #load(): Promise<boolean> {
    try {
      const { keys, maxAge } = await this.#options.load(AbortSignal.timeout(this.#options.timeout));
      this.#replace(keys);
      this.#freshUntil = this.#options.now() + Math.min(freshness(maxAge), this.#options.maxAge);
      return true;
    } catch (error) {
      this.#alarm(
        { err: error },
        this.#isUsable()
          ? 'The signing keys cannot be refreshed: ID tokens are checked with those known'
          : 'There are no signing keys: ID tokens cannot be checked',
      );
      return false;
    }
  }
}

function freshness(maxAge: number | undefined): number {
  if (maxAge === undefined) return FRESH_DEFAULT;
  return Math.min(Math.max(maxAge * 1_000, FRESH_LEAST), FRESH_MOST);
}
