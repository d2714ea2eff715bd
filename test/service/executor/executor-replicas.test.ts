import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene, rejectedWith } from '../../support/executor-scene.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/postgres.ts';
import type { ConnectedGrant } from '../../support/refreshing.ts';
import type { TestSteward } from '../../support/steward.ts';

describe.skipIf(!hasPostgres)('two replicas on one database', () => {
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
    scene.sending(200);
    user = await scene.connect();
  });

  const message = { to: ['a@example.com'] };
  /** Calls on both, half on each. */
  const onBoth = <Result>(count: number, make: (on: TestSteward) => Promise<Result>) =>
    Promise.allSettled(Array.from({ length: count }, (_, index) => make(index % 2 === 0 ? scene.steward : other)));
  const succeeded = (answers: PromiseSettledResult<unknown>[]) => answers.filter(({ status }) => status === 'fulfilled');
  const codes = (answers: PromiseSettledResult<unknown>[]) =>
    new Set(answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : [])));

  it('keep the rate of a change exactly', async () => {
    scene.policies.set('test.send', { rate: { calls: 5, perMs: 3_600_000 } });
    const answers = await onBoth(20, (on) => scene.call(user, 'test.send', message, {}, on));
    expect(succeeded(answers)).toHaveLength(5);
    expect(codes(answers)).toEqual(new Set(['rate_limited']));
    expect(scene.sent).toBe(5);
  });

  it('run what was approved once', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    const { approvalId } = await scene.ask(user, 'test.send', message);
    const answers = await onBoth(10, (on) => scene.decide(user, approvalId, {}, on));
    expect(succeeded(answers)).toHaveLength(1);
    expect(codes(answers)).toEqual(new Set(['conflict']));
    expect(scene.sent).toBe(1);
  });

  it('decide a race of approval and denial for one of them, without a deadlock', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    for (let round = 0; round < 10; round++) {
      const { approvalId } = await scene.ask(user, 'test.send', { to: [`${round}@example.com`] });
      const answers = await onBoth(6, (on) => scene.decide(user, approvalId, { approved: on === other }, on));
      expect(succeeded(answers)).toHaveLength(1);
      expect(codes(answers)).toEqual(new Set(['conflict']));
    }
  });

  it('run a change once under one idempotency key, and both return its result', async () => {
    const key = { idempotencyKey: 'k1' };
    const answers = await onBoth(10, (on) => scene.call(user, 'test.send', message, key, on));
    expect(scene.sent).toBe(1);
    expect([...codes(answers)].filter((code) => code !== 'conflict')).toEqual([]);
    const again = await scene.call(user, 'test.send', message, key, other);
    expect(again.data).toEqual({ id: 'm1' });
    expect(await scene.call(user, 'test.send', message, key)).toEqual(again);
    await rejectedWith(scene.call(user, 'test.send', { to: ['b@example.com'] }, key, other), 'conflict');
    expect(scene.sent).toBe(1);
  });

  it('request approval for the same call once', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    const answers = await onBoth(10, (on) => scene.call(user, 'test.send', message, {}, on));
    const ids = answers.map((answer) => (answer as PromiseRejectedResult).reason.details.approvalId);
    expect(new Set(ids).size).toBe(1);
  });
});
