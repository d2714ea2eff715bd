import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { type FaultyDatabase, startFaultyDatabase } from '../../support/servers/database-proxy.ts';
import { advancing } from '../../support/time/advancing.ts';
import { eventually } from '../../support/time/eventually.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

let database: FaultyDatabase;
let scene: ExecutorScene;
let user: ConnectedGrant;

beforeAll(async () => {
  database = await startFaultyDatabase();
  scene = await ExecutorScene.start(database.env);
});

afterAll(async () => {
  await scene.stop();
  await database.stop();
});

beforeEach(async () => {
  scene.reset();
  scene.sending(200);
  user = await scene.connect();
});

const message = { to: ['a@example.com'] };

/** Waits until the database responds again. */
const back = () => {
  database.restore();
  return eventually(() => scene.steward.sql('select 1'));
};

describe('while the database is unavailable', () => {
  it('sends no change', async () => {
    database.cut();
    const { retryAfter } = await rejectedWith(scene.call(user, 'test.send', message), 'unavailable');
    expect(retryAfter).toBeGreaterThan(0);
    expect(scene.sent).toBe(0);
    await back();
  });

  it('returns no result of a read that could not be recorded', async () => {
    scene.work = async () => {
      database.cut();
      return { secret: 1 };
    };
    await rejectedWith(scene.call(user, 'test.run'), 'unavailable');
    await back();
  });

  it('returns the result of a change that had begun before', async () => {
    scene.provider.on('/api/gmail/v1/users/me/messages/send', (response) => {
      database.cut();
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"m5"}');
    });
    const call = scene.call(user, 'test.send', message, { idempotencyKey: 'k1' });
    expect((await advancing(scene.steward.clock, call)).data).toEqual({ id: 'm5' });
    await back();
    expect(await scene.trail(user)).toEqual(['started ok']);
    await rejectedWith(scene.call(user, 'test.send', message, { idempotencyKey: 'k1' }), 'conflict');
    await scene.steward.sql(`update idempotency_keys set running_until = now() where user_id = $1`, [user.userId]);
    await rejectedWith(scene.call(user, 'test.send', message, { idempotencyKey: 'k1' }), 'outcome_unknown');
  });

  it('returns the result of an approved call to whoever approved, and reports it as unknown to the asker', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    const { approvalId } = await scene.ask(user, 'test.send', message);
    scene.provider.on('/api/gmail/v1/users/me/messages/send', (response) => {
      database.cut();
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"m5"}');
    });
    expect((await advancing(scene.steward.clock, scene.decide(user, approvalId))).data).toEqual({ id: 'm5' });
    await back();
    const outcome = () => scene.steward.context.executor.outcome(user, approvalId);
    expect(await outcome()).toEqual({ status: 'running' });
    await scene.steward.sql(`update approvals set outcome_until = now() where id = $1`, [approvalId]);
    expect(await outcome()).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
  });
});
