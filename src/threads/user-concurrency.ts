import pLimit, { type LimitFunction } from 'p-limit';

/** Limits the concurrent work of each user; further work waits in order. */
export class UserConcurrency {
  readonly #concurrency: number;
  readonly #limits = new Map<string, LimitFunction>();

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  async run<Result>(userId: string, work: () => Promise<Result>): Promise<Result> {
    const limit = this.#limits.get(userId) ?? pLimit(this.#concurrency);
    this.#limits.set(userId, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.#limits.delete(userId);
    }
  }

  /** Number of a user's waiting tasks. */
  waiting(userId: string): number {
    return this.#limits.get(userId)?.pendingCount ?? 0;
  }
}
