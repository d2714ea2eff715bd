import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, closeSync, copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { programOf } from '../../support/processes/debian-packages.ts';
import { Program } from '../../support/processes/programs.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { eventually } from '../../support/time/eventually.ts';
import { NodeNetwork } from './node-network.ts';
import { removeFolder } from './remove-folder.ts';
import { folderFor, signalFamily, unprivileged } from './unprivileged.ts';

const DEPLOY = join(import.meta.dirname, '../../../deploy');
const NODES = 3;
const STEWARD_PASSWORD = 'through-the-balancer';
/** Limits for what never happens. */
const START_MS = 180_000;
const HEALTHY_MS = 120_000;

interface Member {
  name: string;
  role: string;
  state: string;
  lag?: number | string;
}

interface Node {
  number: number;
  folder: string;
  etcd: ChildProcess | undefined;
  patroni: ChildProcess | undefined;
}

/**
 * Three nodes, each with etcd, Patroni and Postgres in a network namespace of its own, and HAProxy in front of them: the
 * files of deploy/ and Debian's packages.
 */
export class PatroniCluster {
  readonly #network = new NodeNetwork(NODES);
  readonly #folder = folderFor('patroni');
  readonly #nodes: Node[] = [];
  #balancer: Program | undefined;
  port = 0;

  static async start(): Promise<PatroniCluster> {
    const cluster = new PatroniCluster();
    cluster.port = await freePort();
    process.once('exit', () => cluster.#killAll());
    cluster.#configure();
    for (let number = 0; number < NODES; number += 1) cluster.#prepareNode(number);
    for (const node of cluster.#nodes) cluster.#startEtcd(node);
    for (const node of cluster.#nodes) cluster.#startPatroni(node);
    cluster.#startBalancer();
    await eventually(async () => (await cluster.sql('select 1')).length > 0, START_MS).catch((error: Error) => {
      throw new Error(`${error.message}\n${cluster.logs()}`);
    });
    await cluster.untilHealthy();
    return cluster;
  }

  /** Whether a node can be cut off from the network here. */
  get canCut(): boolean {
    return this.#network.canCut;
  }

  /** Of the database that the cluster was created with, as Steward reaches it. */
  url(database = 'steward'): string {
    return `postgres://steward:${STEWARD_PASSWORD}@127.0.0.1:${this.port}/${database}`;
  }

  /** The only database exists already. */
  async createDatabase(): Promise<void> {}

  async sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url(), connectionTimeoutMillis: 10_000, query_timeout: 60_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Waits until there is one primary with two standbys that follow it, one of them synchronously. @returns milliseconds */
  async untilHealthy(): Promise<number> {
    const startedAt = performance.now();
    await eventually(async () => {
      const members = await this.members();
      const roles = members.map(({ role }) => role).sort();
      const follow = members.every(({ role, state, lag }) => role === 'leader' || (lag === 0 && ['streaming', 'running'].includes(state)));
      return roles.join() === 'leader,replica,sync_standby' && follow;
    }, HEALTHY_MS).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.logs()}`);
    });
    return performance.now() - startedAt;
  }

  /** The primary's number, from 0. */
  async primary(): Promise<number> {
    const leader = (await this.members()).find(({ role }) => role === 'leader');
    if (leader === undefined) throw new Error('there is no primary');
    return Number(leader.name.at(-1)) - 1;
  }

  /** As the first node that responds sees them. */
  async members(): Promise<Member[]> {
    return Promise.any(
      this.#nodes.map(async ({ number }) => {
        const response = await fetch(`http://${this.#network.address(number)}:8008/cluster`, { signal: AbortSignal.timeout(3_000) });
        return ((await response.json()) as { members: Member[] }).members;
      }),
    );
  }

  /** Kills Patroni and Postgres of a node, as a loss of power does; etcd continues. */
  kill(number: number): void {
    const { patroni, folder } = this.#node(number);
    patroni?.kill('SIGKILL');
    signalFamily(postmaster(folder), 'SIGKILL');
  }

  /** Starts Patroni of a node again, which starts Postgres. */
  restart(number: number): void {
    this.#startPatroni(this.#node(number));
  }

  pause(number: number): void {
    this.#signal(number, 'SIGSTOP');
  }

  resume(number: number): void {
    this.#signal(number, 'SIGCONT');
  }

  cut(number: number): void {
    this.#network.cut(number);
  }

  join(number: number): void {
    this.#network.join(number);
  }

  /** A planned change of the primary, to the synchronous standby. */
  async switchOver(number: number): Promise<void> {
    const candidate = (await this.members()).find(({ role }) => role === 'sync_standby');
    const response = await fetch(`http://${this.#network.address(number)}:8008/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: `node-${number + 1}`, candidate: candidate?.name }),
      signal: AbortSignal.timeout(60_000),
    });
    if (response.status !== 200) throw new Error(`the switchover was answered ${response.status}: ${await response.text()}`);
  }

  /** The last lines of every log. */
  logs(lines = 15): string {
    return this.#nodes
      .flatMap(({ folder }) => ['etcd.log', 'patroni.log'].map((name) => join(folder, name)))
      .map((file) => `${file}\n${readFileSync(file, 'utf8').split('\n').slice(-lines).join('\n')}`)
      .join('\n');
  }

  async remove(): Promise<void> {
    await this.#balancer?.stop();
    this.#killAll();
    this.#network.remove();
    removeFolder(this.#folder);
  }

  #node(number: number): Node {
    const node = this.#nodes[number];
    if (node === undefined) throw new Error(`there is no node ${number}`);
    return node;
  }

  #configure(): void {
    const text = readFileSync(join(DEPLOY, 'patroni/patroni.yml'), 'utf8');
    const script = '/etc/patroni/post-bootstrap.sh';
    if (text.split(script).length !== 2) throw new Error(`patroni.yml has no single “${script}”`);
    writeFileSync(join(this.#folder, 'patroni.yml'), text.replace(script, join(this.#folder, 'post-bootstrap.sh')));
    copyFileSync(join(DEPLOY, 'patroni/post-bootstrap.sh'), join(this.#folder, 'post-bootstrap.sh'));
    chmodSync(join(this.#folder, 'post-bootstrap.sh'), 0o755);
  }

  #prepareNode(number: number): void {
    const folder = join(this.#folder, `node-${number + 1}`);
    mkdirSync(folder);
    execFileSync('chown', ['--reference', this.#folder, folder]);
    this.#nodes.push({ number, folder, etcd: undefined, patroni: undefined });
  }

  #startEtcd(node: Node): void {
    const peer = (number: number) => `http://${this.#network.address(number)}:2380`;
    const client = `http://${this.#network.address(node.number)}:2379`;
    const settings = {
      name: `node-${node.number + 1}`,
      'data-dir': join(node.folder, 'etcd'),
      'listen-peer-urls': peer(node.number),
      'initial-advertise-peer-urls': peer(node.number),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'initial-cluster': this.#nodes.map(({ number }) => `node-${number + 1}=${peer(number)}`).join(),
      'enable-v2': 'true',
      'heartbeat-interval': '200',
      'election-timeout': '1500',
    };
    node.etcd = this.#run(
      node,
      programOf('etcd-server'),
      Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
      'etcd.log',
    );
  }

  #startPatroni(node: Node): void {
    const address = this.#network.address(node.number);
    node.patroni = this.#run(node, programOf('patroni'), [join(this.#folder, 'patroni.yml')], 'patroni.log', {
      PATRONI_NAME: `node-${node.number + 1}`,
      PATRONI_ETCD_HOSTS: this.#nodes.map(({ number }) => `${this.#network.address(number)}:2379`).join(),
      PATRONI_RESTAPI_LISTEN: `${address}:8008`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `${address}:8008`,
      PATRONI_POSTGRESQL_LISTEN: `${address}:5432`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${address}:5432`,
      PATRONI_POSTGRESQL_DATA_DIR: join(node.folder, 'data'),
      PATRONI_POSTGRESQL_PGPASS: join(node.folder, 'pgpass'),
      PATRONI_SUPERUSER_PASSWORD: 'of-the-superuser',
      PATRONI_REPLICATION_PASSWORD: 'of-the-replicator',
      STEWARD_PASSWORD,
    });
  }

  #startBalancer(): void {
    this.#balancer = new Program(programOf('haproxy'), ['-db', '-f', join(DEPLOY, 'haproxy/postgres.cfg')], {
      env: {
        DATABASE_ADDRESS: `127.0.0.1:${this.port}`,
        ...Object.fromEntries(this.#nodes.map(({ number }) => [`NODE_${number + 1}`, `${this.#network.address(number)}:5432`])),
      },
    });
  }

  #run({ number, folder }: Node, program: string, args: string[], log: string, env: Record<string, string> = {}): ChildProcess {
    const [command, all] = this.#network.command(number, program, args);
    const user = this.#network.canCut ? {} : unprivileged();
    const output = openSync(join(folder, log), 'a');
    const child = spawn(command, all, {
      ...user,
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', ...env },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    return child;
  }

  #signal(number: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    const { patroni, folder } = this.#node(number);
    patroni?.kill(signal);
    signalFamily(postmaster(folder), signal);
  }

  #killAll(): void {
    for (const { etcd, patroni, folder } of this.#nodes) {
      patroni?.kill('SIGKILL');
      etcd?.kill('SIGKILL');
      const pid = postmaster(folder);
      if (pid > 0) signalFamily(pid, 'SIGKILL');
    }
  }
}

/** The process id of a node's Postgres; 0 if it does not run. */
function postmaster(folder: string): number {
  try {
    const pid = Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n', 1)[0]);
    // Not that of another process, after a crash.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder) ? pid : 0;
  } catch {
    return 0;
  }
}
