import { setTimeout as sleep } from 'node:timers/promises';
import { describeError, type Logger } from '../observability/logger.ts';
import { jittered } from '../rate-limit/backoff.ts';
import type { Outgoing, Revocations } from './revocations.ts';

/** A token to give back. Where it isn't known yet whose it is, that has to be found out: a revocation could hit others. */
export interface OrphanedToken extends Omit<Outgoing, 'subject'> {
  subject: string | (() => Promise<string>);
}

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
const KEEP_TRYING_MS = 10 * 60_000;

/**
 * Tokens that a provider gave and that could not be used or stored. Only this process knows them: where not even their
 * revocation can be written down, because the database is away, it is tried again until it is back.
 */
export class OrphanedTokenRevoker {
  readonly #revocations: Revocations;
  readonly #logger: Logger;
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(revocations: Revocations, logger: Logger) {
    this.#revocations = revocations;
    this.#logger = logger;
  }

  /** Has the token revoked. Never rejects: what does not work at once, or has to ask whose it is, goes on in the background. */
  async add(revokeOrphan: OrphanedToken): Promise<void> {
    if (typeof revokeOrphan.subject === 'string' && (await this.#try(revokeOrphan)) === undefined) return;
    const run = this.#keepTrying(revokeOrphan).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  /** Tries once more what is left, then gives it up. */
  async settle(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #keepTrying(revokeOrphan: OrphanedToken): Promise<void> {
    const { provider } = revokeOrphan;
    const { signal } = this.#stopping;
    const startedAt = performance.now();
    for (let retry = FIRST_RETRY_MS; ; retry = Math.min(retry * 2, LONGEST_RETRY_MS)) {
      // A stop ends the wait.
      await sleep(jittered(retry), undefined, { signal }).catch(() => {});
      const isLast = signal.aborted || performance.now() - startedAt >= KEEP_TRYING_MS;
      const error = await this.#try(revokeOrphan);
      if (error === undefined) return;
      if (!isLast) continue;
      this.#logger.error({ err: describeError(error), provider }, 'a token could not be given back: it lives on at the provider');
      return;
    }
  }

  /** @returns what it failed with */
  async #try({ subject: whose, ...token }: OrphanedToken): Promise<unknown> {
    try {
      await this.#revocations.add({ ...token, subject: typeof whose === 'string' ? whose : await whose() });
      return undefined;
    } catch (error) {
      return error;
    }
  }
}
