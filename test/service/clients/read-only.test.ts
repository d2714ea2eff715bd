import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { linkBank, newName } from '../../support/scenes/flows.ts';
import { callAction } from '../../support/users/agents.ts';
import { earlierSignIn } from '../../support/users/earlier-sign-in.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const MESSAGE = { to: ['ana@example.com'] };
const JSON_TYPE = { 'content-type': 'application/json' };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let scene: ExecutorScene;
let user: ConnectedGrant;
/** A token of the user, whose sign-in was not recent. */
let earlier: () => Promise<string>;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.sending(200);
  const name = newName();
  user = await scene.connect({ token: await scene.steward.signIn(name) });
  earlier = () => earlierSignIn(scene.steward, name, 6 * 60_000);
});

const newToken = async () =>
  scene.steward.context.clientTokens.create(user.userId, { name: 'script', actions: ['*'], access: 'write', days: 1 });
const set = (more: object = {}, token = user.token) =>
  scene.steward.call('/read-only', { token, body: JSON.stringify({ account_id: user.accountId, ...more }), headers: JSON_TYPE });
const lift = (id: string, token = user.token) => scene.steward.call(`/read-only/${id}`, { method: 'DELETE', token });
const listed = async (token = user.token) => (await scene.steward.call('/read-only', { token })).body.read_only;
const send = (options: { account?: string } = {}) => scene.call(user, 'test.send', MESSAGE, options);
/** The accounts of the mail agent, as a credential sees them. */
async function accountsOf(token: string): Promise<Record<string, any>[]> {
  const client = await SocketClient.signedIn(scene.steward.url, token);
  const { data } = await client.request({ type: 'list' });
  client.close();
  return data.agents.find(({ name }: { name: string }) => name === 'mail').accounts;
}
const actionsOf = async (token: string) => {
  const client = await SocketClient.signedIn(scene.steward.url, token);
  const { data } = await client.request({ type: 'list' });
  client.close();
  return data.agents.flatMap(({ actions }: { actions: { name: string }[] }) => actions.map(({ name }) => name));
};

describe('a read-only account', () => {
  it('can be read and not changed, until the user permits it again', async () => {
    const { status, body } = await set();
    expect(status).toBe(200);
    expect(body).toEqual({ id: expect.any(String), account_id: user.accountId, client_id: null, since: expect.any(String) });
    expect(await listed()).toEqual([body]);
    const { message } = await rejectedWith(send(), 'forbidden');
    expect(message).toBe(`The user has set ${user.email} to read-only: nothing in it may be changed.`);
    // Not even who would see it is read.
    scene.policies.set('test.notify', { approval: 'destructive' });
    const read = vi.fn();
    scene.checked = read;
    await rejectedWith(scene.call(user, 'test.notify', MESSAGE), 'forbidden');
    expect(read).not.toHaveBeenCalled();
    await scene.call(user, 'test.read');
    expect(scene.sent).toBe(0);
    expect((await lift(body.id)).body).toEqual({ success: true });
    expect(await listed()).toEqual([]);
    await send();
    expect(scene.sent).toBe(1);
  });

  it('is one of the user’s accounts only', async () => {
    const second = await scene.connect({ token: user.token });
    await set();
    await rejectedWith(send({ account: user.accountId }), 'forbidden');
    await send({ account: second.accountId });
    expect(scene.sent).toBe(1);
  });

  it('can be one for a single client', async () => {
    const [one, other] = [await newToken(), await newToken()];
    const { body } = await set({ client_id: one.grant.id });
    expect(body).toMatchObject({ account_id: user.accountId, client_id: one.grant.id });
    const call = (token: string, action = 'test.send') => callAction(scene.steward, action, MESSAGE, { token });
    await expect(call(one.token)).rejects.toMatchObject({ code: 'forbidden' });
    await call(one.token, 'test.read');
    await call(other.token);
    await send();
    expect(scene.sent).toBe(2);
    expect((await accountsOf(one.token))[0]).toMatchObject({ id: user.accountId, readOnly: true });
    for (const token of [other.token, user.token]) expect((await accountsOf(token))[0]).not.toHaveProperty('readOnly');
  });

  it('is listed as such, with all actions', async () => {
    const { token } = await newToken();
    const before = await actionsOf(token);
    await set();
    for (const credential of [token, user.token]) {
      expect((await accountsOf(credential))[0]).toMatchObject({ id: user.accountId, status: 'active', readOnly: true });
    }
    expect(await actionsOf(token)).toEqual(before);
  });

  it('can be a bank', async () => {
    await linkBank(scene.steward, user.token);
    const [bank] = (await scene.steward.call('/auth/bank/accounts', { token: user.token })).body.accounts;
    expect(await set({ account_id: bank.id })).toMatchObject({ status: 200, body: { account_id: bank.id } });
    await callAction(scene.steward, 'bank.balances', {}, { token: user.token });
  });

  it('ends the approvals that wait for it, of the client or of everything', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    const { token, grant } = await newToken();
    const asked: any = await callAction(scene.steward, 'test.send', { to: ['zoe@example.com'] }, { token }).catch((error) => error);
    const own = await scene.ask(user, 'test.send', MESSAGE);
    await set({ client_id: grant.id });
    const pending = async () => (await scene.steward.context.executor.approvals(user.userId)).map(({ approvalId }) => approvalId);
    expect(await pending()).toEqual([own.approvalId]);
    await set();
    expect(await pending()).toEqual([]);
    const ended = await scene.steward.sql<{ data: object }>(
      `select data from events where user_id = $1 and event = 'approval.ended' order by seq`,
      [user.userId],
    );
    const about = { action: 'test.send', account: user.accountId, reason: 'read_only' };
    expect(ended.map(({ data }) => data)).toEqual([
      { approvalId: asked.details.approvalId, ...about },
      { approvalId: own.approvalId, ...about },
    ]);
    await rejectedWith(scene.decide(user, own.approvalId), 'conflict');
    expect(scene.sent).toBe(0);
  });

  it('gets no new approval for a call that has passed its checks', async () => {
    scene.policies.set('test.notify', { approval: 'destructive' });
    let setting: Promise<unknown> | undefined;
    scene.checked = () => {
      setting ??= scene.steward.context.readOnlySwitches.set(user.userId, user.accountId, null);
    };
    await rejectedWith(scene.call(user, 'test.notify', MESSAGE), 'forbidden');
    await setting;
    expect(await scene.steward.sql(`select id from approvals where user_id = $1 and status <> 'ended'`, [user.userId])).toEqual([]);
  });

  it('is on record: audit, events, export', async () => {
    const { grant } = await newToken();
    const { body } = await set({ client_id: grant.id });
    await lift(body.id);
    const rows = (await scene.audit(user)).filter(({ decision }) => decision.startsWith('read_only'));
    const common = { call_id: body.id, account_id: user.accountId, client_id: grant.id, surface: 'http' };
    expect(rows).toMatchObject([
      { ...common, decision: 'read_only_set' },
      { ...common, decision: 'read_only_lifted' },
    ]);
    const events = await scene.steward.sql(`select data from events where user_id = $1 and event = 'account.read_only' order by seq`, [
      user.userId,
    ]);
    const data = { account: user.accountId, client: grant.id };
    expect(events).toEqual([{ data: { ...data, readOnly: true } }, { data: { ...data, readOnly: false } }]);
    const again = (await set()).body;
    const exported = await scene.steward.call('/user/export', { token: user.token });
    expect(exported.body.read_only_accounts).toEqual([
      expect.objectContaining({ id: again.id, account_id: user.accountId, client_id: null }),
    ]);
  });

  it('stays one when it is connected again, and not after it was disconnected', async () => {
    const { body } = await set();
    await scene.connect({ token: user.token, email: user.email });
    expect(await listed()).toEqual([body]);
    await scene.steward.call(`/auth/workspace/accounts/${user.accountId}`, { method: 'DELETE', token: user.token });
    expect(await listed()).toEqual([]);
    user = await scene.connect({ token: user.token, email: user.email });
    await send();
    expect(scene.sent).toBe(1);
  });
});

describe('a read-only account of one client', () => {
  it('is listed until the client’s token is revoked', async () => {
    const { grant } = await newToken();
    const { body: own } = await set();
    await set({ client_id: grant.id });
    expect(await listed()).toHaveLength(2);
    await scene.steward.context.clientTokens.revoke(user.userId, grant.id);
    expect(await listed()).toEqual([own]);
  });
});

describe('setting an account to read-only', () => {
  it('changes nothing the second time', async () => {
    const { grant } = await newToken();
    for (const more of [{}, { client_id: grant.id }]) {
      const first = await set(more);
      expect((await set(more)).body).toEqual(first.body);
    }
    const inCapitals = { account_id: user.accountId.toUpperCase(), client_id: grant.id.toUpperCase() };
    expect(await set(inCapitals)).toMatchObject({ status: 200, body: { account_id: user.accountId, client_id: grant.id } });
    expect(await listed()).toHaveLength(2);
    expect((await scene.trail(user)).filter((row) => row.startsWith('read_only_set'))).toHaveLength(2);
  });

  it.each([
    [{ account_id: UNKNOWN }],
    [{ account_id: null }],
    [{ account_id: 7 }],
    [{ account_id: 'x' }],
    [{ client_id: UNKNOWN }],
    [{ client_id: null }],
    [{ client_id: '' }],
    [{ client: 'x' }],
  ])('is refused with %j', async (more) => {
    expect(await set(more)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(await listed()).toEqual([]);
  });

  it('is refused for accounts and tokens of others, and for tokens that have ended', async () => {
    const other = await scene.connect();
    expect(await set({}, other.token)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    const { grant } = await newToken();
    expect(await set({ account_id: other.accountId, client_id: grant.id }, other.token)).toMatchObject({ status: 400 });
    await scene.steward.context.clientTokens.revoke(user.userId, grant.id);
    expect(await set({ client_id: grant.id })).toMatchObject({ status: 400 });
  });

  it('is for the user in person only, and lifted by the user only', async () => {
    const { token } = await newToken();
    const { body } = await set();
    const other = await scene.connect();
    for (const credential of [token, `Bearer ${token}`]) {
      expect((await set({}, credential)).status).toBe(401);
      expect((await lift(body.id, credential)).status).toBe(401);
      expect((await scene.steward.call('/read-only', { token: credential })).status).toBe(401);
    }
    expect((await lift(body.id, other.token)).status).toBe(404);
    expect(await listed()).toEqual([body]);
  });

  it('needs no recent sign-in, and lifting it does', async () => {
    const token = await earlier();
    const { status, body } = await set({}, token);
    expect(status).toBe(200);
    expect(await lift(body.id, token)).toMatchObject({ status: 403, body: { code: 'recent_login_required' } });
    expect((await lift(body.id)).status).toBe(200);
  });
});
