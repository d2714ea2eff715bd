import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { insertItem } from '../src/bank/items-repository.ts';
import { parseKeyset } from '../src/config/master-key-list.ts';
import { Keyring } from '../src/crypto/keyring.ts';
import { Database } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { createLogger } from '../src/observability/logger.ts';
import { upsertUser } from '../src/users/users-repository.ts';
import { Grants } from '../src/vault/grants/grants.ts';
import { Revocations } from '../src/vault/grants/revocations.ts';
import { UserKeys } from '../src/vault/keys/user-keys.ts';
import { checkKeys } from '../src/vault/rotation/check-keys.ts';
import { startIssuer, type TestIssuer } from '../test/support/servers/issuer.ts';
import { writeService } from './processes.ts';

/** Users with two bank entries each. */
export const USERS = 32;

/** Common to every process of a run: a migrated database with users and their bank entries, and an issuer. */
export interface Stage {
  databaseUrl: string;
  issuer: TestIssuer;
  /** Environment of the service, production settings. */
  serviceEnv: Record<string, string>;
  /** Environment of the references. */
  referenceEnv: Record<string, string>;
  /** An ID token of a user; without a number, of the first. */
  signIn(user?: number): Promise<string>;
  /** Drops the database. */
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  await writeService();
  const server = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
  const name = `steward_bench_${randomBytes(6).toString('hex')}`;
  await administer(server, `create database ${name}`);
  const databaseUrl = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const issuer = await startIssuer();
  const masterKeys = `bench:${randomBytes(32).toString('base64')}`;
  await seed(databaseUrl, issuer.env.OIDC_ISSUER, masterKeys);
  const referenceEnv = { NODE_ENV: 'production', DATABASE_URL: databaseUrl, ...issuer.env };
  return {
    databaseUrl,
    issuer,
    referenceEnv,
    serviceEnv: {
      ...referenceEnv,
      HOST: '127.0.0.1',
      SITE_URL: 'https://example.com/',
      MASTER_KEYS: masterKeys,
      LIMIT_REQUESTS_PER_MINUTE: '100000000',
      LIMIT_PROBES_PER_MINUTE: '100000000',
      LIMIT_PROVIDER_REQUESTS_PER_MINUTE: '100000000',
      LIMIT_USER_PROVIDER_REQUESTS_PER_MINUTE: '100000000',
      LIMIT_SOCKET_CONNECTS_PER_MINUTE: '100000000',
    },
    signIn: (user = 0) => issuer.sign(subjectOf(user)),
    async close() {
      await issuer.close();
      await administer(server, `drop database ${name} with (force)`);
    },
  };
}

/** Two entries a user, encrypted and stored by the service's own modules, as after a link. */
async function seed(databaseUrl: string, issuer: string, masterKeys: string): Promise<void> {
  const logger = createLogger('silent');
  const address = { connectionString: databaseUrl };
  const db = new Database(address, 2, logger);
  await migrate(db, address, logger);
  const keyring = new Keyring(parseKeyset(masterKeys), { logger });
  // Rows name the keys that a start has checked.
  await checkKeys(db, keyring);
  const grants = new Grants(db, new UserKeys(keyring), new Revocations({ db, keyring, revokers: {}, logger }), logger);
  for (let user = 0; user < USERS; user += 1) await seedUser(db, grants, issuer, subjectOf(user));
  await db.close();
}

function subjectOf(user: number): string {
  return user === 0 ? 'demo' : `demo-${user}`;
}

async function seedUser(db: Database, grants: Grants, issuer: string, subject: string): Promise<void> {
  const userId = await upsertUser(db, issuer, subject, `${subject}@example.com`);
  for (const [institutionId, bankName] of [
    ['ins_1', 'First Example Bank'],
    ['ins_2', 'Second Example Bank'],
  ] as const) {
    const accounts = ['Everyday', 'Savings'].map((account, index) => ({
      account_id: `${institutionId}-${index}`,
      persistent_account_id: null,
      name: account,
      mask: `00${index}${institutionId.at(-1)}`,
    }));
    await db.transaction(async (tx) => {
      const tokens = { accessToken: `access-${randomUUID()}` };
      const grant = await grants.store(tx, { userId, provider: 'bank', subject: institutionId, tokens, scopes: [], expiresAt: null });
      await insertItem(tx, randomUUID(), grant.id, userId, { institutionId, bankName, accounts });
    });
  }
}

async function administer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
