import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { BankEmulator } from '../../support/emulators/bank-emulator.ts';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { newName } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { callAction } from '../../support/users/agents.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const PROFILE = '/api/gmail/v1/users/me/profile';
const LABELS = '/api/gmail/v1/users/me/labels';
const SEND = '/api/gmail/v1/users/me/messages/send';
/** Concurrent requests of one user. */
const LANES = 5;

/** Requests that reached a provider and got no response. */
interface Held {
  arrived: number;
  cutOff: number;
}

function hold(scene: ExecutorScene, path: string): Held {
  const held = { arrived: 0, cutOff: 0 };
  scene.provider.on(path, (response) => keep(held, response));
  return held;
}

function keep(held: Held, response: ServerResponse): void {
  held.arrived += 1;
  response.on('close', () => {
    held.cutOff += 1;
  });
}

/** Number of calls by error code. */
async function codes(calls: Promise<unknown>[]): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const ended of await Promise.allSettled(calls)) {
    const code = ended.status === 'fulfilled' ? 'done' : String(ended.reason.code);
    counted[code] = (counted[code] ?? 0) + 1;
  }
  return counted;
}

const many = <Result>(count: number, make: (index: number) => Promise<Result>) => {
  const calls = Array.from({ length: count }, (_, index) => make(index));
  for (const call of calls) call.catch(() => {});
  return calls;
};

async function disconnect(service: TestSteward, { accountId, token }: ConnectedGrant): Promise<void> {
  const response = await service.call(`/auth/workspace/accounts/${accountId}`, { method: 'DELETE', token });
  expect(response.body).toEqual({ success: true });
}

describe('calls in progress', () => {
  let scene: ExecutorScene;
  let user: ConnectedGrant;

  beforeAll(async () => {
    scene = await ExecutorScene.start();
  });

  afterAll(() => scene.stop());

  beforeEach(async () => {
    scene.reset();
    user = await scene.connect();
  });

  const read = (of: ConnectedGrant) => callAction(scene.steward, 'test.read', {}, { token: of.token, account: of.accountId });

  it('end when their account is disconnected: waiting ones never begin, and running ones are aborted', async () => {
    const held = hold(scene, PROFILE);
    const calls = many(50, () => read(user));
    await eventually(() => held.arrived === LANES);
    await disconnect(scene.steward, user);
    expect(await codes(calls)).toEqual({ not_found: 50 });
    await eventually(() => held.cutOff === LANES);
    expect(held.arrived).toBe(LANES);
  });

  it('continue for the user’s other accounts and for other users', async () => {
    const [second, other] = [await scene.connect({ token: user.token }), await scene.connect()];
    const responses: ServerResponse[] = [];
    scene.provider.on(PROFILE, (response) => void responses.push(response));
    const [own, ...others] = [read(user), read(second), read(other)];
    own.catch(() => {});
    await eventually(() => responses.length === 3);
    await disconnect(scene.steward, user);
    for (const response of responses) response.end('{"emailAddress":"someone@example.com"}');
    expect(await codes([own])).toEqual({ not_found: 1 });
    expect(await codes(others)).toEqual({ done: 2 });
  });

  it('do not begin once their user is deleted', async () => {
    const held = hold(scene, PROFILE);
    const calls = many(20, () => scene.call(user, 'test.read'));
    await eventually(() => held.arrived === LANES);
    expect((await scene.steward.call('/user', { method: 'DELETE', token: user.token })).body).toEqual({ success: true });
    expect(await codes(calls)).toEqual({ not_found: 20 });
    await eventually(() => held.cutOff === LANES);
    expect(held.arrived).toBe(LANES);
  });

  it('that change something end as outcome_unknown if they were sent, and are not sent otherwise', async () => {
    const held = hold(scene, SEND);
    const calls = many(12, (index) =>
      callAction(scene.steward, 'test.send', { to: ['a@example.com'] }, { token: user.token, idempotencyKey: `k${index}` }),
    );
    await eventually(() => held.arrived === LANES);
    await eventually(async () => (await scene.trail(user)).length === 12);
    await disconnect(scene.steward, user);
    expect(await codes(calls)).toEqual({ outcome_unknown: LANES, not_found: 12 - LANES });
    expect(held.arrived).toBe(LANES);
    const keys = await scene.steward.sql('select status from idempotency_keys where user_id = $1', [user.userId]);
    expect(keys).toEqual(Array(LANES).fill({ status: 'unknown' }));
  });

  it('that pause before a retry do not retry', async () => {
    let asked = 0;
    scene.provider.on(PROFILE, (response) => {
      asked += 1;
      response.writeHead(503, { 'retry-after': '10' }).end();
    });
    const calls = many(3, () => read(user));
    await eventually(() => asked === 3);
    await disconnect(scene.steward, user);
    expect(await codes(calls)).toEqual({ not_found: 3 });
    expect(asked).toBe(3);
  });

  it('read their token again for a retry, and end if the account was disconnected', async () => {
    const grants = 'delete from grants where id = $1';
    scene.provider.on(PROFILE, async (response) => {
      scene.answers(PROFILE, 200, { emailAddress: 'someone@example.com' });
      // As by another replica, without notifying this one.
      await scene.steward.sql(grants, [user.grantId]);
      response.writeHead(503, { 'retry-after': '0' }).end();
    });
    expect(await codes([read(user)])).toEqual({ not_found: 1 });
  });
});

describe('calls in progress when a reload removes their action', () => {
  const FILE = (actions: string) =>
    `version: 1\nagents:\n  mail: { provider: workspace, description: Mail., scopes: [mail.modify], actions: { ${actions} } }\n`;

  it('end, and waiting ones never begin', async () => {
    const file = ownIntegrations(FILE('labels: { use: mail.labels }, search: { use: mail.search }'));
    const scene = await ExecutorScene.start({ INTEGRATIONS_FILE: file });
    try {
      const user = await scene.connect();
      const held = hold(scene, LABELS);
      const kept = hold(scene, PROFILE);
      const others = many(1, () => scene.call(user, 'test.read'));
      // It gets its slot before the aborted ones release theirs.
      await eventually(() => kept.arrived === 1);
      const calls = many(10, () => scene.call(user, 'mail.labels'));
      await eventually(() => held.arrived + kept.arrived === LANES);
      writeFileSync(file, FILE('search: { use: mail.search }'));
      expect((await scene.steward.updateIntegrations()).status).toBe(200);
      expect(await codes(calls)).toEqual({ not_found: 10 });
      expect(held.arrived + kept.arrived).toBe(LANES);
      expect(kept.cutOff).toBe(0);
      await disconnect(scene.steward, user);
      expect(await codes(others)).toEqual({ not_found: 1 });
    } finally {
      await scene.stop();
    }
  });
});

describe('a bank’s calls in progress when its entry is deleted', () => {
  it('are aborted', async () => {
    const bank = await new BankEmulator().start();
    const file = ownIntegrations('version: 1\nagents:\n  bank: { provider: bank, description: Balances., products: [auth] }\n');
    const steward = await startSteward({ ...bank.env, INTEGRATIONS_FILE: file });
    const token = await steward.signIn(newName());
    const linked = await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'public-1' } });
    expect(linked.body).toEqual({ success: true });
    const [entry] = (await steward.call('/auth/bank/accounts', { token })).body.accounts;
    const held = { arrived: 0, cutOff: 0 };
    bank.on('/accounts/get', (response) => keep(held, response));
    const calls = many(3, () => callAction(steward, 'bank.balances', {}, { token }));
    await eventually(() => held.arrived === 3);
    expect((await steward.call(`/auth/bank/accounts/${entry.id}`, { method: 'DELETE', token })).body).toEqual({ success: true });
    expect(await codes(calls)).toEqual({ not_found: 3 });
    await eventually(() => held.cutOff === 3);
    expect(held.arrived).toBe(3);
    await steward.stop();
    await bank.stop();
  });
});

describe.skipIf(!hasPostgres)('calls in progress on another replica', () => {
  let database: PostgresDatabase;
  let scene: ExecutorScene;
  let other: TestSteward;
  let user: ConnectedGrant;

  beforeAll(async () => {
    database = await createPostgresDatabase();
    const env = { DATABASE_URL: database.url, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` };
    scene = await ExecutorScene.start(env);
    other = await scene.replica(env);
  });

  afterAll(async () => {
    await other.stop();
    await scene.stop();
    await database.drop();
  });

  beforeEach(async () => {
    scene.reset();
    user = await scene.connect();
  });

  it.each([
    ['their account is disconnected', () => disconnect(scene.steward, user)],
    ['their user is deleted', () => scene.steward.call('/user', { method: 'DELETE', token: user.token })],
  ])('end when %s, and waiting ones never begin', async (_name, end) => {
    const held = hold(scene, PROFILE);
    const calls = many(20, () => scene.call(user, 'test.read', {}, {}, other));
    await eventually(() => held.arrived === LANES);
    await end();
    expect(await codes(calls)).toEqual({ not_found: 20 });
    await eventually(() => held.cutOff === LANES);
    expect(held.arrived).toBe(LANES);
  });
});
