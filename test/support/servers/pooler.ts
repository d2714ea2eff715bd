import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { programOf } from '../processes/debian-packages.ts';
import { Program } from '../processes/programs.ts';
import { eventually } from '../time/eventually.ts';
import { freePort } from './free-port.ts';

const CONFIGURATION = join(import.meta.dirname, '../../../deploy/pgbouncer/pgbouncer.ini');
const PASSWORD = 'through-the-pooler';

/** A real PgBouncer with the configuration of deploy/, before a database of the tests' server. */
export class Pooler {
  /** Address of the database through the pooler. */
  readonly url: string;
  readonly #folder: string;
  readonly #ini: string;
  #program: Program | undefined;

  private constructor(folder: string, port: number, direct: URL, changes: Record<string, string>) {
    this.#folder = folder;
    this.#ini = join(folder, 'pgbouncer.ini');
    const users = join(folder, 'userlist.txt');
    const through = new URL(direct);
    through.host = `127.0.0.1:${port}`;
    through.password = direct.password || PASSWORD;
    this.url = through.href;
    const settings = readFileSync(CONFIGURATION, 'utf8');
    const places: Record<string, string> = {
      'host=database port=5432': `host=${direct.hostname} port=${direct.port || 5432}`,
      'listen_addr = *': 'listen_addr = 127.0.0.1',
      'listen_port = 6432': `listen_port = ${port}`,
      'auth_file = /etc/pgbouncer/userlist.txt': `auth_file = ${users}`,
      ...changes,
    };
    writeFileSync(this.#ini, replaceEach(settings, places));
    writeFileSync(users, `"${direct.username}" "${through.password}"\n`);
    // It runs as another user.
    chmodSync(folder, 0o755);
  }

  /** @param changes of the configuration's lines, beside where it listens and what it connects to */
  static async start(databaseUrl: string, changes: Record<string, string> = {}): Promise<Pooler> {
    const folder = mkdtempSync(join(tmpdir(), 'steward-pooler-'));
    const pooler = new Pooler(folder, await freePort(), new URL(databaseUrl), changes);
    await pooler.start();
    return pooler;
  }

  async start(): Promise<void> {
    this.#program = new Program(programOf('pgbouncer'), [this.#ini], { unprivileged: true });
    await eventually(() => this.#answers());
  }

  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.#program?.stop(signal);
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #answers(): Promise<boolean> {
    if (this.#program?.running !== true) throw new Error(`PgBouncer ended: ${this.#program?.output}`);
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => {});
    await client.connect();
    await client.query('select 1');
    await client.end();
    return true;
  }
}

/** @throws when a placeholder isn't there exactly once, because the file has changed */
function replaceEach(text: string, places: Record<string, string>): string {
  return Object.entries(places).reduce((result, [from, to]) => {
    if (result.split(from).length !== 2) throw new Error(`${CONFIGURATION} has no single “${from}”`);
    return result.replace(from, () => to);
  }, text);
}
