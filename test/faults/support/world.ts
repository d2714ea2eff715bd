import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { variables } from '../../../src/config/environment.ts';
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts';
import { BankFaultEmulator } from './bank-fault-emulator.ts';
import type { Cluster } from './cluster.ts';
import { removeFolder } from './remove-folder.ts';
import { Steps } from './steps.ts';
import { WorkspaceFaultEmulator } from './workspace-fault-emulator.ts';

const INTEGRATIONS = `version: 1
agents:
  mail:
    provider: workspace
    description: What the fault suite does with mail.
    scopes: [mail.modify, mail.send]
    actions:
      search: { use: mail.search, policy: { rate: 99999/min } }
      draft: { use: mail.draft, policy: { rate: 99999/min } }
      send: { use: mail.send, policy: { approval: always, rate: 99999/min } }
`;

export type Sql = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/** Providers, identity, a database and keys: what processes of the service share, and what survives them. */
export interface World {
  steps: Steps;
  workspace: WorkspaceFaultEmulator;
  bank: BankFaultEmulator;
  issuer: TestIssuer;
  folder: string;
  keysFile: string;
  /** Age of the users' ID tokens, seconds. */
  tokenAge: number;
  /** Environment of a replica in production; DATABASE_URL is Postgres itself. */
  env: Record<string, string>;
  /** SQL on a direct connection to the database; undefined while only the service may use it. */
  sql: Sql | undefined;
  remove(): Promise<void>;
}

/** @param publicPort the service's public port */
export async function createWorld(
  cluster: Pick<Cluster, 'createDatabase' | 'url' | 'sql'>,
  database: string,
  publicPort: number,
): Promise<World & { sql: Sql }> {
  await cluster.createDatabase(database);
  const outside = await createOutside();
  const env = { ...outside.env, ...productionOf(publicPort), DATABASE_URL: cluster.url(database) };
  return { ...outside, env, sql: (text, values) => cluster.sql(text, values, database) };
}

/** The same without a database. */
export async function createOutside(): Promise<Omit<World, 'sql'>> {
  const steps = new Steps();
  const [workspace, bank] = [new WorkspaceFaultEmulator(steps), new BankFaultEmulator(steps)];
  await workspace.server.start();
  await bank.server.start();
  const issuer = await startIssuer();
  const folder = mkdtempSync(join(tmpdir(), 'steward-faults-'));
  process.once('exit', () => removeFolder(folder));
  const [keysFile, integrations] = [join(folder, 'keys'), join(folder, 'integrations.yaml')];
  writeFileSync(keysFile, `k1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  writeFileSync(integrations, INTEGRATIONS);
  const env = {
    ...issuer.env,
    ...workspace.env,
    ...bank.env,
    ...withoutRates(),
    MASTER_KEYS_FILE: keysFile,
    INTEGRATIONS_FILE: integrations,
    // Shorter than the default, since many responses never arrive; long enough for the others on a busy machine.
    LIMIT_PROVIDER_TIMEOUT_MS: '5000',
    LIMIT_REFRESH_TIMEOUT_MS: '10000',
    // There is no balancer that has to notice a stop.
    LIMIT_STOP_WAIT_MS: '200',
    LIMIT_REVOCATION_RETRY_SECONDS: '1',
  };
  return {
    steps,
    workspace,
    bank,
    issuer,
    folder,
    keysFile,
    tokenAge: 0,
    env,
    async remove() {
      await workspace.server.stop();
      await bank.server.stop();
      await issuer.close();
      removeFolder(folder);
    },
  };
}

function productionOf(publicPort: number): Record<string, string> {
  return { NODE_ENV: 'production', PUBLIC_URL: `http://127.0.0.1:${publicPort}`, SITE_URL: 'https://www.example.com/' };
}

/** All users have one address here, so limits by address are raised. */
function withoutRates(): Record<string, string> {
  const names = Object.keys(variables.shape).filter((name) => /^LIMIT_.*PER_MINUTE$/.test(name));
  return Object.fromEntries(names.map((name) => [name, '1000000']));
}
