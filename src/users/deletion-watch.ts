import type { Poll } from '../clock/poll.ts';
import type { Polls } from '../clock/polls.ts';
import type { Queryable } from '../database/database.ts';
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
export function deletionWatch(db: Queryable, listener: DeletionListener, polls: Polls): Poll {
  /** Time of the last query, by the database's clock. */
  let readAt: Date | undefined;
  /** Users deleted recently, with the monotonic time of the last query that returned them. */
  const deleted = new Map<string, number>();
  const read = async () => {
    const { now, userIds } = await selectDeletedSince(db, readAt);
    readAt = now;
    const at = polls.clock.monotonic();
    for (const userId of userIds) {
      if (!deleted.has(userId)) listener.forget(userId);
      deleted.set(userId, at);
      listener.end(userId);
    }
    for (const [userId, seenAt] of deleted) if (seenAt < at - WINDOW_MS) deleted.delete(userId);
  };
  return polls.create(read, { everyMs: POLL_MS, failure: 'deletions can’t be read; retrying every second' });
}
