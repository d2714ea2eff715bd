import type { Clock } from '../clock/clock.ts';
import { UserConcurrency } from '../concurrency/user-concurrency.ts';
import { AppError } from '../errors.ts';

/** As long as a statement may wait for a lock: behind several such transactions, a caller would wait for all of them. */
const WAIT_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;

/** Runs the work of one user one after the other in this process, and that of different users concurrently. */
export class UserQueues {
  readonly #clock: Clock;
  readonly #users = new UserConcurrency(1);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws AppError `unavailable` when the work cannot begin in time; what `work` throws */
  run<Result>(userId: string, work: () => Promise<Result>): Promise<Result> {
    const { promise: expired, reject } = Promise.withResolvers<never>();
    let timeout: AppError | undefined;
    const timer = this.#clock.after(WAIT_MS, () => {
      timeout = tooMuchWork();
      reject(timeout);
    });
    const result = this.#users.run(userId, async () => {
      timer.cancel();
      if (timeout !== undefined) throw timeout;
      return work();
    });
    return Promise.race([result, expired]);
  }
}

function tooMuchWork(): AppError {
  return new AppError('unavailable', 'Too many changes for this user are waiting. Try again in a moment.', {
    retryAfter: RETRY_AFTER_SECONDS,
  });
}
