import type { Clock } from '../../clock/clock.ts';
import { CONCURRENT_BATCHES, REFRESH_BATCHES, StatementBatcher } from '../../database/statement-batcher.ts';
import { AppError } from '../../errors.ts';
import { withTimeLimit } from '../../rate-limit/time-limit.ts';
import { DecryptedTokenCache } from './decrypted-token-cache.ts';
import { usable } from './refresh-read.ts';
import { type DueGrant, type GrantInUse, type GrantName, type RefreshRow, selectOrLease, selectRefreshRows } from './refresh-repository.ts';
import { earlyBy, isDue, isLeased, isPausing, isValid, leaseSeconds } from './refresh-timing.ts';
import { postponed, type RefreshDeps, TokenRefresher } from './token-refresher.ts';

/**
 * How old a row may be when its token is used: longer than its statement takes under load, and with the time until the
 * request is sent far less than the second within which a disconnect on another replica has to take effect.
 */
const RECENT_MS = 300;

/** Valid access tokens, refreshed when due. Every use reads the grant's row, so that a disconnect on any replica takes effect. */
export class AccessTokens {
  readonly #refresher: TokenRefresher;
  readonly #rows: StatementBatcher<GrantName, RefreshRow | undefined>;
  readonly #leases: StatementBatcher<DueGrant, RefreshRow | undefined>;
  readonly #opened: DecryptedTokenCache;
  /** Grants that a caller of this process is reading in order to lease them. */
  readonly #leasing = new Set<string>();
  readonly #validTokenWaitMs: number;
  readonly #clock: Clock;

  constructor(deps: RefreshDeps) {
    this.#refresher = new TokenRefresher(deps);
    this.#rows = new StatementBatcher((grants) => selectRefreshRows(deps.db, grants), CONCURRENT_BATCHES);
    this.#leases = new StatementBatcher((grants) => selectOrLease(deps.db, grants, leaseSeconds(deps)), REFRESH_BATCHES);
    this.#opened = new DecryptedTokenCache(deps.userKeys, deps.clock);
    this.#validTokenWaitMs = deps.validTokenWaitMs;
    this.#clock = deps.clock;
  }

  /**
   * @param known the grant as the caller has read it before
   * @returns a token that is valid now
   * @throws AppError `not_found`, `reauth_required`, `relink_required`, `item_gone`, `unavailable`
   */
  async current(userId: string, grantId: string, known?: GrantInUse): Promise<string> {
    return this.#fresh(await this.#readToUse(userId, grantId, known));
  }

  /**
   * The token of a grant that the caller has just read.
   *
   * @returns undefined: the grant has to be read again, because it isn't recent or its token is due
   */
  tokenFromRow(grant: GrantInUse): string | Promise<string> | undefined {
    if (grant.status !== 'active' || !this.#isRecent(grant) || isDue(grant)) return undefined;
    const tokens = this.#opened.of(grant);
    return tokens instanceof Promise ? tokens.then(({ accessToken }) => accessToken) : tokens.accessToken;
  }

  /**
   * Another token, after the provider rejected one that should still be valid: one refresh for all callers.
   *
   * @throws AppError as {@link current}, and `provider_error` when the provider also rejects new tokens
   */
  async renewed(userId: string, grantId: string, rejected: string): Promise<string> {
    const row = await this.#read(userId, grantId);
    const tokens = await this.#opened.of(row);
    if (tokens.accessToken !== rejected) return this.#fresh(row);
    if (tokens.refreshToken === undefined || isPausing(row)) throw rejectedAgain(row.pause);
    return this.#refresher.run(row, true);
  }

  /** Waits until every token that providers have issued is stored. No refresh begins from now on. */
  async settle(): Promise<void> {
    await this.#refresher.settle();
  }

  #isRecent({ readAt }: GrantInUse): boolean {
    return this.#clock.monotonic() - readAt <= RECENT_MS;
  }

  async #read(userId: string, grantId: string): Promise<RefreshRow> {
    return usable(await this.#rows.add({ userId, grantId }));
  }

  /**
   * Of concurrent callers, one takes the lease in the statement that reads the row; the others would only wait for it. If
   * the token was valid a moment ago, no lease is requested.
   */
  async #readToUse(userId: string, grantId: string, known: GrantInUse | undefined): Promise<RefreshRow> {
    const isGood = known === undefined ? this.#opened.has(grantId) : !isDue(known);
    if (isGood || this.#leasing.has(grantId) || !this.#refresher.mayBegin(grantId)) return this.#read(userId, grantId);
    this.#leasing.add(grantId);
    try {
      return usable(await this.#leases.add({ userId, grantId, early: earlyBy(grantId) }));
    } finally {
      this.#leasing.delete(grantId);
    }
  }

  /** A token that is still valid is used while it is being refreshed, and while a refresh is impossible. */
  async #fresh(row: RefreshRow): Promise<string> {
    if (!row.leased) {
      if (isServed(row)) return this.#accessToken(row);
      if (isPausing(row)) throw postponed(row.pause);
    }
    try {
      const renewal = this.#refresher.run(row, false);
      if (!isValid(row)) return await renewal;
      // A caller with a valid token does not wait as long as a refresh may take.
      return await withTimeLimit(this.#clock, renewal, this.#validTokenWaitMs, () => {
        throw postponed(null);
      });
    } catch (error) {
      if (!isValid(row) || !(error instanceof AppError) || error.code !== 'unavailable') throw error;
      const now = await this.#read(row.userId, row.id);
      if (isValid(now)) return this.#accessToken(now);
      throw error;
    }
  }

  async #accessToken(row: RefreshRow): Promise<string> {
    return (await this.#opened.of(row)).accessToken;
  }
}

/** Whether the token is used without a refresh: it is not due, or still valid while another process refreshes it or a retry is pending. */
function isServed(row: RefreshRow): boolean {
  return !isDue(row) || (isValid(row) && (isLeased(row) || isPausing(row)));
}

function rejectedAgain(pause: number | null): AppError {
  return new AppError('provider_error', 'The provider rejects the access token that it has just issued.', {
    retryAfter: Math.max(1, Math.ceil(pause ?? 1)),
  });
}
