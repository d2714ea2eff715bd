import type pg from 'pg';

/** State of a connection beside the driver's. */
interface Session {
  /** Unique in this process. */
  number: number;
  /** The connection keeps one session of the server, and with it its prepared statements. */
  isOwn: boolean;
}

const sessions = new WeakMap<pg.ClientBase, Session>();
let connections = 0;

/**
 * A client that times out drops its connection. The server checks for that at this interval; otherwise the statement
 * would keep waiting, for instance for a lock, until such sessions use up the server's connections.
 */
const LEARN = `select pg_backend_pid() as pid, set_config('client_connection_check_interval', '2s', false)`;

/**
 * Detects, once per connection, a transaction pooler in front of the server, which gives each transaction another
 * session: a prepared statement may then be missing at its next use, or be another client's. Such a pooler cannot
 * forward the process id that a cancel request needs (PostgreSQL, Frontend/Backend Protocol, BackendKeyData) and sends
 * one of its own, which differs from that of the session.
 *
 * @throws the driver's error
 */
export async function sessionOf(client: pg.ClientBase): Promise<Session> {
  const known = sessions.get(client);
  if (known !== undefined) return known;
  const { rows } = await client.query<{ pid: number }>(LEARN);
  connections += 1;
  // The driver keeps it for cancel requests; its types do not list it.
  const { processID: announcedPid } = client as pg.ClientBase & { processID: number | null };
  const session = { number: connections, isOwn: rows[0]?.pid === announcedPid };
  sessions.set(client, session);
  return session;
}

/**
 * Source of the server's warning that a commit is on its own disk, but not on a synchronous standby's, because the wait
 * for it was cancelled (PostgreSQL, Synchronous Replication). The message may be translated, this is not.
 */
const UNREPLICATED = 'SyncRepWaitForLSN';

const unreplicated = new WeakSet<pg.ClientBase>();

/** Watches a new connection for {@link hasUnreplicatedCommit}. */
export function watchReplication(client: pg.ClientBase): void {
  client.on('notice', ({ routine }) => {
    if (routine === UNREPLICATED) unreplicated.add(client);
  });
}

/** Whether the server reported success of a commit that a failover may undo. */
export function hasUnreplicatedCommit(client: pg.ClientBase): boolean {
  return unreplicated.has(client);
}

/** A failover leaves read-only sessions behind; a tool (pg_dump) leaves one with an empty search_path. */
const END_UNUSABLE = `select pg_terminate_backend(pg_backend_pid())
  where current_setting('transaction_read_only') = 'on' or current_setting('search_path') = ''`;

/**
 * Ends the server's session if it is unusable. A pooler would otherwise give it to the next client, because discarding
 * a client's connection does not end the session.
 *
 * @returns whether the session was ended
 */
export async function endUnusableSession(client: pg.ClientBase): Promise<boolean> {
  try {
    await client.query('rollback');
    const { isOwn } = await sessionOf(client);
    if (!isOwn) await client.query(END_UNUSABLE);
    return false;
  } catch {
    // The statement of an ended session fails.
    return true;
  }
}
