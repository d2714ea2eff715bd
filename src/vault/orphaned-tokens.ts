import type { Clock } from '../clock/clock.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { jittered } from '../rate-limit/backoff.ts';
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
    if (typeof orphan.subject === 'string' && (await this.#try(orphan)) === undefined) return;
    const run = this.#keepTrying(orphan).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  /** Tries the remaining tokens once more, then gives up. */
  async settle(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
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
