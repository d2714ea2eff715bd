import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Invocation } from '../../../src/executor/executor.ts';
import { Allowances } from '../../../src/executor/policy/allowances.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const ACTION = 'test.notify';
const MESSAGE = { to: ['ana@example.com'] };

let scene: ExecutorScene;
let user: ConnectedGrant;
let client: Invocation['user'];

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
afterEach(() => vi.restoreAllMocks());
beforeEach(async () => {
  scene.reset();
  scene.policies.set(ACTION, { approval: 'destructive' });
  scene.sending(200);
  user = await scene.connect();
  client = await newClient();
});

async function newClient(): Promise<Invocation['user']> {
  const { grant } = await scene.steward.context.clientTokens.create(user.userId, {
    name: 'script',
    actions: ['*'],
    access: 'write',
    days: 1,
  });
  return { userId: user.userId, clientId: grant.id };
}

/** The client's call under a key. */
const call = (idempotencyKey?: string, input: object = MESSAGE) =>
  scene.call(client, ACTION, input, { ...(idempotencyKey !== undefined && { idempotencyKey }) });

async function ask(idempotencyKey?: string): Promise<string> {
  const { approvalId } = await scene.ask(client, ACTION, MESSAGE, { ...(idempotencyKey !== undefined && { idempotencyKey }) });
  return approvalId;
}

/** What was read counts no longer. */
const forget = () => scene.steward.sql('delete from contexts where user_id = $1', [user.userId]);
/** After the time in which a repeated call counts as the same. */
const later = () =>
  scene.steward.sql(`update approvals set repeats_until = repeats_until - interval '3 minutes' where user_id = $1`, [user.userId]);

describe('a call that the user was asked about', () => {
  beforeEach(async () => {
    scene.policies.set(ACTION, { approval: 'never' });
    await scene.call(client, 'test.read');
  });

  it('waits for the user, though it would not be asked about now', async () => {
    const id = await ask();
    await forget();
    expect(await ask()).toBe(id);
    await scene.decide(user, id);
    expect(scene.sent).toBe(1);
  });

  it('stays denied, though it would not be asked about now, for every caller', async () => {
    await scene.decide(user, await ask(), { approved: false });
    await forget();
    for (const caller of [client, await newClient(), user]) await rejectedWith(scene.call(caller, ACTION, MESSAGE), 'forbidden');
    expect(scene.sent).toBe(0);
  });
});

describe('a call that the user has approved', () => {
  /** Does something after the next call is checked, and before what covers it is read. */
  function meanwhile(work: () => Promise<void>): void {
    const covering = Allowances.prototype.covering;
    vi.spyOn(Allowances.prototype, 'covering').mockImplementationOnce(async function (this: Allowances, ...given) {
      await work();
      return covering.apply(this, given);
    });
  }

  it('does not run again by the allowance that was given with it, while an equal call was checked', async () => {
    let approvalId: string | undefined;
    meanwhile(async () => {
      approvalId = await ask();
      await scene.decide(user, approvalId, { rememberFor: 7 });
    });
    const { details } = await rejectedWith(call(), 'conflict');
    expect(details).toEqual({ approvalId });
    expect(await call()).toMatchObject({ data: { id: 'm1' } });
    expect(scene.sent).toBe(1);
  });

  it('does not let an equal one run, of which the user was asked while it was checked', async () => {
    let waiting: string | undefined;
    meanwhile(async () => {
      waiting = await ask();
      const other = await scene.ask(client, ACTION, { ...MESSAGE, text: 'Another.' });
      await scene.decide(user, other.approvalId, { rememberFor: 7 });
    });
    const { details } = await rejectedWith(call(), 'approval_required');
    expect(details).toMatchObject({ approvalId: waiting });
    expect(scene.sent).toBe(1);
  });

  it('with other arguments gives its result to the key of the caller that asked', async () => {
    for (const [caller, to] of [[client, 'ana@example.com'] as const, [user, 'zoe@example.com'] as const]) {
      scene.sending(200);
      const key = { idempotencyKey: to };
      const { approvalId } = await scene.ask(caller, ACTION, { to: [to] }, key);
      const edited = { to: [to], text: 'What I would rather say.' };
      const { meta } = await scene.decide(user, approvalId, { input: edited, rememberFor: 7 });
      expect(meta.edited).toBe(true);
      for (const _ of ['repeated', 'again']) {
        expect(await scene.call(caller, ACTION, { to: [to] }, key)).toMatchObject({ data: { id: 'm1' }, meta: { edited: true } });
      }
      await rejectedWith(scene.call(caller, ACTION, edited, key), 'conflict');
      expect(scene.sent).toBe(1);
    }
  });

  it('gives its result to each key that has received it, for as long as keys are kept', async () => {
    await scene.decide(user, await ask('a'), { rememberFor: 7 });
    const first = await call('b');
    await later();
    expect(await call('b')).toEqual(first);
    expect(scene.sent).toBe(1);
    expect(await call('c')).toMatchObject({ data: { id: 'm1' } });
    expect(scene.sent).toBe(2);
  });

  it('stays unknown under each key that has received that', async () => {
    scene.sending(500);
    await rejectedWith(scene.decide(user, await ask('a'), { rememberFor: 7 }), 'outcome_unknown');
    await rejectedWith(call('b'), 'outcome_unknown');
    await later();
    scene.answers('/api/gmail/v1/users/me/messages/send', 200, { id: 'm2' });
    for (const key of ['a', 'b']) await rejectedWith(call(key), 'outcome_unknown');
    expect(scene.sent).toBe(1);
  });
});
