import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { disconnectAccount } from '../../../src/workspace/accounts-service.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { respond } from '../../support/servers/scripted-server.ts';
import type { TestSteward } from '../../support/steward.ts';
import { newClient } from '../../support/users/new-client.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const PROFILE = '/api/gmail/v1/users/me/profile';
/** Its preview sends the provider one request. */
const ACTION = 'test.notify';

let scene: ExecutorScene;
let user: ConnectedGrant;
/** Requests of previews that reached the provider. */
let previews = 0;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});

afterAll(() => scene.stop());

async function prepare(of: ExecutorScene): Promise<ConnectedGrant> {
  of.reset();
  of.policies.set(ACTION, { approval: 'destructive' });
  previews = 0;
  of.provider.on(PROFILE, respondToPreview);
  return of.connect();
}

function respondToPreview(response: ServerResponse): void {
  previews += 1;
  respond(response, { body: { emailAddress: 'someone@example.com' } });
}

beforeEach(async () => {
  user = await prepare(scene);
});

const asked = (of: ExecutorScene, whom: ConnectedGrant, on?: TestSteward) =>
  (on ?? of.steward).context.executor.approvals(whom.userId).then((all) => all.map(({ approvalId }) => approvalId));
const questions = () => scene.steward.sql<{ status: string }>('select status from approvals where user_id = $1', [user.userId]);
const told = () => scene.steward.sql(`select event from events where user_id = $1 and event like 'approval.%'`, [user.userId]);
/** The error of each call: its code, and the approval request's id. */
const endings = async (calls: Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map((call) => (call.status === 'rejected' ? call.reason : undefined));

describe('the preview of an approval request', () => {
  it('is read once for one call, however often it is made, sequentially or concurrently', async () => {
    const first = await scene.ask(user, ACTION, { to: ['a@example.com'] });
    for (let index = 0; index < 10; index++) expect(await scene.ask(user, ACTION, { to: ['a@example.com'] })).toEqual(first);
    expect(previews).toBe(1);
    const errors = await endings(Array.from({ length: 40 }, () => scene.call(user, ACTION, { to: ['b@example.com'] })));
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['approval_required']));
    expect(new Set(errors.map(({ details }) => details.approvalId)).size).toBe(1);
    expect(errors.every(({ details }) => details.summary === 'Tell b@example.com from someone@example.com')).toBe(true);
    expect(previews).toBe(2);
    expect(await questions()).toHaveLength(2);
  });

  it('is read once for the same call with other keys or other formatting', async () => {
    const to = ['a@example.com'];
    const first = await scene.ask(user, ACTION, { to }, { idempotencyKey: 'k0' });
    for (const idempotencyKey of ['k1', 'k2']) expect(await scene.ask(user, ACTION, { to }, { idempotencyKey })).toEqual(first);
    // The default.
    expect(await scene.ask(user, ACTION, { text: 'Hello.', to })).toEqual(first);
    expect(await scene.ask(user, ACTION, { text: 'Goodbye.', to })).not.toEqual(first);
    expect(previews).toBe(2);
  });

  it('is read within the action’s rate: once for each approval request, also for concurrent calls', async () => {
    scene.policies.set(ACTION, { approval: 'destructive', rate: { calls: 7, perMs: 3_600_000 } });
    const calls = Array.from({ length: 60 }, (_, index) => scene.call(user, ACTION, { to: [`${index}@example.com`] }));
    const codes = (await endings(calls)).map(({ code }) => code);
    expect(codes.filter((code) => code === 'approval_required')).toHaveLength(7);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(53);
    expect(previews).toBe(7);
    expect(await questions()).toHaveLength(7);
  });

  it('is not read beyond the number of pending approvals', async () => {
    const calls = Array.from({ length: 80 }, (_, index) => scene.call(user, ACTION, { to: [`${index}@example.com`] }));
    const codes = (await endings(calls)).map(({ code }) => code);
    expect(codes.filter((code) => code === 'approval_required')).toHaveLength(50);
    expect(previews).toBe(50);
  });

  it('is not read beyond the ten that may wait for each client, however many wait for others', async () => {
    const clients = await Promise.all(Array.from({ length: 6 }, (_, index) => newClient(scene, user, `Client ${index}`)));
    for (const clientId of [...clients, undefined]) {
      previews = 0;
      const asker = { userId: user.userId, ...(clientId !== undefined && { clientId }) };
      const calls = Array.from({ length: 12 }, (_, index) => scene.call(asker, ACTION, { to: [`${index}@example.com`] }));
      const codes = (await endings(calls)).map(({ code }) => code);
      const places = clientId === undefined ? 12 : 10;
      expect(codes.filter((code) => code === 'approval_required')).toHaveLength(places);
      expect(previews).toBe(places);
    }
  });

  it('is not read for a denied call', async () => {
    const { approvalId } = await scene.ask(user, ACTION, { to: ['a@example.com'] });
    await scene.decide(user, approvalId, { approved: false });
    await rejectedWith(scene.call(user, ACTION, { to: ['a@example.com'] }), 'forbidden');
    expect(previews).toBe(1);
  });

  it('of a process that ended is read again by the next such call, for the same approval request', async () => {
    const { approvalId } = await scene.ask(user, ACTION, { to: ['a@example.com'] });
    await scene.steward.sql(`update approvals set status = 'preparing', arguments = null where id = $1`, [approvalId]);
    expect(await asked(scene, user)).toEqual([]);
    await rejectedWith(scene.decide(user, approvalId), 'conflict');
    expect((await scene.ask(user, ACTION, { to: ['a@example.com'] })).approvalId).toBe(approvalId);
    expect(await asked(scene, user)).toEqual([approvalId]);
  });

  it('is too late once the approval request has ended', async () => {
    const release = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    scene.provider.on(PROFILE, (response) => {
      reached.resolve();
      void release.promise.then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"emailAddress":"x"}'));
    });
    const call = scene.call(user, ACTION, { to: ['a@example.com'] });
    call.catch(() => {});
    await reached.promise;
    const gone = await scene.steward.call(`/auth/workspace/accounts/${user.accountId}`, { method: 'DELETE', token: user.token });
    expect(gone.status).toBeLessThan(300);
    release.resolve();
    expect((await rejectedWith(call, 'not_found')).message).toBe('This account was disconnected.');
    expect(await asked(scene, user)).toEqual([]);
    expect(await told()).toEqual([]);
  });

  it('is not read if the account is disconnected between the call’s checks and the approval request', async () => {
    let leaving: Promise<void> | undefined;
    // It gets the user's turn before the approval request.
    scene.checked = () => {
      leaving ??= disconnectAccount(scene.steward.context, user.userId, user.accountId);
    };
    const call = scene.call(user, ACTION, { to: ['a@example.com'] });
    expect((await rejectedWith(call, 'not_found')).message).toBe('This account was disconnected.');
    await leaving;
    expect(leaving).toBeDefined();
    expect(previews).toBe(0);
    expect(await questions()).toEqual([]);
    expect(await told()).toEqual([]);
  });

  it('is not read if the configuration is replaced between the call’s checks and the approval request', async () => {
    scene.checked = () => {
      scene.revision = 'r2';
    };
    await rejectedWith(scene.call(user, ACTION, { to: ['a@example.com'] }), 'conflict');
    expect(previews).toBe(0);
    expect(await questions()).toEqual([]);
    await scene.ask(user, ACTION, { to: ['a@example.com'] });
    expect(previews).toBe(1);
  });

  it('is too late once the configuration has changed', async () => {
    scene.provider.on(PROFILE, (response) => {
      scene.revision = 'r2';
      respondToPreview(response);
    });
    await rejectedWith(scene.call(user, ACTION, { to: ['a@example.com'] }), 'conflict');
    expect(previews).toBe(1);
    expect(await questions()).toEqual([{ status: 'preparing' }]);
    expect(await told()).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)('the preview of an approval request on two replicas', () => {
  let database: PostgresDatabase;
  let both: ExecutorScene;
  let other: TestSteward;

  beforeAll(async () => {
    database = await createPostgresDatabase();
    const env = { DATABASE_URL: database.url, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` };
    both = await ExecutorScene.start(env);
    other = await both.replica(env);
  });

  afterAll(async () => {
    await other.stop();
    await both.stop();
    await database.drop();
  });

  const onBoth = (whom: ConnectedGrant, count: number, input: (index: number) => object) =>
    endings(Array.from({ length: count }, (_, index) => both.call(whom, ACTION, input(index), {}, index % 2 === 0 ? both.steward : other)));

  it('is read at most once by each, for one approval request', async () => {
    const whom = await prepare(both);
    const errors = await onBoth(whom, 30, () => ({ to: ['a@example.com'] }));
    // The replicas of this test have different addresses.
    expect(new Set(errors.map(({ details }) => JSON.stringify({ ...details, url: '' }))).size).toBe(1);
    expect(previews).toBeLessThanOrEqual(2);
    expect(await asked(both, whom, other)).toHaveLength(1);
    const events = await database.sql(`select 1 from events where event = 'approval.requested' and user_id = '${whom.userId}'`);
    expect(events).toHaveLength(1);
  });

  it('is read within one rate for both', async () => {
    const whom = await prepare(both);
    both.policies.set(ACTION, { approval: 'destructive', rate: { calls: 5, perMs: 3_600_000 } });
    const codes = (await onBoth(whom, 30, (index) => ({ to: [`${index}@example.com`] }))).map(({ code }) => code);
    expect(codes.filter((code) => code === 'approval_required')).toHaveLength(5);
    expect(previews).toBe(5);
  });
});
