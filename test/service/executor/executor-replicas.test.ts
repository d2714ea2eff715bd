import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Queryable } from '../../../src/database/database.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { WAITS_FOR_ROW } from '../../support/database/waits-for-row.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import type { TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

describe.skipIf(!hasPostgres)('two replicas on one database', () => {
  let database: PostgresDatabase;
  let env: Record<string, string>;
  let scene: ExecutorScene;
  let other: TestSteward;
  let user: ConnectedGrant;

  beforeAll(async () => {
    database = await createPostgresDatabase();
    env = { DATABASE_URL: database.url, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` };
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
  const succeeded = (responses: PromiseSettledResult<unknown>[]) => responses.filter(({ status }) => status === 'fulfilled');
  const codes = (responses: PromiseSettledResult<unknown>[]) =>
    new Set(responses.flatMap((response) => (response.status === 'rejected' ? [response.reason.code] : [])));

  it('keep the rate of a change exactly', async () => {
    scene.policies.set('test.send', { rate: { calls: 5, perMs: 3_600_000 } });
    const responses = await onBoth(20, (on) => scene.call(user, 'test.send', message, {}, on));
    expect(succeeded(responses)).toHaveLength(5);
    expect(codes(responses)).toEqual(new Set(['rate_limited']));
    expect(scene.sent).toBe(5);
  });

  it('know what was read on the other', async () => {
    scene.policies.set('test.notify', { approval: 'never' });
    await scene.call(user, 'test.notify', message, {}, other);
    await scene.call(user, 'test.read', {}, {}, scene.steward);
    await rejectedWith(scene.call(user, 'test.notify', message, {}, other), 'approval_required');
    expect(scene.sent).toBe(1);
  });

  describe('with a call that waits to start on one', () => {
    /** Makes a change take effect on one replica while a call on the other, which has passed its checks, waits to start. */
    async function whileWaiting<Result>(start: () => Promise<Result>, change: (tx: Queryable) => Promise<unknown>): Promise<Result> {
      let waiting: Promise<Result> | undefined;
      await scene.steward.context.db.transaction(async (tx) => {
        await tx.query('select 1 from users where id = $1 for update', [user.userId]);
        waiting = start();
        waiting.catch(() => {});
        await eventually(async () => (await database.sql(WAITS_FOR_ROW)).length > 0);
        await change(tx);
      });
      return waiting as Promise<Result>;
    }

    it('ask again if its allowance is revoked on the other', async () => {
      scene.policies.set('test.notify', { approval: 'destructive' });
      const call = () => scene.call(user, 'test.notify', { ...message, text: randomBytes(4).toString('hex') }, {}, other);
      const { approvalId } = await scene.ask(user, 'test.notify', message);
      await scene.decide(user, approvalId, { rememberFor: 1 });
      await call();
      expect(scene.sent).toBe(2);
      const waited = whileWaiting(call, (tx) => tx.query('delete from allowances where user_id = $1', [user.userId]));
      await rejectedWith(waited, 'approval_required');
      await rejectedWith(call(), 'approval_required');
      expect(scene.sent).toBe(2);
    });

    it('start no change on an account that is set to read-only on the other', async () => {
      const call = () => scene.call(user, 'test.send', message, {}, other);
      const waited = whileWaiting(call, (tx) =>
        tx.query(`insert into read_only_accounts (id, user_id, account_id, grant_id) values (gen_random_uuid(), $1, $2, $3)`, [
          user.userId,
          user.accountId,
          user.grantId,
        ]),
      );
      await rejectedWith(waited, 'forbidden');
      expect(scene.sent).toBe(0);
    });
  });

  it('know what is allowed and what is read-only on the other', async () => {
    scene.policies.set('test.notify', { approval: 'destructive' });
    const { approvalId } = await scene.ask(user, 'test.notify', message);
    await scene.decide(user, approvalId, { rememberFor: 1 });
    const call = () => scene.call(user, 'test.notify', { ...message, text: 'Once more.' }, {}, other);
    await call();
    const { id } = await scene.steward.context.readOnlySwitches.set(user.userId, user.accountId, null);
    await rejectedWith(call(), 'forbidden');
    await scene.steward.context.readOnlySwitches.lift(user.userId, id);
    const [allowance] = await scene.steward.context.allowances.list(user.userId);
    await scene.steward.context.allowances.revoke(user.userId, allowance?.id ?? '', 'http');
    await rejectedWith(call(), 'approval_required');
    expect(scene.sent).toBe(2);
  });

  it('run what was approved once', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    const { approvalId } = await scene.ask(user, 'test.send', message);
    const responses = await onBoth(10, (on) => scene.decide(user, approvalId, {}, on));
    expect(succeeded(responses)).toHaveLength(1);
    expect(codes(responses)).toEqual(new Set(['conflict']));
    expect(scene.sent).toBe(1);
  });

  it('decide a race of approval and denial for one of them, without a deadlock', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    for (let round = 0; round < 10; round++) {
      const { approvalId } = await scene.ask(user, 'test.send', { to: [`${round}@example.com`] });
      const responses = await onBoth(6, (on) => scene.decide(user, approvalId, { approved: on === other }, on));
      expect(succeeded(responses)).toHaveLength(1);
      expect(codes(responses)).toEqual(new Set(['conflict']));
    }
  });

  it('run a change once under one idempotency key, and both return its result', async () => {
    const key = { idempotencyKey: 'k1' };
    const responses = await onBoth(10, (on) => scene.call(user, 'test.send', message, key, on));
    expect(scene.sent).toBe(1);
    expect([...codes(responses)].filter((code) => code !== 'conflict')).toEqual([]);
    const again = await scene.call(user, 'test.send', message, key, other);
    expect(again.data).toEqual({ id: 'm1' });
    expect(await scene.call(user, 'test.send', message, key)).toEqual(again);
    await rejectedWith(scene.call(user, 'test.send', { to: ['b@example.com'] }, key, other), 'conflict');
    expect(scene.sent).toBe(1);
  });

  it('tell the client that asked how its approval ended, and taint it when it reads the result', async () => {
    scene.policies.set('test.read', { approval: 'always' });
    const request = { name: 'script', actions: ['*'], access: 'read', days: 1 } as const;
    const { token, grant } = await scene.steward.context.clientTokens.create(user.userId, request);
    const { approvalId } = await scene.ask({ ...user, clientId: grant.id }, 'test.read', {});
    const online = await SocketClient.signedIn(other.url, token);
    await scene.decide(user, approvalId);
    const told = { event: 'approval.decided', data: { approvalId, approved: true } };
    expect(await online.event('approval.decided')).toMatchObject(told);
    await online.close();
    const client = await SocketClient.signedIn(other.url, token, 0);
    expect(await client.event('approval.decided')).toMatchObject(told);
    expect(client.events).toHaveLength(1);
    // The hour of the run's own taint is over; this replica has made no read.
    await scene.steward.sql('delete from contexts where user_id = $1', [user.userId]);
    const { data } = await client.request({ type: 'approval_result', approvalId });
    expect(data).toMatchObject({ status: 'done', result: { data: { emailAddress: 'someone@example.com' } } });
    await client.close();
    const contexts = 'select name, tainted_until > now() as tainted from contexts where user_id = $1';
    expect(await scene.steward.sql(contexts, [user.userId])).toEqual([{ name: `client:${grant.id}`, tainted: true }]);
  });

  it('request approval for the same call once', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    const responses = await onBoth(10, (on) => scene.call(user, 'test.send', message, {}, on));
    const ids = responses.map((response) => (response as PromiseRejectedResult).reason.details.approvalId);
    expect(new Set(ids).size).toBe(1);
  });

  it('know what was read at the other one: the context is tainted, and the question tells by whom', async () => {
    scene.policies.set('test.notify', { approval: 'never' });
    await scene.call(user, 'test.read');
    const stored = () => scene.steward.sql('select 1 from context_reads where user_id = $1', [user.userId]);
    await eventually(async () => (await stored()).length > 0);
    const call = scene.call(user, 'test.notify', { to: ['someone@example.com'] }, {}, other);
    expect((await rejectedWith(call, 'approval_required')).details).toMatchObject({
      provenance: [{ action: 'test.read', author: 'someone@example.com' }],
      matches: [{ field: 'to.0', text: 'someone@example.com', author: 'someone@example.com' }],
    });
  });

  it('know what was read before one of them started', async () => {
    scene.policies.set('test.notify', { approval: 'never' });
    await scene.call(user, 'test.read');
    const started = await scene.replica(env);
    const call = scene.call(user, 'test.notify', { to: ['ana@example.com'] }, {}, started);
    await rejectedWith(call, 'approval_required').finally(() => started.stop());
    expect(scene.sent).toBe(0);
  });
});
