import type { Poll } from '../clock/poll.ts';
import type { Polls } from '../clock/polls.ts';
import type { Queryable } from '../database/database.ts';
import { selectLiveSessions } from './web-sessions-repository.ts';

const POLL_MS = 1_000;

/** The sockets of sessions, by the hashes of the sessions' secrets, in hex. */
export interface SessionSockets {
  readonly sessions: ReadonlySet<string>;
  sessionEnded(session: string): void;
}

/** Closes the sockets of sessions that have ended, within two seconds, wherever and for what reason they have ended. */
export function sessionWatch(db: Queryable, sockets: SessionSockets, polls: Polls): Poll {
  const check = async () => {
    const open = [...sockets.sessions];
    if (open.length === 0) return;
    const live = new Set(await selectLiveSessions(db, open));
    for (const session of open) if (!live.has(session)) sockets.sessionEnded(session);
  };
  return polls.create(check, { everyMs: POLL_MS, failure: 'sessions can’t be read; retrying every second' });
}
