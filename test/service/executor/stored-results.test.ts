import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { newToken } from '../../support/scenes/mcp-scene.ts';
import { newThread } from '../../support/users/new-thread.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const ANA = { to: ['ana@example.com'] };
const KEY = { idempotencyKey: 'k' };

let scene: ExecutorScene;
let user: ConnectedGrant;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.sending(200);
  user = await scene.connect();
});

const stored = () => scene.steward.sql('select asker from idempotency_keys where user_id = $1 and answer is not null', [user.userId]);
const disconnect = () => scene.steward.call(`/auth/workspace/accounts/${user.accountId}`, { method: 'DELETE', token: user.token });

describe('the stored result of a change with a key', () => {
  it('is deleted with its token, and no other', async () => {
    const { token, id } = await newToken(scene.steward, user);
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
    const sent = await scene.steward.call('/agents/test.send', { method: 'POST', token, body: JSON.stringify(ANA), headers });
    expect(sent.status).toBe(200);
    await scene.call(user, 'test.send', ANA, KEY);
    expect(await stored()).toHaveLength(2);
    expect((await scene.steward.call(`/clients/${id}`, { method: 'DELETE', token: user.token })).status).toBe(200);
    expect(await stored()).toEqual([{ asker: 'user' }]);
  });

  it('is deleted with its conversation', async () => {
    const thread = await newThread(scene.steward, user.userId);
    await scene.call(user, 'test.send', ANA, { ...KEY, thread });
    expect(await stored()).toHaveLength(1);
    expect((await scene.steward.call(`/threads/${thread}`, { method: 'DELETE', token: user.token })).status).toBe(200);
    expect(await stored()).toEqual([]);
  });

  it('is deleted with its account, and not given once that is connected again', async () => {
    await scene.call(user, 'test.send', ANA, KEY);
    expect(await stored()).toHaveLength(1);
    expect((await disconnect()).status).toBe(200);
    expect(await stored()).toEqual([]);
    await scene.connect({ token: user.token, email: user.email });
    await rejectedWith(scene.call(user, 'test.send', ANA, KEY), 'conflict');
    expect(scene.sent).toBe(1);
  });
});
