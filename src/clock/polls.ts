import type { Logger } from '../observability/logger.ts';
import type { Clock } from './clock.ts';
import { Poll, type PollOptions } from './poll.ts';

/** The polls of a process, which end together. Tests run all of them once instead of waiting for their intervals. */
export class Polls {
  readonly clock: Clock;
  readonly #logger: Logger;
  readonly #polls = new Set<Poll>();

  constructor(clock: Clock, logger: Logger) {
    this.clock = clock;
    this.#logger = logger;
  }

  /** A poll that has yet to be started. */
  create(check: () => Promise<void>, options: PollOptions): Poll {
    const poll = new Poll(check, options, this.clock, this.#logger);
    this.#polls.add(poll);
    return poll;
  }

  /** Runs the check of each started poll once, and waits until all have ended. */
  async tick(): Promise<void> {
    await Promise.all([...this.#polls].map((poll) => poll.tick()));
  }

  /** Stops all of them. Resolves when the checks in progress have ended. */
  async stop(): Promise<void> {
    await Promise.all([...this.#polls].map((poll) => poll.stop()));
  }
}
