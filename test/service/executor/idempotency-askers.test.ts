import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Invocation } from '../../../src/executor/executor.ts';
import { type CallOptions, ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { newClient } from '../../support/users/new-client.ts';
import { newThread } from '../../support/users/new-thread.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const MESSAGE = { to: ['a@example.com'] };
const OTHER = { to: ['b@example.com'] };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Who calls, and with what beside the arguments. */
interface Asker {
  user: Invocation['user'];
  options: CallOptions;
}

let scene: ExecutorScene;
let user: ConnectedGrant;
/** By name: the user in person, two clients, two threads. */
let askers: Record<string, Asker>;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.sending(200);
  user = await scene.connect();
  const { userId } = user;
  const client = async (name: string) => ({ user: { userId, clientId: await newClient(scene, user, name) }, options: {} });
  const thread = async () => ({ user: { userId }, options: { thread: await newThread(scene.steward, userId) } });
  askers = {
    'the user in person': { user: { userId }, options: {} },
    'a client': await client('One'),
    'another client': await client('Two'),
    'a thread': await thread(),
    'another thread': await thread(),
  };
});

const of = (name: string) => askers[name] as Asker;
const call = (name: string, input: unknown = MESSAGE, action = 'test.send') =>
  scene.call(of(name).user, action, input, { ...of(name).options, idempotencyKey: 'k1' });
const ask = async (name: string): Promise<string> => (await rejectedWith(call(name), 'approval_required')).details?.approvalId as string;
const keys = () =>
  scene.steward.sql<{ asker: string; status: string }>(
    'select split_part(asker, $2, 1) as asker, status from idempotency_keys where user_id = $1 order by 1',
    [user.userId, ':'],
  );

const PAIRS = [
  ['the user in person', 'a client'],
  ['the user in person', 'a thread'],
  ['a client', 'the user in person'],
  ['a client', 'another client'],
  ['a client', 'a thread'],
  ['a thread', 'another thread'],
  ['a thread', 'the user in person'],
] as const;

describe.each(PAIRS)('a key that was used by %s, used by %s', (first, second) => {
  it('is a key of its own, whatever the arguments', async () => {
    const one = await call(first);
    scene.sending(200, { id: 'm2' });
    expect((await call(second, OTHER)).data).toEqual({ id: 'm2' });
    expect(scene.sent).toBe(1);
    expect(await call(first)).toEqual(one);
    expect(scene.sent).toBe(1);
  });

  it('does not give the result of the approved call', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    const approved = await scene.decide(user, await ask(first));
    const other = await ask(second);
    expect(scene.sent).toBe(1);
    scene.sending(200, { id: 'm2' });
    expect((await scene.decide(user, other)).data).toEqual({ id: 'm2' });
    expect(await call(first)).toEqual(approved);
    expect((await call(second)).data).toEqual({ id: 'm2' });
    expect(scene.sent).toBe(1);
  });

  it('is not taken by what is asked or was denied under it', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    const approvalId = await ask(first);
    const { message } = await rejectedWith(call(second, OTHER), 'approval_required');
    expect(message).not.toContain('idempotencyKey');
    await scene.decide(user, approvalId, { approved: false });
    await rejectedWith(call(second, { to: ['c@example.com'] }), 'conflict');
    await rejectedWith(call(second, OTHER), 'approval_required');
  });

  it('does not conflict with a call that is running or of unknown outcome', async () => {
    scene.sending(500, {});
    await rejectedWith(call(first), 'outcome_unknown');
    scene.sending(200);
    expect((await call(second)).data).toEqual({ id: 'm1' });
    await rejectedWith(call(first), 'outcome_unknown');
    expect(scene.sent).toBe(1);
  });
});

describe('the key of a call that the user has approved', () => {
  it('is the asker’s, though the user decides', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    await scene.decide(user, await ask('a client'));
    await scene.decide(user, await ask('a thread'));
    expect(await keys()).toEqual([
      { asker: 'client', status: 'done' },
      { asker: 'thread', status: 'done' },
    ]);
  });
});

describe('Idempotency-Key over HTTP', () => {
  it('is one key for each token, and one for all of the user’s own front ends', async () => {
    const own = await scene.steward.signIn('someone-with-tokens');
    const connected = await scene.connect({ token: own });
    const post = async (path: string, token: string, body: unknown, headers = {}) => {
      const sent = { method: 'POST', token, body: JSON.stringify(body), headers: { ...JSON_TYPE, ...headers } };
      return JSON.parse((await scene.steward.call(path, sent)).text);
    };
    const send = async (token: string, id: string) => {
      scene.sending(200, { id });
      return (await post('/agents/test.send', token, MESSAGE, { 'idempotency-key': 'squatted' })).data;
    };
    const client = { name: 'script', actions: ['*'], access: 'write' };
    const [one, two] = [await post('/tokens', own, client), await post('/tokens', own, client)];
    expect(await send(one.token, 'of-one')).toEqual({ id: 'of-one' });
    expect(await send(two.token, 'of-two')).toEqual({ id: 'of-two' });
    expect(await send(own, 'of-user')).toEqual({ id: 'of-user' });
    expect(await send(one.token, 'again')).toEqual({ id: 'of-one' });
    const repeated = await scene.call(connected, 'test.send', MESSAGE, { idempotencyKey: 'squatted' });
    expect(repeated.data).toEqual({ id: 'of-user' });
  });
});
