import type pg from 'pg';

/** What is known of a connection beyond the driver's own state. */
export interface Session {
  /** Told apart from every other connection of this process. */
  number: number;
  /** The connection keeps one session of the server's, and with it its prepared statements. */
  isOwn: boolean;
}

const sessions = new WeakMap<pg.ClientBase, Session>();
let connections = 0;

/** {@link learnSession}'s answer, where it was asked before. */
export function knownSession(client: pg.ClientBase): Session | undefined {
  return sessions.get(client);
}

/**
 * Whoever gives up a statement drops its connection, which the server notices this often. It would otherwise wait on,
 * behind a lock for instance, and one session after the other with it, until the server takes no more.
 */
const LEARN = `select pg_backend_pid() as pid, set_config('client_connection_check_interval', '2s', false)`;

/**
 * Asks once per connection whether a pooler stands before the server that gives each transaction another session. A
 * statement that was prepared under a name is then missing at its next use, or the name stands for what some other
 * client prepared there. Such a pooler can't hand on the process id and key that a cancel request needs (PostgreSQL,
 * Frontend/Backend Protocol, BackendKeyData) and makes up its own: the id isn't that of the session that answers.
 *
 * @throws the driver's error
 */
export async function learnSession(client: pg.ClientBase): Promise<Session> {
  const { rows } = await client.query<{ pid: number }>(LEARN);
  connections += 1;
  const session = { number: connections, isOwn: rows[0]?.pid === announcedPid(client) };
  sessions.set(client, session);
  return session;
}

/** The driver keeps it for cancel requests; its types don't list it. */
function announcedPid(client: pg.ClientBase): number | null {
  return (client as pg.ClientBase & { processID: number | null }).processID;
}

/** A failover leaves sessions behind that take reads only, and a tool by hand (pg_dump) one that finds no table. */
const END_SPOILT = `select pg_terminate_backend(pg_backend_pid())
  where current_setting('transaction_read_only') = 'on' or current_setting('search_path') = ''`;

/**
 * To be called where a session may be of no use to anybody. A pooler would hand it out again and again, whichever of its
 * clients is thrown away: the session itself is ended.
 *
 * @returns whether it was
 */
export async function endSpoiltSession(client: pg.ClientBase): Promise<boolean> {
  try {
    await client.query('rollback');
    const { isOwn } = knownSession(client) ?? (await learnSession(client));
    if (!isOwn) await client.query(END_SPOILT);
    return false;
  } catch {
    // Ended: that is how its client hears of it.
    return true;
  }
}
