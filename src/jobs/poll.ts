import { setTimeout as sleep } from 'node:timers/promises';
import { FailureLog } from '../observability/failure-log.ts';
import type { Logger } from '../observability/logger.ts';

export interface PollOptions {
  everyMs: number;
  logger: Logger;
  /** Log message of the first of several consecutive failures. */
  failure: string;
}

/** Repeats a check until it is stopped. Of consecutive failures, only the first is logged. */
export class Poll {
  readonly #check: () => Promise<void>;
  readonly #everyMs: number;
  readonly #failures: FailureLog;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(check: () => Promise<void>, { everyMs, logger, failure }: PollOptions) {
    this.#check = check;
    this.#everyMs = everyMs;
    this.#failures = new FailureLog(logger, failure);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves when the running check has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Logs a failure of the same kind that occurred outside the check; the next check retries. */
  report(error: unknown): void {
    this.#failures.failed(error);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#failures.run(this.#check);
      await sleep(this.#everyMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
