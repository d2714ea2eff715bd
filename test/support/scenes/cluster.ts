import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmptyPostgresDatabase, type PostgresDatabase } from '../database/postgres.ts';
import { WorkspaceEmulator } from '../emulators/workspace-emulator.ts';
import { startProcess, type TestProcess } from '../processes/process.ts';
import { Balancer } from '../servers/balancer.ts';
import { freePort } from '../servers/free-port.ts';
import { startIssuer, type TestIssuer } from '../servers/issuer.ts';
import { Pooler } from '../servers/pooler.ts';
import { type Service, serviceAt } from '../steward.ts';
import { eventually } from '../time/eventually.ts';
import { type ConnectedGrant, connectGrant } from '../users/refreshing.ts';

export const REPLICAS = 3;

/** Three production processes, with PgBouncer and HAProxy configured as in deploy/, on loopback; issuer and provider are emulated. */
export class Cluster {
  /** The service as its users reach it. */
  service!: Service;
  readonly replicas: TestProcess[] = [];
  readonly issuer: TestIssuer;
  readonly provider: WorkspaceEmulator;
  readonly database: PostgresDatabase;
  readonly pooler: Pooler;
  readonly balancer: Balancer;
  readonly #folder = mkdtempSync(join(tmpdir(), 'steward-cluster-'));
  readonly #ports: number[] = [];

  private constructor(issuer: TestIssuer, provider: WorkspaceEmulator, database: PostgresDatabase, pooler: Pooler, balancer: Balancer) {
    this.issuer = issuer;
    this.provider = provider;
    this.database = database;
    this.pooler = pooler;
    this.balancer = balancer;
  }

  /** @param env of the replicas, beside the usual */
  static async start(integrations: string, env: Record<string, string> = {}): Promise<Cluster> {
    const database = await createEmptyPostgresDatabase();
    const pooler = await Pooler.start(database.url);
    const cluster = new Cluster(await startIssuer(), await new WorkspaceEmulator().start(), database, pooler, await Balancer.create());
    try {
      await cluster.#launch(integrations, env);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  async #launch(integrations: string, env: Record<string, string>): Promise<void> {
    this.writeIntegrations(integrations);
    writeFileSync(join(this.#folder, 'master.keys'), `k1:${randomBytes(32).toString('base64')}\n`);
    for (let index = 0; index < REPLICAS; index += 1) this.#ports.push(await freePort());
    // At once: one of them migrates the empty database.
    await Promise.all(this.#ports.map((_, index) => this.startReplica(index, env)));
    await this.balancer.listen('replicas', Object.fromEntries(this.#ports.map((port, i) => [`REPLICA_${i + 1}`, `127.0.0.1:${port}`])));
    this.service = { ...serviceAt(this.balancer.url), signIn: (user = 'demo') => this.issuer.sign(user) };
    await eventually(async () => (await this.service.call('/health/ready')).status === 200);
  }

  /** The file that all of them read. */
  writeIntegrations(text: string): void {
    writeFileSync(join(this.#folder, 'integrations.yaml'), text);
  }

  async startReplica(index: number, env: Record<string, string> = {}): Promise<void> {
    this.replicas[index] = await startProcess({
      NODE_ENV: 'production',
      PORT: String(this.#ports[index]),
      PUBLIC_URL: this.balancer.url,
      SITE_URL: 'https://www.example.com/',
      DATABASE_URL: this.pooler.url,
      MASTER_KEYS_FILE: join(this.#folder, 'master.keys'),
      INTEGRATIONS_FILE: join(this.#folder, 'integrations.yaml'),
      TRUST_PROXY: '1',
      ...this.issuer.env,
      ...this.provider.env,
      GOOGLE_API_URL: `${this.provider.url}/api`,
      ...env,
    });
  }

  /** A replica itself, past the balancer. */
  replica(index: number): Service {
    return { ...serviceAt(`http://127.0.0.1:${this.#ports[index]}`), signIn: (user = 'demo') => this.issuer.sign(user) };
  }

  connect(of: { token?: string; email?: string } = {}): Promise<ConnectedGrant> {
    return connectGrant(this.service, this.provider, this.database.sql, of);
  }

  /** Once the balancer sends requests to every replica. */
  async balanced(): Promise<void> {
    const named = (text: string) => new Set([...text.matchAll(/ steward\/(replica-\d) /g)].map(([, name]) => name));
    const before = this.balancer.output.length;
    await eventually(async () => {
      await this.service.call('/test');
      return named(this.balancer.output.slice(before)).size === REPLICAS;
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.kill('SIGKILL')));
    await this.balancer.remove();
    await this.pooler.remove();
    await this.provider.stop();
    this.issuer.close();
    await this.database.drop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
