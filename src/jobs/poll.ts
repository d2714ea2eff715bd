import { setTimeout as sleep } from 'node:timers/promises';
import { describeError, type Logger } from '../observability/logger.ts';

export interface PollOptions {
  everyMs: number;
  logger: Logger;
  /** What the log says at the first failure in a row. */
  failure: string;
}

/** Looks again and again until it is stopped. Of failures in a row only the first is logged. */
export class Poll {
  readonly #look: () => Promise<void>;
  readonly #options: PollOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #isFailing = false;

  constructor(look: () => Promise<void>, options: PollOptions) {
    this.#look = look;
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves once the look under way is over. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** A failure of the same kind that came up outside of a look: the next look makes up for it. */
  report(error: unknown): void {
    const { logger, failure } = this.#options;
    if (!this.#isFailing) logger.warn({ err: describeError(error) }, failure);
    this.#isFailing = true;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#look();
        this.#isFailing = false;
      } catch (error) {
        this.report(error);
      }
      await sleep(this.#options.everyMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
