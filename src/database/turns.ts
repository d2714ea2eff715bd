import { AppError } from '../errors.ts';

/** As long as a statement may wait for a lock: whoever is behind several that do would wait for all of them. */
const WAIT_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;

/** Work of one name, one after the other in this process; of different names side by side. */
export class Turns {
  /** The end of the last one in each row. */
  readonly #last = new Map<string, Promise<void>>();

  /** @throws AppError `unavailable` when its turn doesn't come in time; whatever the work throws */
  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    // Whoever gives up leaves the row in order.
    const last = before === undefined ? ended : before.then(() => ended);
    this.#last.set(name, last);
    void last.then(() => {
      if (this.#last.get(name) === last) this.#last.delete(name);
    });
    try {
      if (before !== undefined) await inTime(before);
      return await work();
    } finally {
      end();
    }
  }
}

async function inTime(turn: Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const error = new AppError('unavailable', 'Too much is being changed for this user at the moment.', { retryAfter: RETRY_AFTER_SECONDS });
  const timer = setTimeout(() => reject(error), WAIT_MS);
  try {
    await Promise.race([turn, late]);
  } finally {
    clearTimeout(timer);
  }
}
