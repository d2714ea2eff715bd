import pLimit, { type LimitFunction } from 'p-limit';

/** Lets so much work of one user run at a time; what comes beyond waits in the order of its coming. */
export class UserConcurrency {
  readonly #atATime: number;
  readonly #lanes = new Map<string, LimitFunction>();

  constructor(atATime: number) {
    this.#atATime = atATime;
  }

  async run<Result>(userId: string, work: () => Promise<Result>): Promise<Result> {
    const lane = this.#lanes.get(userId) ?? pLimit(this.#atATime);
    this.#lanes.set(userId, lane);
    try {
      return await lane(work);
    } finally {
      if (lane.activeCount + lane.pendingCount === 0) this.#lanes.delete(userId);
    }
  }

  /** How much of a user's work waits. */
  waiting(userId: string): number {
    return this.#lanes.get(userId)?.pendingCount ?? 0;
  }
}
