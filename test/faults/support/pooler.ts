import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { programOf } from '../../support/processes/debian-packages.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { eventually } from '../../support/time/eventually.ts';
import { removeFolder } from './remove-folder.ts';
import { folderFor, startServer } from './unprivileged.ts';

/** A limit for what never happens. */
const START_MS = 60_000;

/** A pgbouncer for the suite, in transaction mode. */
export class Pooler {
  readonly #folder = folderFor('pgbouncer');
  #process: ChildProcess | undefined;
  port = 0;

  static async start(postgresPort: number): Promise<Pooler> {
    const pooler = new Pooler();
    pooler.port = await freePort();
    const settings = [
      '[databases]',
      `* = host=127.0.0.1 port=${postgresPort} user=postgres`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${pooler.port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'admin_users = postgres',
      'pool_mode = transaction',
      'default_pool_size = 8',
      'max_client_conn = 200',
      // An unavailable server is retried soon, and clients get an error.
      'server_login_retry = 1',
      'query_wait_timeout = 10',
      `logfile = ${join(pooler.#folder, 'log')}`,
    ];
    writeFileSync(pooler.#ini, `${settings.join('\n')}\n`, { mode: 0o644 });
    await pooler.start();
    return pooler;
  }

  async start(): Promise<void> {
    this.#process = startServer(programOf('pgbouncer'), [this.#ini], this.#folder);
    await eventually(() => this.command('show version').then(() => true), START_MS);
  }

  /** Immediately, also with requests in progress. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const running = this.#process;
    if (running === undefined) return;
    const ended = once(running, 'exit');
    running.kill(signal);
    await ended;
    this.#process = undefined;
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal);
  }

  /** A command of its console, such as PAUSE. */
  async command(text: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.url('pgbouncer'), connectionTimeoutMillis: 3_000, query_timeout: 15_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  }

  url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  async remove(): Promise<void> {
    await this.stop();
    removeFolder(this.#folder);
  }

  get #ini(): string {
    return join(this.#folder, 'pgbouncer.ini');
  }
}
