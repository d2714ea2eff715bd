import type { Clock } from '../../clock/clock.ts';
import { isTransient } from '../../database/database-errors.ts';
import { describeError, type Logger } from '../../observability/logger.ts';

/** Added to a run's timeout, for storing what follows from it. */
export const STORING_MS = 30_000;
const PAUSE_MS = 500;

/**
 * Stores what follows from a run, however long the database is away within the time that is reserved for that. It begins with the
 * first attempt, and all statements of the run share it.
 */
export class Storing {
  /** Of the run's call. */
  readonly callId: string;
  readonly #deps: { clock: Clock; logger: Logger };
  readonly #action: string;
  /** By the monotonic clock. */
  #until: number | undefined;

  constructor(deps: { clock: Clock; logger: Logger }, callId: string, action: string) {
    this.callId = callId;
    this.#deps = deps;
    this.#action = action;
  }

  /**
   * Writes something. A failure is logged, because it must not hide the run's result.
   *
   * @param what the log's message
   * @param write `isRepeat`: an earlier attempt failed, and may have been committed
   * @returns whether it is stored
   */
  async store(what: string, write: (isRepeat: boolean) => Promise<unknown>): Promise<boolean> {
    try {
      await this.retry(write);
      return true;
    } catch (error) {
      this.#deps.logger.error({ err: describeError(error), action: this.#action, call: this.callId }, what);
      return false;
    }
  }

  /** Attempts something until it succeeds or the time is over. @throws what the last attempt threw */
  async retry<Result>(attempt: (isRepeat: boolean) => Promise<Result>): Promise<Result> {
    const { clock } = this.#deps;
    this.#until ??= clock.monotonic() + STORING_MS;
    for (let isRepeat = false; ; isRepeat = true) {
      try {
        return await attempt(isRepeat);
      } catch (error) {
        if (!isTransient(error) || clock.monotonic() + PAUSE_MS > this.#until) throw error;
        await clock.sleep(PAUSE_MS);
      }
    }
  }
}
