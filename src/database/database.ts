import pg from 'pg';
import { AppError } from '../errors.ts';
import type { Logger } from '../logger.ts';

/** A named statement; it is parsed once per connection. */
export interface Statement {
  name: string;
  text: string;
  /** Milliseconds, where it is to give up earlier than others. */
  query_timeout?: number;
}

/** What repositories take: the pool, or one client inside a transaction. */
export interface Queryable {
  /**
   * @param statement SQL, or a named statement that is parsed once per connection
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
const STATEMENT_MS = 5_000;
const QUEUE_STATEMENT_MS = 60_000;
const IDLE_MS = 30_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * The one pool. A transaction is `transaction(async (tx) => …)`; whatever else
 * is known of a connection (failed over, timed out) is decided here.
 */
export class Database implements Queryable {
  readonly #pool: pg.Pool;

  constructor(address: DatabaseAddress, connections: number, logger: Logger) {
    this.#pool = new pg.Pool({
      connectionTimeoutMillis: CONNECT_MS,
      ...address,
      max: connections,
      query_timeout: STATEMENT_MS,
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
    await this.query('select 1');
  }

  async query<Row extends object>(statement: string | Statement, values: unknown[] = []): Promise<Row[]> {
    const client = await this.#connect();
    return run<Row>(client, statement, values, (broken) => client.release(broken));
  }

  /**
   * Runs `work` between BEGIN and COMMIT; any throw rolls back. A connection
   * lost during COMMIT leaves the outcome unknown: callers re-read by key.
   */
  async transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    const client = await this.#connect();
    let broken = false;
    const tx: Queryable = {
      query: <Row extends object>(statement: string | Statement, values: unknown[] = []) =>
        run<Row>(client, statement, values, (failed) => {
          broken ||= failed;
        }),
    };
    try {
      await tx.query('begin');
      const result = await work(tx);
      await tx.query('commit');
      for (const hook of commitHooks.get(tx) ?? []) hook();
      return result;
    } catch (error) {
      if (!broken) await tx.query('rollback').catch(() => {});
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** For pg-boss, which sends several statements in one go (its own migrations among them) and reads the driver's answer. */
  async executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    // The driver reads this option per query; its types don't list it.
    const query: pg.QueryConfig & { query_timeout: number } = { text, ...(values && { values }), query_timeout: QUEUE_STATEMENT_MS };
    return this.#pool.query(query);
  }

  /** Waits for queries under way, then closes every connection. */
  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw unavailable(error);
    }
  }
}

const commitHooks = new WeakMap<Queryable, (() => void)[]>();

/** Runs `hook`, which must not throw, once the transaction is committed, and never when it rolls back; outside of one at once. */
export function afterCommit(tx: Queryable, hook: () => void): void {
  if (tx instanceof Database) hook();
  else commitHooks.set(tx, [...(commitHooks.get(tx) ?? []), hook]);
}

async function run<Row extends object>(
  client: pg.PoolClient,
  statement: string | Statement,
  values: unknown[],
  done: (broken: boolean) => void,
): Promise<Row[]> {
  const config =
    typeof statement === 'string' ? { text: statement, values } : { ...statement, name: `${statement.name}-${numberOf(client)}`, values };
  try {
    const { rows } = await client.query<Row>(config);
    done(false);
    return rows;
  } catch (error) {
    const lost = isConnectionLost(error);
    done(lost);
    if (lost) throw unavailable(error);
    throw isUserGone(error) ? new AppError('invalid_token', 'This user no longer exists.', { cause: error }) : error;
  }
}

const numbers = new WeakMap<pg.PoolClient, number>();
let connections = 0;

/** The embedded database has one session: a connection that replaces a broken one finds the names of its prepared statements taken. */
function numberOf(client: pg.PoolClient): number {
  const known = numbers.get(client);
  if (known !== undefined) return known;
  connections += 1;
  numbers.set(client, connections);
  return connections;
}

/** SQLSTATE classes after which a connection is no good any more: 08 connection, 57P shutdown, 25006 failed over to read-only. */
const LOST = /^(08|57P0|25006|53300)/;
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
