import type { Queryable } from '../database/database.ts';
import { Poll } from '../jobs/poll.ts';
import type { Logger } from '../observability/logger.ts';
import { selectDeletedSince } from './erasures-repository.ts';

const POLL_MS = 1_000;
/** As far back as deletions are looked for. */
const WINDOW_MS = 60_000;

export interface Watched {
  /** Whatever is remembered of the user counts no longer. */
  forget(userId: string): void;
  /** Ends what the user still has open. Again and again for a minute: something may just have been opening. */
  end(userId: string): void;
}

/** Notices within two seconds that a user was deleted on whichever replica, or by a command. */
export class DeletionWatch {
  readonly #db: Queryable;
  readonly #watched: Watched;
  readonly #poll: Poll;
  /** When was last looked, by the database's clock. */
  #lookedAt: Date | undefined;
  /** Who was told of, and when by this process's steady clock. */
  readonly #told = new Map<string, number>();

  constructor(db: Queryable, watched: Watched, logger: Logger) {
    this.#db = db;
    this.#watched = watched;
    this.#poll = new Poll(() => this.#look(), {
      everyMs: POLL_MS,
      logger,
      failure: 'deletions can’t be read; retrying every second',
    });
  }

  start(): void {
    this.#poll.start();
  }

  stop(): Promise<void> {
    return this.#poll.stop();
  }

  async #look(): Promise<void> {
    const { now, userIds } = await selectDeletedSince(this.#db, this.#lookedAt);
    this.#lookedAt = now;
    const at = performance.now();
    for (const userId of userIds) {
      if (!this.#told.has(userId)) this.#watched.forget(userId);
      this.#told.set(userId, at);
      this.#watched.end(userId);
    }
    for (const [userId, toldAt] of this.#told) if (toldAt < at - WINDOW_MS) this.#told.delete(userId);
  }
}
