import { StatementBatcher } from '../../database/statement-batcher.ts';
import { AppError } from '../../errors.ts';
import { DecryptedTokenCache } from './decrypted-token-cache.ts';
import { usable } from './refresh-read.ts';
import { type DueGrant, type GrantName, type RefreshRow, selectOrLease, selectRefreshRows } from './refresh-repository.ts';
import { earlyBy, isDue, isLeased, isPausing, isValid, leaseSeconds } from './refresh-timing.ts';
import { postponed, type RefreshDeps, TokenRefresher } from './token-refresher.ts';

/**
 * Access tokens that work, refreshed when due. Every use reads the row: a
 * disconnect or a reconnect counts at once, on every replica.
 */
export class AccessTokens {
  readonly #refresher: TokenRefresher;
  readonly #rows: StatementBatcher<GrantName, RefreshRow | undefined>;
  readonly #leases: StatementBatcher<DueGrant, RefreshRow | undefined>;
  readonly #opened: DecryptedTokenCache;
  /** Grants that some caller of this process is reading, ready to take their lease. */
  readonly #leasing = new Set<string>();
  readonly #patienceMs: number;
  /** What {@link justRead} was told, by grant and user. */
  readonly #justRead = new Map<string, RefreshRow>();

  constructor(deps: RefreshDeps) {
    this.#refresher = new TokenRefresher(deps);
    this.#rows = new StatementBatcher((grants) => selectRefreshRows(deps.db, grants));
    this.#leases = new StatementBatcher((grants) => selectOrLease(deps.db, grants, leaseSeconds(deps)));
    this.#opened = new DecryptedTokenCache(deps.userKeys);
    this.#patienceMs = deps.patienceMs;
  }

  /**
   * Takes rows that came a moment ago, for callers who asked for them in order to use the accounts. They count until
   * the promise jobs at hand are done: nothing that comes in later, a disconnect's answer among it, finds them.
   */
  justRead(rows: readonly RefreshRow[]): void {
    if (rows.length === 0) return;
    for (const row of rows) this.#justRead.set(row.id + row.userId, row);
    process.nextTick(() => this.#justRead.clear());
  }

  /**
   * @returns a token that is valid now
   * @throws AppError `not_found`, `reauth_required`, `relink_required`, `item_gone`, `unavailable`
   */
  async current(userId: string, grantId: string): Promise<string> {
    const row = this.#justRead.get(grantId + userId);
    // Any other needs a lease, or says why it can't be used: that is read together.
    if (row?.status === 'active' && isServed(row)) return (await this.#opened.of(row)).accessToken;
    return this.#fresh(await this.#readToUse(userId, grantId));
  }

  /**
   * After the provider refused a token that should still be good: exactly one refresh, whoever asks.
   *
   * @throws AppError as {@link current}, and `provider_error` when the provider refuses one new token after the other
   */
  async renewed(userId: string, grantId: string, rejected: string): Promise<string> {
    const row = await this.#read(userId, grantId);
    const tokens = await this.#opened.of(row);
    if (tokens.accessToken !== rejected) return this.#fresh(row);
    if (tokens.refreshToken === undefined || isPausing(row)) throw refusedAgain(row.pause);
    return this.#refresher.run(row, true);
  }

  /** Waits until everything that providers have issued is stored; begins no refresh from now on. */
  async settle(): Promise<void> {
    await this.#refresher.settle();
  }

  async #read(userId: string, grantId: string): Promise<RefreshRow> {
    return usable(await this.#rows.add({ userId, grantId }));
  }

  /**
   * One of those who ask at the same time takes the lease with what it reads; the others would only queue for it. Nor
   * is it worth a statement of its own where the token was good a moment ago.
   */
  async #readToUse(userId: string, grantId: string): Promise<RefreshRow> {
    const isGood = this.#opened.has(grantId);
    if (isGood || this.#leasing.has(grantId) || !this.#refresher.mayBegin(grantId)) return this.#read(userId, grantId);
    this.#leasing.add(grantId);
    try {
      return usable(await this.#leases.add({ userId, grantId, early: earlyBy(grantId) }));
    } finally {
      this.#leasing.delete(grantId);
    }
  }

  /** A token that has some time left is served while somebody renews it, and while nobody can. */
  async #fresh(row: RefreshRow): Promise<string> {
    if (!row.leased) {
      if (isServed(row)) return this.#accessToken(row);
      if (isPausing(row)) throw postponed(row.pause);
    }
    try {
      const renewal = this.#refresher.run(row, false);
      return await (isValid(row) ? sooner(renewal, this.#patienceMs) : renewal);
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

/** Without a refresh: not due, or good for a while longer and somebody renews it, or nobody can at present. */
function isServed(row: RefreshRow): boolean {
  return !isDue(row) || (isValid(row) && (isLeased(row) || isPausing(row)));
}

/** Whoever still has a good token need not wait for as long as a refresh may take. */
async function sooner(renewal: Promise<string>, ms: number): Promise<string> {
  const { promise: impatience, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(postponed(null)), ms);
  try {
    return await Promise.race([renewal, impatience]);
  } finally {
    clearTimeout(timer);
  }
}

function refusedAgain(pause: number | null): AppError {
  return new AppError('provider_error', 'The provider refuses the access that it has just given.', {
    retryAfter: Math.max(1, Math.ceil(pause ?? 1)),
  });
}
