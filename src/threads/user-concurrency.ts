interface Lane {
  active: number;
  /** Called when a place is handed over, oldest first. */
  waiting: (() => void)[];
}

/** Limits the concurrent work of each user; further work waits in order. One promise per task, because calls pass through here. */
export class UserConcurrency {
  readonly #concurrency: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  async run<Result>(userId: string, work: () => Promise<Result>): Promise<Result> {
    const lane = this.#lanes.get(userId) ?? this.#open(userId);
    if (lane.active < this.#concurrency) lane.active += 1;
    else await new Promise<void>((resolve) => lane.waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.#leave(userId, lane);
    }
  }

  /** Number of a user's waiting tasks. */
  waiting(userId: string): number {
    return this.#lanes.get(userId)?.waiting.length ?? 0;
  }

  #open(userId: string): Lane {
    const lane: Lane = { active: 0, waiting: [] };
    this.#lanes.set(userId, lane);
    return lane;
  }

  #leave(userId: string, lane: Lane): void {
    const next = lane.waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    lane.active -= 1;
    if (lane.active === 0) this.#lanes.delete(userId);
  }
}
