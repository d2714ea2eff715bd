import pg from 'pg';
import { type Clock, systemClock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import { detached } from '../observability/log-context.ts';
import type { Logger } from '../observability/logger.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import {
  databaseContended,
  databaseUnavailable,
  isConnectionLost,
  isContended,
  isDiskFull,
  isUserDeleted,
  mayBeUnusableSession,
  UnreplicatedCommit,
  userDeleted,
} from './database-errors.ts';
import { endUnusableSession, hasUnreplicatedCommit, sessionOf, watchReplication } from './pg-session.ts';
import { UserQueues } from './user-queues.ts';

/** A named statement. It is prepared once per connection, unless a transaction pooler is in front of the server. */
export interface Statement {
  name: string;
  text: string;
  /** Milliseconds; the database's default if unset. */
  query_timeout?: number;
}

/** What repositories receive: the pool, or a transaction. */
export interface Queryable {
  /**
   * @param statement SQL, or a named statement
   * @throws AppError `unavailable` when the database can't be reached, or other transactions are in the way; the driver's
   * error otherwise
   */
  query<Row extends object>(statement: string | Statement, values?: unknown[]): Promise<Row[]>;
}

/**
 * A postgres:// address; or, for the embedded database, the folder of its socket as `host`, of its files as `folder`, and the
 * longest wait for a free connection.
 */
export type DatabaseAddress = Pick<
  pg.PoolConfig,
  'connectionString' | 'host' | 'port' | 'user' | 'database' | 'connectionTimeoutMillis'
> & { password?: string; folder?: string };

const QUEUE_STATEMENT_MS = 60_000;
const IDLE_MS = 30_000;
/** A statement may succeed on a full disk. For this long after one that failed, the disk counts as full. */
const FULL_MS = 10_000;

/** Time-outs of statements and transactions. */
export interface DatabaseTimeouts {
  /** For a free connection, milliseconds. */
  connectMs: number;
  /** For one statement, milliseconds. */
  statementMs: number;
  /** For the next statement of a transaction, milliseconds. */
  idleMs: number;
}

export interface DatabaseOptions {
  /** Those of requests if unset. */
  timeouts?: DatabaseTimeouts;
  /** This machine's if unset. */
  clock?: Clock;
}

/** For requests: the caller waits, and other requests wait for the locks it holds. */
export const REQUEST_TIMEOUTS: DatabaseTimeouts = { connectMs: 3_000, statementMs: 5_000, idleMs: 10_000 };
/** For operator commands, which read and write whole tables. */
export const COMMAND_TIMEOUTS: DatabaseTimeouts = { connectMs: 3_000, statementMs: 120_000, idleMs: 300_000 };

/** The one connection pool. A transaction is `transaction(async (tx) => …)`. Connections that broke are discarded here. */
export class Database implements Queryable {
  /** Dates what is read and written beside statements. The server dates rows by a clock of its own. */
  readonly clock: Clock;
  readonly #pool: pg.Pool;
  readonly #queues: UserQueues;
  readonly #begin: string;
  /** When each of those that wait for a connection began to, in order. */
  readonly #connecting = new Set<{ since: number }>();
  /** When a statement last failed because of a full disk, milliseconds of the process's clock. */
  #fullAt = Number.NEGATIVE_INFINITY;
  /** Connections that are discarded when they are released. */
  readonly #broken = new WeakSet<pg.PoolClient>();
  #measure: Telemetry['statement'];

  constructor(
    address: DatabaseAddress,
    connections: number,
    logger: Logger,
    { timeouts = REQUEST_TIMEOUTS, clock = systemClock }: DatabaseOptions = {},
  ) {
    this.clock = clock;
    this.#queues = new UserQueues(clock, timeouts.statementMs);
    // The server's own time-outs release the locks of a process that froze or lost its network. They are set for the
    // transaction only, because a pooler gives the session to another client afterwards.
    this.#begin = `begin; set local statement_timeout = ${timeouts.statementMs + 1_000}; set local idle_in_transaction_session_timeout = ${timeouts.idleMs}`;
    this.#pool = new pg.Pool({
      connectionTimeoutMillis: timeouts.connectMs,
      ...address,
      max: connections,
      query_timeout: timeouts.statementMs,
      idleTimeoutMillis: IDLE_MS,
      application_name: 'steward',
    });
    // Without a listener, an idle connection that breaks (a restart of the database) would end the process.
    this.#pool.on('error', (error) => logger.warn({ err: error }, 'an idle database connection was lost'));
    // The same for a connection in use, whose query fails by itself, between two statements of a transaction.
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      watchReplication(client);
    });
  }

  /** Open connections, and requests that wait for one. */
  get load(): { total: number; idle: number; waiting: number; max: number } {
    const { totalCount: total, idleCount: idle, waitingCount: waiting, options } = this.#pool;
    return { total, idle, waiting, max: options.max };
  }

  /** How long the first of those has waited that wait for a connection, milliseconds. */
  get queueMs(): number {
    const [first] = this.#connecting;
    return first === undefined ? 0 : this.clock.monotonic() - first.since;
  }

  /** Whether a statement failed because of a full disk in the last few seconds. */
  get isFull(): boolean {
    return this.clock.monotonic() - this.#fullAt < FULL_MS;
  }

  /** Measures all statements from now on. */
  observe({ statement }: Telemetry): void {
    this.#measure = statement;
  }

  async query<Row extends object>(statement: string | Statement, values: unknown[] = []): Promise<Row[]> {
    const client = await this.#connect();
    try {
      return await this.#run<Row>(client, statement, values);
    } finally {
      this.#release(client);
    }
  }

  /**
   * Runs `work` between BEGIN and COMMIT; any throw rolls back. If the connection is lost during COMMIT, or its wait for a
   * synchronous standby is cancelled, the result is unknown: callers read again by key.
   *
   * @param userId the user whose row the work locks. Such transactions of one user run one after the other in this
   * process: waiting for the same lock, they would take all connections
   */
  transaction<Result>(work: (tx: Queryable) => Promise<Result>, userId?: string): Promise<Result> {
    return userId === undefined ? this.#transaction(work) : this.#queues.run(userId, () => this.#transaction(work));
  }

  /** Runs `work` in a read-only transaction that sees the database as of one moment. */
  snapshot<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    return this.#transaction(async (tx) => {
      await tx.query('set transaction isolation level repeatable read, read only');
      return work(tx);
    });
  }

  async #transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    const client = await this.#connect();
    const tx = new Transaction((statement, values = []) => this.#run(client, statement, values));
    let result: Result;
    try {
      await tx.query(this.#begin);
      result = await work(tx);
      await tx.query('commit');
    } catch (error) {
      if (!this.#broken.has(client)) await tx.query('rollback').catch(() => {});
      throw error;
    } finally {
      this.#release(client);
    }
    for (const hook of tx.commitHooks) await hook();
    return result;
  }

  /** For pg-boss, which sends several statements at once (its own migrations among them) and reads the driver's result. */
  async executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    // The driver reads this option per query; its types don't list it.
    const query: pg.QueryConfig & { query_timeout: number } = { text, ...(values && { values }), query_timeout: QUEUE_STATEMENT_MS };
    return this.#pool.query(query).catch((error: unknown) => this.#failed(error));
  }

  /** Waits for running queries, then closes every connection. */
  async close(): Promise<void> {
    await this.#pool.end();
  }

  #run<Row extends object>(client: pg.PoolClient, statement: string | Statement, values: unknown[]): Promise<Row[]> {
    const query = async () => {
      const config = typeof statement === 'string' ? { text: statement, values } : await named(client, statement, values);
      return (await client.query<Row>(config)).rows;
    };
    const work = () => this.#execute(client, query).catch((error: unknown) => this.#failed(error));
    return this.#measure === undefined ? work() : this.#measure(typeof statement === 'string' ? statement : statement.name, work);
  }

  async #execute<Result>(client: pg.PoolClient, work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      if (hasUnreplicatedCommit(client)) throw new UnreplicatedCommit('the wait for the synchronous standby was cancelled');
      return result;
    } catch (error) {
      const isSessionEnded = mayBeUnusableSession(error) && (await endUnusableSession(client));
      if (isSessionEnded || isConnectionLost(error)) {
        this.#broken.add(client);
        throw databaseUnavailable(error);
      }
      if (isContended(error)) throw databaseContended(error);
      throw isUserDeleted(error) ? userDeleted(error) : error;
    }
  }

  #release(client: pg.PoolClient): void {
    client.release(this.#broken.has(client));
  }

  #failed(error: unknown): never {
    const cause = error instanceof AppError ? error.cause : error;
    if (isDiskFull(cause)) this.#fullAt = this.clock.monotonic();
    throw error;
  }

  async #connect(): Promise<pg.PoolClient> {
    const waiting = { since: this.clock.monotonic() };
    this.#connecting.add(waiting);
    try {
      // A connection outlives the request that opened it.
      return await detached(() => this.#pool.connect());
    } catch (error) {
      throw databaseUnavailable(error);
    } finally {
      this.#connecting.delete(waiting);
    }
  }
}

type CommitHook = () => void | Promise<void>;

class Transaction implements Queryable {
  readonly query: Queryable['query'];
  readonly commitHooks: CommitHook[] = [];

  constructor(query: Queryable['query']) {
    this.query = query;
  }
}

/**
 * Runs `hook`, which must not throw, once the transaction is committed and its connection released, and never when it
 * rolls back. The transaction's caller waits for the hook, too. Outside a transaction, it runs immediately.
 */
export function afterCommit(tx: Queryable, hook: CommitHook): void {
  if (tx instanceof Transaction) tx.commitHooks.push(hook);
  else void hook();
}

async function named(client: pg.PoolClient, { name, ...query }: Statement, values: unknown[]): Promise<pg.QueryConfig> {
  const { isOwn, number } = await sessionOf(client);
  // The embedded database has one session: a connection that replaces a broken one would find the plain names in use.
  return isOwn ? { ...query, values, name: `${name}-${number}` } : { ...query, values };
}
