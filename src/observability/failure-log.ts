import { describeError, type Logger } from './logger.ts';

/** Logs the failures of repeated work: of consecutive ones, only the first. */
export class FailureLog {
  readonly #logger: Logger;
  readonly #message: string;
  #isFailing = false;

  constructor(logger: Logger, message: string) {
    this.#logger = logger;
    this.#message = message;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Runs the work once. Never rejects. */
  async run(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#isFailing = false;
    } catch (error) {
      this.failed(error);
    }
  }

  failed(error: unknown): void {
    if (!this.#isFailing) this.#logger.warn({ err: describeError(error) }, this.#message);
    this.#isFailing = true;
  }

  succeeded(): void {
    this.#isFailing = false;
  }
}
