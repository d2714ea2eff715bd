import { UserConcurrency } from './user-concurrency.ts';

const AT_A_TIME = 2;
/** Of all users, which bounds the memory. */
const TOGETHER = 8;

/** Limits concurrent large responses, from the detection of their size until they are parsed. */
export class LargeResponses {
  readonly #concurrency = new UserConcurrency(AT_A_TIME, TOGETHER);

  /**
   * Waits until the response may be read.
   *
   * @returns releases the place
   * @throws the signal's reason when it aborts in the meantime
   */
  async acquire(userId: string, signal: AbortSignal): Promise<() => void> {
    const entered = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const giveUp = () => {
      // It still gets its turn, and ends immediately.
      left.resolve();
      entered.reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    void this.#concurrency.run(userId, () => {
      entered.resolve();
      return left.promise;
    });
    try {
      await entered.promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
    return left.resolve;
  }
}
