interface Lane {
  active: number;
  /** Called when a place is handed over, oldest first. */
  waiting: (() => void)[];
}

/**
 * Limits the concurrent work of each user, and that of all users together. Further work waits: that of a user in order, and
 * users take turns. One promise per task, because calls pass through here.
 */
export class UserConcurrency {
  readonly #perUser: number;
  readonly #total: number;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes where work waits, the one whose turn it is first. */
  readonly #queue = new Set<Lane>();
  #active = 0;

  constructor(perUser: number, total = Number.POSITIVE_INFINITY) {
    this.#perUser = perUser;
    this.#total = total;
  }

  async run<Result>(userId: string, work: () => Promise<Result>): Promise<Result> {
    const lane = this.#lanes.get(userId) ?? this.#open(userId);
    if (this.#hasPlace(lane)) this.#enter(lane);
    else
      await new Promise<void>((resolve) => {
        lane.waiting.push(resolve);
        this.#queue.add(lane);
      });
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

  #hasPlace(lane: Lane): boolean {
    return this.#active < this.#total && lane.active < this.#perUser;
  }

  #enter(lane: Lane): void {
    this.#active += 1;
    lane.active += 1;
  }

  #leave(userId: string, lane: Lane): void {
    this.#active -= 1;
    lane.active -= 1;
    for (const next of this.#queue) {
      if (!this.#hasPlace(next)) continue;
      this.#enter(next);
      // Behind the others, if more of it waits.
      this.#queue.delete(next);
      next.waiting.shift()?.();
      if (next.waiting.length > 0) this.#queue.add(next);
      break;
    }
    if (lane.active === 0 && lane.waiting.length === 0) this.#lanes.delete(userId);
  }
}
