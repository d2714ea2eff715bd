import pLimit from 'p-limit';
import { UserConcurrency } from './user-concurrency.ts';

const AT_A_TIME = 2;
/** Of all users, so that many of them together don't fill the memory. */
const TOGETHER = 8;

/** Places for large answers, from the moment that one turns out to be large until it is understood. */
export class LargeResponses {
  readonly #concurrency = new UserConcurrency(AT_A_TIME);
  readonly #together = pLimit(TOGETHER);

  /**
   * Waits for a place.
   *
   * @returns gives the place back
   * @throws the signal's reason when it aborts meanwhile
   */
  async enter(userId: string, signal: AbortSignal): Promise<() => void> {
    const entered = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const giveUp = () => {
      // Its turn still comes, and is over at once.
      left.resolve();
      entered.reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    void this.#concurrency.run(userId, () =>
      this.#together(() => {
        entered.resolve();
        return left.promise;
      }),
    );
    try {
      await entered.promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
    return left.resolve;
  }
}
