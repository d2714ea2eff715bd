import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../support/servers/free-port.ts';
import { eventually } from '../../support/time/eventually.ts';
import { removeFolder } from './remove-folder.ts';
import { folderFor, postgresProgram, signalFamily, startServer, unprivileged } from './unprivileged.ts';

/** How Postgres is stopped: `fast` closes connections in order, `immediate` is like a kill. */
export type StopMode = 'fast' | 'immediate';

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;
const MAX_CONNECTIONS = 60;
/** A limit for what never happens. */
const START_MS = 180_000;

/** A Postgres for the suite alone, in a temporary folder. */
export class Cluster {
  readonly #folder = folderFor('postgres');
  #server: ChildProcess | undefined;
  port = 0;

  static async start(): Promise<Cluster> {
    const cluster = new Cluster();
    cluster.port = await freePort();
    execFileSync(postgresProgram('initdb'), ['-D', cluster.#data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
      ...unprivileged(),
      cwd: cluster.#folder,
      stdio: 'ignore',
    });
    await cluster.start();
    return cluster;
  }

  /** Ends when it answers. */
  async start(): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: this.#folder,
      max_connections: String(MAX_CONNECTIONS),
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.#server = startServer(postgresProgram('postgres'), ['-D', this.#data, ...args], this.#folder);
    await eventually(async () => (await this.sql('select 1')).length > 0, START_MS);
  }

  async stop(mode: StopMode): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    const ended = once(server, 'exit');
    server.kill(SIGNALS[mode]);
    await ended;
    this.#server = undefined;
  }

  /** Pauses it: connections are accepted by the kernel, without responses. */
  pause(): void {
    signalFamily(this.#server?.pid ?? 0, 'SIGSTOP');
  }

  resume(): void {
    signalFamily(this.#server?.pid ?? 0, 'SIGCONT');
  }

  /** As after a failover to a standby: it is read-only, also on open connections. */
  async readOnly(on: boolean): Promise<void> {
    await this.sql(on ? `alter system set default_transaction_read_only = on` : `alter system reset default_transaction_read_only`);
    await this.sql('select pg_reload_conf()');
    await eventually(async () => {
      const [row] = await this.sql<{ default_transaction_read_only: string }>('show default_transaction_read_only');
      return row?.default_transaction_read_only === (on ? 'on' : 'off');
    }, START_MS);
  }

  /** Occupies every remaining connection until the returned function is called. */
  async exhaust(): Promise<() => Promise<void>> {
    const held: pg.Client[] = [];
    for (let number = 0; number < MAX_CONNECTIONS; number += 1) {
      const client = new pg.Client({ connectionString: this.url('postgres') });
      client.on('error', () => {});
      try {
        await client.connect();
        held.push(client);
      } catch {
        break;
      }
    }
    return async () => {
      await Promise.all(held.map((client) => client.end().catch(() => {})));
    };
  }

  url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  async createDatabase(name: string): Promise<void> {
    await this.sql(`create database ${name}`);
  }

  /** SQL on a direct connection to Postgres. */
  async sql<Row extends object>(text: string, values: unknown[] = [], database = 'postgres'): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url(database), connectionTimeoutMillis: 120_000, query_timeout: 120_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  async remove(): Promise<void> {
    await this.stop('immediate');
    removeFolder(this.#folder);
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }
}
