import type { Clock } from '../../clock/clock.ts';
import { describeError, type Logger } from '../../observability/logger.ts';
import { jittered } from '../../rate-limit/backoff.ts';
import type { Outgoing, Revocations } from './revocations.ts';

/** A token that was issued and is not stored. Its account must be known before it is revoked: a revocation ends all grants of the account. */
export interface OrphanedToken extends Omit<Outgoing, 'subject'> {
  subject: string | (() => Promise<string>);
}

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
const KEEP_TRYING_MS = 10 * 60_000;

/**
 * Revokes tokens that a provider issued and that could not be used or stored. They exist only in this process: while the
 * database is unavailable and the revocation cannot be stored, it is retried.
 */
export class OrphanedTokenRevoker {
  readonly #revocations: Revocations;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(revocations: Revocations, clock: Clock, logger: Logger) {
    this.#revocations = revocations;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Revokes the token. Never rejects; what fails, or requires the account to be looked up, continues in the background. */
  async add(orphan: OrphanedToken): Promise<void> {
    if (typeof orphan.subject === 'string' && (await this.during(this.#try(orphan))) === undefined) return;
    void this.during(this.#keepTrying(orphan));
  }

  /**
   * Work in which a provider may issue a token: a stop waits until the token is stored or revoked, though nothing else waits
   * for it any more.
   */
  during<Result>(work: Promise<Result>): Promise<Result> {
    const over = (): void => void this.#running.delete(running);
    const running: Promise<void> = work.then(over, over);
    this.#running.add(running);
    return work;
  }

  /** Waits for tokens that are being issued, tries the remaining ones once more, then gives up. */
  async settle(): Promise<void> {
    this.#stopping.abort();
    // What ends may have begun another revocation.
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #keepTrying(orphan: OrphanedToken): Promise<void> {
    const { provider } = orphan;
    const { signal } = this.#stopping;
    const startedAt = this.#clock.monotonic();
    for (let retry = FIRST_RETRY_MS; ; retry = Math.min(retry * 2, LONGEST_RETRY_MS)) {
      // Stopping ends the wait.
      await this.#clock.sleep(jittered(retry), { signal }).catch(() => {});
      const isLast = signal.aborted || this.#clock.monotonic() - startedAt >= KEEP_TRYING_MS;
      const error = await this.#try(orphan);
      if (error === undefined) return;
      if (!isLast) continue;
      this.#logger.error({ err: describeError(error), provider }, 'a token could not be revoked: it remains valid at the provider');
      return;
    }
  }

  /** @returns the error; undefined: none */
  async #try({ subject: whose, ...token }: OrphanedToken): Promise<unknown> {
    try {
      await this.#revocations.add({ ...token, subject: typeof whose === 'string' ? whose : await whose() });
      return undefined;
    } catch (error) {
      return error;
    }
  }
}
