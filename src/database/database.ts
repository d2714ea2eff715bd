import pg from 'pg';
import { AppError } from '../errors.ts';
import { detached } from '../observability/log-context.ts';
import type { Logger } from '../observability/logger.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import { endSpoiltSession, knownSession, learnSession } from './pg-session.ts';
import { Turns } from './turns.ts';

/** A named statement; it is parsed once per connection, unless a pooler shares the server's sessions out by the transaction. */
export interface Statement {
  name: string;
  text: string;
  /** Milliseconds, where it is to give up earlier than others. */
  query_timeout?: number;
}

/** What repositories take: the pool, or one client inside a transaction. */
export interface Queryable {
  /**
   * @param statement SQL, or a named statement
   * @throws AppError `unavailable` when the database can't be reached; the driver's error otherwise
   */
  query<Row extends object>(statement: string | Statement, values?: unknown[]): Promise<Row[]>;
}

export interface DatabaseAddress {
  /** postgres:// address, or the folder of the embedded database's socket. */
  connectionString?: string;
  host?: string;
  port?: number;
  user?: string;
  password?: string;
  database?: string;
  /** Longest wait for a free connection, milliseconds. */
  connectionTimeoutMillis?: number;
}

const CONNECT_MS = 3_000;
const QUEUE_STATEMENT_MS = 60_000;
const IDLE_MS = 30_000;
const RETRY_AFTER_SECONDS = 5;
/**
 * The server's own limits, for this transaction alone: a pooler gives the session to somebody else after it. Whoever
 * vanishes in the middle (a frozen process, a dead network) would otherwise keep the rows locked for everybody.
 */
function beginWithin({ statementMs, idleMs }: Patience): string {
  return `begin; set local statement_timeout = ${statementMs + 1_000}; set local idle_in_transaction_session_timeout = ${idleMs}`;
}

/** How long the database is waited for. */
export interface Patience {
  /** For one statement, milliseconds. */
  statementMs: number;
  /** For the next statement of a transaction, milliseconds. */
  idleMs: number;
}

/** A request's: its caller waits, and others for what it holds. */
const REQUEST_PATIENCE: Patience = { statementMs: 5_000, idleMs: 10_000 };
/** A command's: it reads and writes whole tables, and its disk may be slow. */
export const COMMAND_PATIENCE: Patience = { statementMs: 120_000, idleMs: 300_000 };

/**
 * The one pool. A transaction is `transaction(async (tx) => …)`; whatever else
 * is known of a connection (failed over, timed out) is decided here.
 */
export class Database implements Queryable {
  readonly #pool: pg.Pool;
  readonly #turns = new Turns();
  readonly #begin: string;
  /** When a statement last met a full disk, milliseconds of the process's clock. */
  #fullAt = Number.NEGATIVE_INFINITY;
  #measure: Telemetry['statement'];

  constructor(address: DatabaseAddress, connections: number, logger: Logger, patience = REQUEST_PATIENCE) {
    this.#begin = beginWithin(patience);
    this.#pool = new pg.Pool({
      connectionTimeoutMillis: CONNECT_MS,
      ...address,
      max: connections,
      query_timeout: patience.statementMs,
      idleTimeoutMillis: IDLE_MS,
      application_name: 'steward',
    });
    // Without a listener an idle connection that breaks (a restart of the database) would end the process.
    this.#pool.on('error', (error) => logger.warn({ err: error }, 'an idle database connection broke'));
    // The same for one in use: its query fails by itself, and between two statements of a transaction nobody listens.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /**
   * Opens the first connection.
   *
   * @throws AppError `unavailable`
   */
  async reach(): Promise<void> {
    const client = await this.#connect();
    // The first thing to be known of a connection anyway.
    await guarded(
      client,
      () => learnSession(client),
      (broken) => client.release(broken),
    );
  }

  /** Connections now, and what waits for one. */
  get load(): { total: number; idle: number; waiting: number; max: number } {
    const { totalCount: total, idleCount: idle, waitingCount: waiting, options } = this.#pool;
    return { total, idle, waiting, max: options.max };
  }

  /** Whether a statement has met a full disk in the last few seconds. */
  get isFull(): boolean {
    return performance.now() - this.#fullAt < FULL_MS;
  }

  /** Lets every statement from now on be measured. */
  observe({ statement }: Telemetry): void {
    this.#measure = statement;
  }

  async query<Row extends object>(statement: string | Statement, values: unknown[] = []): Promise<Row[]> {
    const client = await this.#connect();
    return this.#run<Row>(client, statement, values, (broken) => client.release(broken));
  }

  /**
   * Runs `work` between BEGIN and COMMIT; any throw rolls back. A connection
   * lost during COMMIT leaves the outcome unknown: callers re-read by key.
   *
   * @param userId whose row it locks. It takes a connection only when no other transaction of this user here has one:
   * they would all wait for the same lock, and nobody else would find a connection
   */
  transaction<Result>(work: (tx: Queryable) => Promise<Result>, userId?: string): Promise<Result> {
    return userId === undefined ? this.#transaction(work) : this.#turns.run(userId, () => this.#transaction(work));
  }

  async #transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    const client = await this.#connect();
    let broken = false;
    const tx: Queryable = {
      query: <Row extends object>(statement: string | Statement, values: unknown[] = []) =>
        this.#run<Row>(client, statement, values, (failed) => {
          broken ||= failed;
        }),
    };
    let result: Result;
    try {
      await tx.query(this.#begin);
      result = await work(tx);
      await tx.query('commit');
    } catch (error) {
      if (!broken) await tx.query('rollback').catch(() => {});
      throw error;
    } finally {
      client.release(broken);
    }
    for (const hook of commitHooks.get(tx) ?? []) await hook();
    return result;
  }

  /** For pg-boss, which sends several statements in one go (its own migrations among them) and reads the driver's answer. */
  async executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    // The driver reads this option per query; its types don't list it.
    const query: pg.QueryConfig & { query_timeout: number } = { text, ...(values && { values }), query_timeout: QUEUE_STATEMENT_MS };
    return this.#pool.query(query).catch((error: unknown) => this.#failed(error));
  }

  /** Waits for queries under way, then closes every connection. */
  async close(): Promise<void> {
    await this.#pool.end();
  }

  #run<Row extends object>(
    client: pg.PoolClient,
    statement: string | Statement,
    values: unknown[],
    done: (broken: boolean) => void,
  ): Promise<Row[]> {
    const work = () => run<Row>(client, statement, values, done).catch((error: unknown) => this.#failed(error));
    return this.#measure === undefined ? work() : this.#measure(typeof statement === 'string' ? statement : statement.name, work);
  }

  #failed(error: unknown): never {
    const cause = error instanceof AppError ? error.cause : error;
    if (sqlState(cause) === DISK_FULL) this.#fullAt = performance.now();
    throw error;
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      // A connection outlives whoever opened it.
      return await detached(() => this.#pool.connect());
    } catch (error) {
      throw unavailable(error);
    }
  }
}

type CommitHook = () => void | Promise<void>;
const commitHooks = new WeakMap<Queryable, CommitHook[]>();

/**
 * Runs `hook`, which must not throw, once the transaction is committed and its connection given back, and never when it
 * rolls back; outside of one at once. Whoever waits for the transaction waits for it, too.
 */
export function afterCommit(tx: Queryable, hook: CommitHook): void {
  if (tx instanceof Database) void hook();
  else commitHooks.set(tx, [...(commitHooks.get(tx) ?? []), hook]);
}

function run<Row extends object>(
  client: pg.PoolClient,
  statement: string | Statement,
  values: unknown[],
  done: (broken: boolean) => void,
): Promise<Row[]> {
  const work = async () => {
    const config = typeof statement === 'string' ? { text: statement, values } : await named(client, statement, values);
    return (await client.query<Row>(config)).rows;
  };
  return guarded(client, work, done);
}

async function guarded<Result>(client: pg.PoolClient, work: () => Promise<Result>, done: (broken: boolean) => void): Promise<Result> {
  try {
    const result = await work();
    done(false);
    return result;
  } catch (error) {
    const isSpoilt = SPOILT.has(sqlState(error)) && (await endSpoiltSession(client));
    const lost = isSpoilt || isConnectionLost(error);
    done(lost);
    if (lost) throw unavailable(error);
    throw isUserGone(error) ? new AppError('invalid_token', 'This user no longer exists.', { cause: error }) : error;
  }
}

async function named(client: pg.PoolClient, { name, ...query }: Statement, values: unknown[]): Promise<pg.QueryConfig> {
  const { isOwn, number } = knownSession(client) ?? (await learnSession(client));
  // The embedded database has one session: a connection that replaces a broken one finds the plain names taken.
  return isOwn ? { ...query, values, name: `${name}-${number}` } : { ...query, values };
}

/** What statements meet on a session of no use: 25006 it takes reads only, 42P01 and 3F000 it finds no table and no schema. */
const SPOILT = new Set(['25006', '42P01', '3F000']);
/**
 * SQLSTATE classes after which a connection is no good any more: 08 connection, 53 out of disk, memory or connections,
 * 58 files that can't be read or written, 57P shutdown, 57014 and 25P03 the server's time-outs, 25006 failed over to
 * read-only.
 */
const LOST = /^(08|53|58|57P0|57014|25006|25P03)/;
/** Of these, the disk. */
const DISK_FULL = '53100';
/** Some statements find room on a full disk: so long after one that didn't, it counts as full. */
const FULL_MS = 10_000;
const LOST_SOCKET = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH']);

function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (LOST.test(code) || LOST_SOCKET.has(code)) return true;
  // pg gives these no code (lib/client.js): a broken socket, and its own query time-out.
  return /^(Connection terminated|Client has encountered a connection error|Query read timeout|Client was closed)/.test(error.message);
}

function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', 'The database can’t be reached at the moment.', { cause, retryAfter: RETRY_AFTER_SECONDS });
}

/** A token remembered on one replica may outlive its user, deleted on another, by up to a minute. */
function isUserGone(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503' && error.constraint?.endsWith('_user_id_fkey') === true;
}

/** SQLSTATE of a driver error, '' for anything else. */
export function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}
