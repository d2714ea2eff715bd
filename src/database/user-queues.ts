import type { Clock } from '../clock/clock.ts';
import { UserConcurrency } from '../concurrency/user-concurrency.ts';
import { unavailable } from '../errors.ts';

/** Runs the work of one user one after the other in this process, and that of different users concurrently. */
export class UserQueues {
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #users = new UserConcurrency(1);

  /** @param waitMs how long work waits for its turn, in place of all transactions before it */
  constructor(clock: Clock, waitMs: number) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /** @throws AppError `unavailable` when the work cannot begin in time; what `work` throws */
  run<Result>(userId: string, work: () => Promise<Result>): Promise<Result> {
    const turn = Promise.withResolvers<void>();
    const timer = this.#clock.after(this.#waitMs, () =>
      turn.reject(unavailable('Too many changes for this user are waiting. Try again in a moment.')),
    );
    const result = this.#users.run(userId, async () => {
      timer.cancel();
      turn.resolve();
      // Rejected, if it came too late.
      await turn.promise;
      return work();
    });
    return Promise.race([result, turn.promise.then(() => result)]);
  }
}
