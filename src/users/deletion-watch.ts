import type { Queryable } from '../database/database.ts';
import { Poll } from '../jobs/poll.ts';
import type { Logger } from '../observability/logger.ts';
import { selectDeletedSince } from './erasures-repository.ts';

const POLL_MS = 1_000;
/** Age up to which deletions are read. */
const WINDOW_MS = 60_000;

export interface DeletionListener {
  /** Drops what is cached of the user. */
  forget(userId: string): void;
  /** Closes the user's sockets. Called repeatedly for a minute, because a socket may just be opening. */
  end(userId: string): void;
}

/** Detects within two seconds that a user was deleted by another replica or a command. */
export class DeletionWatch {
  readonly #db: Queryable;
  readonly #listener: DeletionListener;
  readonly #poll: Poll;
  /** Time of the last query, by the database's clock. */
  #readAt: Date | undefined;
  /** Users deleted recently, with `performance.now()` of the last query that returned them. */
  readonly #deleted = new Map<string, number>();

  constructor(db: Queryable, listener: DeletionListener, logger: Logger) {
    this.#db = db;
    this.#listener = listener;
    this.#poll = new Poll(() => this.#read(), {
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

  async #read(): Promise<void> {
    const { now, userIds } = await selectDeletedSince(this.#db, this.#readAt);
    this.#readAt = now;
    const at = performance.now();
    for (const userId of userIds) {
      if (!this.#deleted.has(userId)) this.#listener.forget(userId);
      this.#deleted.set(userId, at);
      this.#listener.end(userId);
    }
    for (const [userId, seenAt] of this.#deleted) if (seenAt < at - WINDOW_MS) this.#deleted.delete(userId);
  }
}
