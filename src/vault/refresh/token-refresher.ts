import { SingleFlight } from '../../concurrency/single-flight.ts';
import { lockUser } from '../../database/user-lock.ts';
import { AppError } from '../../errors.ts';
import { type ThrottledLog, throttledLog } from '../../observability/throttled-log.ts';
import type { Provider, Renewal } from '../../providers/shared/provider.ts';
import { jittered } from '../../rate-limit/backoff.ts';
import { withTimeLimit } from '../../rate-limit/time-limit.ts';
import { type CommitDeps, RefreshCommit } from './refresh-commit.ts';
import { isResealed, type OpenGrant, openGrant, usable } from './refresh-read.ts';
import { endConsent, postponeRefresh, type RefreshRow, releaseLease, selectRefreshRow, takeLease } from './refresh-repository.ts';
import { isAbandoned, isLeased, isPausing, leaseSeconds, pauseAfter, SEND_WITHIN_MS } from './refresh-timing.ts';

export interface RefreshDeps extends CommitDeps {
  /** Requests another access token; never rejects. undefined: the provider is not configured, or its tokens do not expire. */
  refreshers: Readonly<Record<Provider, ((refreshToken: string) => Promise<Renewal>) | undefined>>;
  /** Time limit for the provider's response, milliseconds. */
  refreshTimeoutMs: number;
  /** How long callers with a valid token wait for a refresh, milliseconds. */
  validTokenWaitMs: number;
}

/** Interval at which callers check whether another process has finished its refresh. */
const POLL_MS = 30;
const OFTEN = 50;
const LATER_POLL_MS = 400;
/** Time limit of each caller; the refresh continues. */
const CALLER_TIMEOUT_MS = 45_000;
/** Time that the holder of an abandoned lease has to store tokens it may have received. */
const GRACE_MS = 5_000;
const GRACE_POLL_MS = 250;
/** For the commit after the provider's response. */
const SETTLE_MARGIN_MS = 2_000;

/** Refreshes in progress: one per grant in this process (single flight), and by a lease in the row one among all processes. */
export class TokenRefresher {
  readonly #deps: RefreshDeps;
  readonly #commit: RefreshCommit;
  readonly #alarm: ThrottledLog;
  readonly #inFlight = new SingleFlight<string>();
  /** Requests to providers whose responses are not stored yet; a stop waits for them. */
  readonly #exchanges = new Set<Promise<unknown>>();
  #isStopping = false;

  constructor(deps: RefreshDeps) {
    this.#deps = deps;
    this.#commit = new RefreshCommit(deps);
    this.#alarm = throttledLog(deps.clock, deps.logger, 'error');
  }

  /** Whether this process may begin a refresh of the grant: none is in progress here, and it is not stopping. */
  mayBegin(grantId: string): boolean {
    return !this.#isStopping && this.#inFlight.get(grantId) === undefined;
  }

  /**
   * Gets another access token for a grant, or waits for the refresh in progress. A grant without a refresh token keeps its
   * access token.
   *
   * @param row as just read, with the lease or without it
   * @param forced the provider rejected the token before it expired
   * @throws AppError `unavailable`, `reauth_required`, `not_found`, `not_configured`
   */
  run(row: RefreshRow, forced: boolean): Promise<string> {
    // The holder of the lease has to use it.
    if (row.leased) this.#inFlight.forget(row.id);
    const flight = this.#inFlight.run(row.id, () => this.#fly(row, forced));
    const bounded = withTimeLimit(this.#deps.clock, flight, CALLER_TIMEOUT_MS, () => {
      throw postponed(null);
    });
    // Prevents an unhandled rejection when no caller waits.
    bounded.catch(() => {});
    return bounded;
  }

  /** Begins no new refresh, and waits until every issued token is stored. */
  async settle(): Promise<void> {
    this.#isStopping = true;
    const { refreshTimeoutMs } = this.#deps;
    await withTimeLimit(this.#deps.clock, Promise.allSettled(this.#exchanges), refreshTimeoutMs + SETTLE_MARGIN_MS, () => {});
    if (this.#exchanges.size > 0) this.#deps.logger.error({ refreshes: this.#exchanges.size }, 'stopped before renewed tokens were stored');
  }

  async #fly(first: RefreshRow, forced: boolean): Promise<string> {
    const { db, userKeys, clock } = this.#deps;
    let grant = await openGrant(userKeys, first).catch(async (error: unknown) => {
      if (first.leased) await this.#release(first);
      throw error;
    });
    const { accessToken, refreshToken } = grant.tokens;
    if (refreshToken === undefined) return accessToken;
    for (let looks = 0; ; looks += 1) {
      if (!grant.row.leased && isLeased(grant.row)) await clock.sleep(jittered(looks < OFTEN ? POLL_MS : LATER_POLL_MS));
      else {
        const token = await this.#track(this.#attempt(grant, refreshToken, forced));
        if (token !== undefined) return token;
      }
      const row = usable(await selectRefreshRow(db, first.userId, first.id));
      if (!row.tokens.equals(grant.row.tokens)) {
        const now = await openGrant(userKeys, row);
        if (!isResealed(grant, now)) return now.tokens.accessToken;
        grant = now;
      }
      if (isPausing(row)) throw postponed(row.pause);
      grant = { ...grant, row };
    }
  }

  #track<Result>(exchange: Promise<Result>): Promise<Result> {
    this.#exchanges.add(exchange);
    return exchange.finally(() => this.#exchanges.delete(exchange));
  }

  /** @returns undefined when another process leased or changed the grant: it must be read again */
  async #attempt(grant: OpenGrant, refreshToken: string, forced: boolean): Promise<string | undefined> {
    const { db, clock, refreshers } = this.#deps;
    const refresh = refreshers[grant.row.provider];
    const { leased: isLeasedAlready } = grant.row;
    if (refresh === undefined || this.#isStopping) {
      if (isLeasedAlready) await this.#release(grant.row);
      if (this.#isStopping) throw postponed(null);
      throw new AppError('not_configured', `The ${grant.row.provider} provider is not set up on this server.`);
    }
    const leasedAt = isLeasedAlready ? grant.row.readAt : clock.monotonic();
    const version = isLeasedAlready ? grant.row.version : await takeLease(db, grant.row, leaseSeconds(this.#deps));
    if (version === undefined) return undefined;
    // This process was suspended: before the response, another process could take over with the same token.
    if (clock.monotonic() - leasedAt > SEND_WITHIN_MS) return undefined;
    const leased = { ...grant, row: { ...grant.row, version } };
    const sentAt = clock.monotonic();
    const renewal = await refresh(refreshToken);
    if (renewal.kind === 'renewed') return (await this.#commit.store(leased, renewal, forced, sentAt)) ? renewal.accessToken : undefined;
    if (renewal.kind === 'ended') return this.#end(leased.row, renewal.reason);
    if (renewal.kind === 'misconfigured')
      this.#alarm({ err: renewal.reason }, 'the provider refuses this server’s own credentials: check client id and secret');
    return this.#postpone(leased.row, renewal);
  }

  /** If this fails, too, the lease expires. */
  async #release(row: RefreshRow): Promise<void> {
    await releaseLease(this.#deps.db, row).catch(() => {});
  }

  /** A new version means that the grant was changed after it was leased; the rejection then concerns an older token. */
  async #end(row: RefreshRow, reason: Error): Promise<undefined> {
    const { db, recordStatus, logger } = this.#deps;
    const { userId, id: grantId, provider } = row;
    if (isAbandoned(row) && (await this.#changesInGrace(row))) return undefined;
    const isEnded = await db.transaction(async (tx) => {
      // The user before the grant, as everywhere, to prevent deadlocks.
      await lockUser(tx, userId);
      if (!(await endConsent(tx, row))) return false;
      await recordStatus(tx, { userId, grantId, provider, status: 'reauth_required' });
      return true;
    }, userId);
    if (isEnded) logger.info({ grant: grantId, provider, err: reason }, 'the consent has ended: the user has to connect again');
  }

  /** The holder of an abandoned lease may have received a rotated token and still be storing it. */
  async #changesInGrace({ id, userId, version }: RefreshRow): Promise<boolean> {
    const { db, clock } = this.#deps;
    const endAt = clock.monotonic() + GRACE_MS;
    while (clock.monotonic() < endAt) {
      await clock.sleep(jittered(GRACE_POLL_MS));
      const now = await selectRefreshRow(db, userId, id);
      if (now?.version !== version) return true;
    }
    return false;
  }

  async #postpone(row: RefreshRow, renewal: Extract<Renewal, { reason: Error }>): Promise<never> {
    const { db, logger } = this.#deps;
    const asked = renewal.kind === 'failed' ? renewal.retryAfter : 0;
    const pause = Math.max(pauseAfter(row.failures + 1), asked);
    logger.warn({ grant: row.id, provider: row.provider, err: renewal.reason, pause }, 'an access token could not be renewed');
    // If this fails, too, the lease expires.
    await postponeRefresh(db, row, pause).catch(() => {});
    throw postponed(pause, renewal.reason);
  }
}

/** @param pause seconds until the next attempt; null: unknown */
export function postponed(pause: number | null, cause?: Error): AppError {
  const retryAfter = Math.max(1, Math.ceil(pause ?? 1));
  return new AppError('unavailable', 'The access to this account can’t be renewed at the moment. Try again later.', { retryAfter, cause });
}
