import { randomUUID } from 'node:crypto';
import { parseKeyset } from '../src/config/master-key-list.ts';
import { Keyring } from '../src/crypto/keyring.ts';
import { Database } from '../src/database/database.ts';
import { createLogger } from '../src/observability/logger.ts';
import { upsertUser } from '../src/users/users-repository.ts';
import { Grants } from '../src/vault/grants/grants.ts';
import { Revocations } from '../src/vault/grants/revocations.ts';
import { UserKeys } from '../src/vault/keys/user-keys.ts';
import type { Figure } from './figures.ts';
import type { LanesResult } from './lanes.ts';
import { RefreshProcess } from './refresh-process.ts';
import type { Stage } from './stage.ts';
import { startTokenProvider, type TokenProvider } from './token-provider.ts';

const HERD_PAIRS = 9;
const CALLERS = 100;
const HERD_DELAY_MS = 200;
const PAIRS = 9;
const GRANTS = 400;
const LANES = 32;

/** Common to both parts: a user with many accounts at a provider, and as many rows of the reference. */
interface Scene {
  provider: TokenProvider;
  db: Database;
  env: Record<string, string>;
  userId: string;
  grants: string[];
  /** Ids of the reference's rows, each of which is its first refresh token. */
  rows: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** (e) Two processes with 100 callers each on one expired token, against one plain refresh at the same provider. */
export async function measureHerd(stage: Stage): Promise<Figure[]> {
  await using scene = await openScene(stage, HERD_PAIRS + 1);
  const { provider, userId, env } = scene;
  await using one = await RefreshProcess.start('refresh-service.ts', env);
  await using two = await RefreshProcess.start('refresh-service.ts', env);
  await using reference = await RefreshProcess.start('refresh-reference.ts', env);
  const herd = async (grant: string) => {
    const order = { userId, grants: Array<string>(CALLERS).fill(grant), lanes: CALLERS };
    const start = performance.now();
    await Promise.all([one.run(order), two.run(order)]);
    return performance.now() - start;
  };
  const single = async (row: string) => {
    const start = performance.now();
    await reference.run({ grants: [row], lanes: 1 });
    return performance.now() - start;
  };
  provider.delayMs = HERD_DELAY_MS;
  await expire(scene);
  const service: number[] = [];
  const plain: number[] = [];
  const exchanges: number[] = [];
  for (let pair = 0; pair <= HERD_PAIRS; pair += 1) {
    const before = provider.exchanges;
    const elapsed = await herd(scene.grants[pair] ?? '');
    const asked = provider.exchanges - before;
    const once = await single(scene.rows[pair] ?? '');
    // The first pair opens connections and compiles code.
    if (pair === 0) continue;
    service.push(elapsed);
    exchanges.push(asked);
    plain.push(once);
  }
  return [
    { label: '(e) 2 × 100 callers, last token', unit: 'ms', service, reference: plain, goal: { kind: 'at most', value: 1.5, of: 'ratio' } },
    {
      label: '    exchanges',
      unit: 'a herd',
      service: exchanges,
      reference: plain.map(() => 1),
      goal: { kind: 'at most', value: 1, of: 'service' },
    },
  ];
}

/** (f) Refreshes a second of one process, against a bare loop that posts the same form and commits one row. */
export async function measureRefreshes(stage: Stage): Promise<Figure[]> {
  await using scene = await openScene(stage, GRANTS);
  const { userId, grants, rows, env } = scene;
  await using service = await RefreshProcess.start('refresh-service.ts', env);
  await using reference = await RefreshProcess.start('refresh-reference.ts', env);
  const runs = {
    service: async () => {
      await expire(scene);
      return service.run({ userId, grants, lanes: LANES });
    },
    reference: () => reference.run({ grants: rows, lanes: LANES }),
  };
  for (let warmUp = 0; warmUp < 3; warmUp += 1) {
    await runs.service();
    await runs.reference();
  }
  const before = scene.provider.exchanges;
  const results = { service: [] as LanesResult[], reference: [] as LanesResult[] };
  for (let pair = 0; pair < PAIRS; pair += 1) {
    if (pair % 2 === 0) results.service.push(await runs.service());
    results.reference.push(await runs.reference());
    if (pair % 2 === 1) results.service.push(await runs.service());
  }
  if (scene.provider.exchanges - before !== 2 * PAIRS * GRANTS) throw new Error('some refreshes did not reach the provider');
  const column = (value: (result: LanesResult) => number) => ({
    service: results.service.map(value),
    reference: results.reference.map(value),
  });
  return [
    {
      label: '(f) refreshes',
      unit: 'a second',
      ...column(({ elapsedMs }) => (GRANTS / elapsedMs) * 1000),
      goal: { kind: 'at least', value: 0.5, of: 'ratio' },
    },
    { label: '    processor of the process', unit: 'µs/refresh', ...column(({ cpuMs }) => (cpuMs / GRANTS) * 1000) },
  ];
}

async function openScene(stage: Stage, accounts: number): Promise<Scene> {
  const logger = createLogger('silent');
  const provider = await startTokenProvider();
  const db = new Database({ connectionString: stage.databaseUrl }, 2, logger);
  const keyring = new Keyring(parseKeyset(stage.serviceEnv.MASTER_KEYS ?? ''), { logger });
  const grants = new Grants(db, new UserKeys(keyring), new Revocations({ db, keyring, revokers: {}, logger }), logger);
  const userId = await upsertUser(db, stage.issuer.env.OIDC_ISSUER, `refresh-${randomUUID()}`, 'refresh@example.com');
  await db.query('create table if not exists bench_tokens (id text primary key, tokens text, expires_at timestamptz)');
  const scene = { provider, db, userId, grants: [] as string[], rows: [] as string[] };
  for (let account = 0; account < accounts; account += 1) {
    const tokens = { accessToken: `access-${randomUUID()}`, refreshToken: provider.issue() };
    const { id } = await db.transaction((tx) =>
      grants.store(tx, { userId, provider: 'workspace', subject: randomUUID(), tokens, scopes: ['openid'], expiresAt: new Date() }),
    );
    scene.grants.push(id);
    const row = provider.issue();
    await db.query('insert into bench_tokens (id) values ($1)', [row]);
    scene.rows.push(row);
  }
  return {
    ...scene,
    env: { ...stage.serviceEnv, GOOGLE_CLIENT_ID: 'bench', GOOGLE_CLIENT_SECRET: 'bench', GOOGLE_TOKEN_URL: `${provider.url}/token` },
    async [Symbol.asyncDispose]() {
      await db.close();
      provider.close();
    },
  };
}

async function expire({ db, userId }: Scene): Promise<void> {
  await db.query(`update grants set expires_at = now() - interval '1 minute' where user_id = $1::uuid`, [userId]);
}
