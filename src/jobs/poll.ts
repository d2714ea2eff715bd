import { setTimeout as sleep } from 'node:timers/promises';
import { describeError, type Logger } from '../observability/logger.ts';

export interface PollOptions {
  everyMs: number;
  logger: Logger;
  /** Log message of the first of several consecutive failures. */
  failure: string;
}

/** Repeats a check until it is stopped. Of consecutive failures, only the first is logged. */
export class Poll {
  readonly #check: () => Promise<void>;
  readonly #options: PollOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #isFailing = false;

  constructor(check: () => Promise<void>, options: PollOptions) {
    this.#check = check;
    this.#options = options;
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
    const { logger, failure } = this.#options;
    if (!this.#isFailing) logger.warn({ err: describeError(error) }, failure);
    this.#isFailing = true;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#check();
        this.#isFailing = false;
      } catch (error) {
        this.report(error);
      }
      await sleep(this.#options.everyMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
