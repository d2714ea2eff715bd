import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Allowances } from '../../../src/executor/policy/allowances.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { linkBank, sweepNow } from '../../support/scenes/flows.ts';
import { respond } from '../../support/servers/scripted-server.ts';
import { eventually } from '../../support/time/eventually.ts';
import { callAction } from '../../support/users/agents.ts';
import { McpClient } from '../../support/users/mcp-client.ts';
import { newThread } from '../../support/users/new-thread.ts';
import { type ConnectedGrant, connectGrant } from '../../support/users/refreshing.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const ACTION = 'test.notify';
const [ANA, ZOE] = ['ana@example.com', 'zoe@example.com'];
const MESSAGES = '/api/gmail/v1/users/me/messages';
const JSON_TYPE = { 'content-type': 'application/json' };

let scene: ExecutorScene;
let user: ConnectedGrant;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.policies.set(ACTION, { approval: 'destructive' });
  scene.sending(200);
  user = await scene.connect();
  writtenTo();
});

/** The account has written to these people only. */
function writtenTo(...people: string[]): void {
  scene.provider.on(MESSAGES, (response, { query }) => {
    const found = people.some((address) => query.get('q')?.includes(address));
    respond(response, { body: found ? { messages: [{ id: 'sent1' }] } : {} });
  });
  scene.provider.on(`${MESSAGES}/sent1`, { body: { payload: { headers: [{ name: 'To', value: people.join(', ') }] } } });
}

const newToken = (name = 'script', of = user) =>
  scene.steward.context.clientTokens.create(of.userId, { name, actions: ['*'], access: 'write', days: 30 });
const as = ({ id: clientId }: { id: string }) => ({ userId: user.userId, clientId });
/** The error of a client's call. */
const askedOver = async (token: string, input: object): Promise<Record<string, any>> => {
  const error: any = await callAction(scene.steward, ACTION, input, { token }).catch((thrown) => thrown);
  return error.details;
};

let texts = 0;
/** A message that no other equals. */
const to = (...addresses: string[]) => ({ to: addresses, text: `Message ${++texts}.` });
const call = (...addresses: string[]) => scene.call(user, ACTION, to(...addresses));
const asks = (...addresses: string[]) => scene.ask(user, ACTION, to(...addresses));
/** Approves a new call to these people, and allows the like. */
async function remember(...addresses: string[]): Promise<void> {
  const { approvalId } = await asks(...addresses);
  await scene.decide(user, approvalId, { rememberFor: 7 });
}
async function listed(token = user.token): Promise<Record<string, any>[]> {
  return (await scene.steward.call('/allowances', { token })).body.allowances;
}
const revoke = (id: string, token = user.token) => scene.steward.call(`/allowances/${id}`, { method: 'DELETE', token });
const stored = () => scene.steward.sql('select id from allowances where user_id = $1', [user.userId]);
const events = () =>
  scene.steward.sql<{ event: string; data: object }>(
    `select event, data from events where user_id = $1 and event like 'allowance.%' order by seq`,
    [user.userId],
  );

describe('a call that is allowed in advance', () => {
  it('runs without a question if all who see it are among the people', async () => {
    await remember(ANA, ZOE);
    await call(ANA);
    await call(ZOE, ANA.toUpperCase());
    expect(scene.sent).toBe(3);
    await asks(ANA, 'eve@example.com');
    await asks('eve@example.com');
    await asks(user.email);
    for (const like of [
      'ana+x@example.com',
      'ana@example.com.',
      'Ana <ana@example.com>',
      '\u0430na@example.com',
      'ana@example.com\u200b',
    ]) {
      await asks(like);
    }
    expect(scene.sent).toBe(3);
    const rows = await scene.trail(user);
    expect(rows.slice(0, 7)).toEqual([
      'approval_required approval_required',
      'approved ok',
      'allowance_created ok',
      'started ok',
      'allowed ok',
      'started ok',
      'allowance_used ok',
    ]);
  });

  it('asks about an address that only becomes the allowed one in lower case', async () => {
    await remember('kate@example.com');
    const { audience } = await asks('\u212Aate@example.com');
    expect(audience).toMatchObject([{ address: '\u212Aate@example.com' }]);
    expect(scene.sent).toBe(1);
    scene.policies.set(ACTION, { approval: 'never', allow: { to: ['kate@example.com'] } });
    await call('KATE@example.com');
    await rejectedWith(call('\u212Aate@example.com'), 'forbidden');
    expect(scene.sent).toBe(2);
  });

  it('is listed, exported and an event', async () => {
    await remember(ANA);
    const [one, ...others] = await listed();
    expect(others).toEqual([]);
    expect(one).toMatchObject({
      action: ACTION,
      account_id: user.accountId,
      recipients: [{ address: ANA, relation: 'new' }],
      folder: null,
    });
    const days = (Date.parse(one?.expires_at) - Date.parse(one?.created_at)) / 86_400_000;
    expect(days).toBe(7);
    expect(await events()).toEqual([
      { event: 'allowance.created', data: { id: one?.id, action: ACTION, account: user.accountId, expiresAt: one?.expires_at } },
    ]);
    const exported = await scene.steward.call('/user/export', { token: user.token });
    expect(exported.body.allowances).toEqual([
      expect.objectContaining({
        id: one?.id,
        asker: 'user',
        client_id: null,
        covered: { recipients: [{ address: ANA, relation: 'new' }], arguments: expect.any(Array) },
      }),
    ]);
    const [row] = await scene.steward.sql<{ text: string }>('select row_to_json(a)::text as text from allowances a where user_id = $1', [
      user.userId,
    ]);
    expect(row?.text).not.toContain('ana');
  });

  it('is for its action and its account only', async () => {
    await remember(ANA);
    const second = await scene.connect({ token: user.token });
    await scene.ask(second, ACTION, to(ANA), { account: second.accountId });
    await scene.steward.sql(`update allowances set action = 'test.reply' where user_id = $1`, [user.userId]);
    await asks(ANA);
    expect(scene.sent).toBe(1);
  });

  it('does not run if the user has denied it, or has yet to decide on it', async () => {
    const [denied, open] = [to(ANA), to(ANA)];
    await scene.decide(user, (await scene.ask(user, ACTION, denied)).approvalId, { approved: false });
    const { approvalId } = await scene.ask(user, ACTION, open);
    await remember(ANA);
    await rejectedWith(scene.call(user, ACTION, denied), 'forbidden');
    expect((await scene.ask(user, ACTION, open)).approvalId).toBe(approvalId);
    expect(scene.sent).toBe(1);
  });

  it('can be allowed, listed and revoked by no client', async () => {
    const { token } = await newToken();
    const { approvalId } = await askedOver(token, to(ANA));
    const client = await SocketClient.signedIn(scene.steward.url, token);
    const own = await client.request({ type: 'approve', approvalId, approved: true, rememberFor: 7 });
    client.close();
    expect(own).toMatchObject({ error: { code: 'forbidden' } });
    expect(await stored()).toEqual([]);
    await scene.decide(user, approvalId, { rememberFor: 7 });
    await callAction(scene.steward, ACTION, to(ANA), { token });
    const [{ id } = { id: '' }] = await listed();
    for (const credential of [token, `Bearer ${token}`]) {
      expect((await scene.steward.call('/allowances', { token: credential })).status).toBe(401);
      expect((await revoke(id, credential)).status).toBe(401);
    }
    expect(await stored()).toHaveLength(1);
  });

  it.each(['user', 'assistant', 'client', 'other client'] as const)('runs for whoever asked for it only: %s', async (asker) => {
    const [mine, other] = [await newToken('mine'), await newToken('other')];
    const askers = {
      user: { calls: () => scene.call(user, ACTION, to(ANA)) },
      assistant: { calls: async () => scene.call(user, ACTION, to(ANA), { thread: await newThread(scene.steward, user.userId) }) },
      client: { calls: () => scene.call(as(mine.grant), ACTION, to(ANA)) },
      'other client': { calls: () => scene.call(as(other.grant), ACTION, to(ANA)) },
    };
    const { details } = await rejectedWith(askers[asker].calls(), 'approval_required');
    await scene.decide(user, String(details?.approvalId), { rememberFor: 7 });
    for (const [name, { calls }] of Object.entries(askers)) {
      if (name === asker) await calls();
      else await rejectedWith(calls(), 'approval_required');
    }
    expect(scene.sent).toBe(2);
    const of = { user: null, assistant: null, client: { name: 'mine' }, 'other client': { name: 'other' } }[asker];
    expect(await listed()).toMatchObject([{ asker: asker.split(' ').at(-1), client: of && { ...of, kind: 'personal_access_token' } }]);
  });

  it('runs over every surface of its client', async () => {
    const { token } = await newToken();
    const { approvalId } = await askedOver(token, to(ANA));
    await scene.decide(user, approvalId, { rememberFor: 7 });
    await callAction(scene.steward, ACTION, to(ANA), { token });
    const posted = { token: `Bearer ${token}`, body: JSON.stringify(to(ANA)), headers: JSON_TYPE };
    expect(await scene.steward.call(`/agents/${ACTION}`, posted)).toMatchObject({ status: 200 });
    const { message } = await new McpClient(scene.steward, token).call('test_notify', to(ANA));
    expect(message.result).toMatchObject({ structuredContent: { data: { id: 'm1' } } });
    expect(scene.sent).toBe(4);
  });

  it.each([
    ['tells people', {}, { notify: true }],
    ['tells nobody', { notify: true }, {}],
    ['gives another role', { role: 'reader' }, { role: 'writer' }],
    ['gives a role', {}, { role: 'reader' }],
    ['has files', {}, { files: ['f1'] }],
    ['has no files', { files: ['f1'] }, {}],
    ['has another number', { minutes: 5 }, { minutes: 6 }],
  ])('asks if it %s, other than the one that was approved', async (_what, approved, called) => {
    const { approvalId } = await scene.ask(user, ACTION, { ...to(ANA), ...approved });
    await scene.decide(user, approvalId, { rememberFor: 7 });
    await scene.ask(user, ACTION, { ...to(ANA), ...called });
    expect(scene.sent).toBe(1);
    await scene.call(user, ACTION, { ...to(ANA), ...approved });
    expect(scene.sent).toBe(2);
  });

  it('runs with other texts, files and people', async () => {
    const { approvalId } = await scene.ask(user, ACTION, { ...to(ANA, ZOE), files: ['f1'], notify: true });
    await scene.decide(user, approvalId, { rememberFor: 7 });
    await scene.call(user, ACTION, { ...to(ZOE), files: ['f2', 'f3'], notify: true });
    expect(scene.sent).toBe(2);
    const given = [{ name: 'files' }, { name: 'notify', values: [true] }, { name: 'text' }, { name: 'to' }];
    expect(await listed()).toMatchObject([{ arguments: given }]);
  });

  it('is for the arguments that the user approved in place of those asked for', async () => {
    const { approvalId } = await scene.ask(user, ACTION, { ...to(ANA), notify: true });
    await scene.decide(user, approvalId, { rememberFor: 7, input: to(ANA) });
    await call(ANA);
    await scene.ask(user, ACTION, { ...to(ANA), notify: true });
    expect(scene.sent).toBe(2);
  });
});

describe('allowing calls in advance', () => {
  it.each([0, 31, 1.5, '7 days', null, 1e9, -1, [7], {}])('is not for %j days', async (days) => {
    const { approvalId } = await asks(ANA);
    const client = await SocketClient.signedIn(scene.steward.url, user.token);
    const response = await client.request({ type: 'approve', approvalId, approved: true, rememberFor: days });
    client.close();
    expect(response).toMatchObject({ error: { code: 'invalid_request' } });
    const body = JSON.stringify({ approved: true, remember_for: days });
    const posted = await scene.steward.call(`/approvals/${approvalId}`, { token: user.token, body, headers: JSON_TYPE });
    expect(posted).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(scene.sent).toBe(0);
    expect(await stored()).toEqual([]);
  });

  it('is possible over the socket and over HTTP, for up to 30 days', async () => {
    const client = await SocketClient.signedIn(scene.steward.url, user.token);
    const approvalId = String((await asks(ANA)).approvalId);
    expect(await client.request({ type: 'approve', approvalId, approved: true, rememberFor: 30 })).toMatchObject({ type: 'result' });
    client.close();
    const body = JSON.stringify({ approved: true, remember_for: 1 });
    const path = `/approvals/${(await asks(ZOE)).approvalId}`;
    expect(await scene.steward.call(path, { token: user.token, body, headers: JSON_TYPE })).toMatchObject({ status: 200 });
    expect(await listed()).toHaveLength(2);
    await call(ANA);
    await call(ZOE);
    await asks(ANA, ZOE);
    expect(scene.sent).toBe(4);
  });

  it.each([
    ['a denied call', ACTION, 'destructive', { approved: false }, 'only a call that is approved'],
    ['a call that deletes', 'test.remove', 'destructive', {}, 'each call that deletes'],
    ['a call that the operator always asks about', ACTION, 'always', {}, 'the operator requires approval of each call'],
  ] as const)('is refused for %s, which waits on', async (_what, action, approval, more, reason) => {
    scene.policies.set(action, { approval });
    const { approvalId } = await scene.ask(user, action, to(ANA));
    const { message } = await rejectedWith(scene.decide(user, approvalId, { rememberFor: 7, ...more }), 'invalid_request');
    expect(message.toLowerCase()).toContain(reason);
    expect(scene.sent).toBe(0);
    expect(await stored()).toEqual([]);
    await scene.decide(user, approvalId);
    expect(scene.sent).toBe(1);
  });

  it('is refused after a bank’s data was read, also for the user’s own address', async () => {
    await linkBank(scene.steward, user.token);
    await callAction(scene.steward, 'bank.balances', {}, { token: user.token });
    const { approvalId } = await asks(user.email);
    const { message } = await rejectedWith(scene.decide(user, approvalId, { rememberFor: 7 }), 'invalid_request');
    expect(message).toContain('a bank’s data was read before');
    expect(scene.sent).toBe(0);
  });

  it.each([
    ['new', () => writtenTo()],
    ['of an unknown relation', () => scene.answers(MESSAGES, 403, {})],
  ])('is refused for a recipient who is %s, after text of others was read', async (_what, script) => {
    script();
    await scene.call(user, 'test.read');
    const { approvalId } = await asks(ANA);
    const { message } = await rejectedWith(scene.decide(user, approvalId, { rememberFor: 7 }), 'invalid_request');
    expect(message).toContain('someone who sees it is new to you');
    expect(scene.sent).toBe(0);
    await scene.decide(user, approvalId);
    expect(await stored()).toEqual([]);
  });

  it('with an edit that adds a recipient takes effect with the approval of the new question only', async () => {
    const { approvalId } = await asks(ANA);
    const edited = scene.decide(user, approvalId, { input: to(ANA, ZOE), rememberFor: 7 });
    await rejectedWith(edited, 'approval_required');
    expect(await stored()).toEqual([]);
    expect(scene.sent).toBe(0);
    await scene.decide(user, approvalId, { rememberFor: 7 });
    await call(ZOE);
    expect(scene.sent).toBe(2);
  });

  it('with an edit that removes a recipient is for the others', async () => {
    const { approvalId } = await asks(ANA, ZOE);
    await scene.decide(user, approvalId, { input: to(ANA), rememberFor: 7 });
    await call(ANA);
    await asks(ZOE);
    expect(scene.sent).toBe(2);
  });

  it('with an edit is refused before the question changes', async () => {
    const { approvalId } = await asks(ANA);
    await scene.call(user, 'test.read');
    await rejectedWith(scene.decide(user, approvalId, { input: to(ANA, ZOE), rememberFor: 7 }), 'invalid_request');
    expect(await scene.steward.context.executor.approvals(user.userId)).toMatchObject([{ input: { to: [ANA] } }]);
  });

  it('is possible 100 times', async () => {
    await remember(ANA);
    const copy = (rows: number) =>
      scene.steward.sql(
        `insert into allowances (id, user_id, account_id, grant_id, subject, action, revision, covered, expires_at, asker)
         select gen_random_uuid(), user_id, account_id, grant_id, subject, action, revision, covered, expires_at, asker
         from allowances, generate_series(1, $2::int) where user_id = $1 limit $2::int`,
        [user.userId, rows],
      );
    await copy(98);
    await remember(ZOE);
    const { approvalId } = await asks('eve@example.com');
    await rejectedWith(scene.decide(user, approvalId, { rememberFor: 7 }), 'conflict');
    expect(scene.sent).toBe(2);
    await scene.decide(user, approvalId);
    await scene.steward.sql(`update allowances set expires_at = now() where user_id = $1`, [user.userId]);
    await remember(ANA);
    expect(scene.sent).toBe(4);
  });
});

describe('an allowance', () => {
  it('is only for people who were known, after text of others was read', async () => {
    writtenTo(ANA);
    await remember(ANA, user.email);
    await remember(ZOE);
    await scene.call(user, 'test.read');
    await call(ANA, user.email);
    await asks(ZOE);
    await asks(ANA, ZOE);
    expect(scene.sent).toBe(3);
  });

  it('can be given for known people after text of others was read', async () => {
    writtenTo(ANA);
    await scene.call(user, 'test.read');
    await remember(ANA);
    await call(ANA);
    expect(scene.sent).toBe(2);
  });

  it('holds back nothing that the operator denies or always asks about', async () => {
    writtenTo(ANA);
    await remember(ANA);
    scene.policies.set(ACTION, { approval: 'always' });
    await asks(ANA);
    scene.policies.set(ACTION, { approval: 'never', tainted: 'deny' });
    await scene.call(user, 'test.read');
    await rejectedWith(call(ANA), 'forbidden');
    expect(scene.sent).toBe(1);
  });

  it('holds back nothing after a bank’s data was read', async () => {
    scene.policies.set(ACTION, { approval: 'destructive', allow: { to: ['*@example.com'] } });
    writtenTo(ANA);
    await remember(ANA);
    await linkBank(scene.steward, user.token);
    await callAction(scene.steward, 'bank.balances', {}, { token: user.token });
    await asks(ANA);
    expect(scene.sent).toBe(1);
  });

  it('ends when the user revokes it', async () => {
    await remember(ANA);
    const [{ id } = { id: '' }] = await listed();
    const other = await scene.connect();
    expect((await revoke(id, other.token)).status).toBe(404);
    expect(await listed(other.token)).toEqual([]);
    expect(await revoke(id)).toMatchObject({ status: 200, body: { success: true } });
    expect((await revoke(id)).status).toBe(404);
    await asks(ANA);
    expect(await listed()).toEqual([]);
    expect((await events()).at(-1)).toEqual({ event: 'allowance.revoked', data: { id, action: ACTION, account: user.accountId } });
    const revoked = (await scene.audit(user)).find(({ decision }) => decision === 'allowance_revoked');
    expect(revoked).toMatchObject({ call_id: id, action: ACTION, account_id: user.accountId, surface: 'http' });
  });

  describe('of a client', () => {
    async function rememberFor({ grant }: { grant: { id: string } }): Promise<void> {
      const { approvalId } = await scene.ask(as(grant), ACTION, to(ANA));
      await scene.decide(user, approvalId, { rememberFor: 7 });
    }

    it.each(['/tokens', '/clients'])('ends with it in the same transaction, at %s', async (path) => {
      const made = await newToken();
      await rememberFor(made);
      await remember(ZOE);
      expect(await stored()).toHaveLength(2);
      expect((await scene.steward.call(`${path}/${made.grant.id}`, { method: 'DELETE', token: user.token })).status).toBe(200);
      expect(await listed()).toMatchObject([{ recipients: [{ address: ZOE }], client: null }]);
      expect(await stored()).toHaveLength(1);
    });

    it('ends with its time', async () => {
      const made = await newToken();
      await rememberFor(made);
      await scene.steward.sql(`update client_grants set expires_at = now() where id = $1`, [made.grant.id]);
      expect(await listed()).toEqual([]);
    });

    it('does not begin again with a client that signs in anew at the operator’s own server', async () => {
      const { clientGrants } = scene.steward.context;
      const of = { kind: 'external', name: 'app', lastFour: null, oauthClientId: 'app', redirectHost: null } as const;
      const permitted = { actions: ['*'], access: 'write', accountIds: null, exceptAccountIds: [], days: 1 } as const;
      const grant = await clientGrants.create({ userId: user.userId, tokenHash: randomBytes(32), ...of, ...permitted });
      await rememberFor({ grant });
      await scene.steward.sql(`update client_grants set expires_at = now() where id = $1`, [grant.id]);
      expect(await clientGrants.renew(grant, new Date(scene.steward.clock.now() + 1_000), 1)).toMatchObject({ id: grant.id });
      expect(await stored()).toEqual([]);
      await scene.ask(as(grant), ACTION, to(ANA));
    });
  });

  it('is looked up again when its call starts', async () => {
    const made = await newToken();
    await remember(ANA);
    const { covering } = Allowances.prototype;
    vi.spyOn(Allowances.prototype, 'covering').mockImplementationOnce(async function (this: Allowances, ...given) {
      const found = await covering.apply(this, given);
      await scene.steward.sql(`update allowances set asker = 'client', client_id = $2 where user_id = $1`, [user.userId, made.grant.id]);
      return found;
    });
    await asks(ANA);
    expect(scene.sent).toBe(1);
  });

  it('ends when its time is up', async () => {
    await remember(ANA);
    await scene.steward.sql('update allowances set expires_at = now() where user_id = $1', [user.userId]);
    await asks(ANA);
    expect(await listed()).toEqual([]);
    await sweepNow(scene.steward);
    await eventually(async () => (await stored()).length === 0);
  });

  it('ends with its connection, and does not pass to who is connected under the same address', async () => {
    await remember(ANA);
    const path = `/auth/workspace/accounts/${user.accountId}`;
    expect((await scene.steward.call(path, { method: 'DELETE', token: user.token })).status).toBe(200);
    expect(await stored()).toEqual([]);
    const sub = 'somebody-else';
    user = await connectGrant(scene.steward, scene.provider, scene.steward.sql, {
      token: user.token,
      email: user.email,
      change: { claims: { sub }, userinfo: { sub } },
    });
    await asks(ANA);
    expect(scene.sent).toBe(1);
  });

  it('does not pass to another account of the provider behind the same connection', async () => {
    await remember(ANA);
    await scene.steward.sql(`update grants set subject = 'somebody-else' where id = $1`, [user.grantId]);
    await asks(ANA);
    expect(await listed()).toEqual([]);
  });

  it('stays when the same account is connected again', async () => {
    await remember(ANA);
    await scene.connect({ token: user.token, email: user.email });
    await call(ANA);
    expect(scene.sent).toBe(2);
  });

  it('ends when its action is configured otherwise, also if that is undone', async () => {
    await remember(ANA);
    scene.revision = 'r2';
    await asks(ANA);
    expect(await listed()).toEqual([]);
    await scene.steward.context.allowances.reconfigured({ [ACTION]: 'r2' });
    scene.revision = 'r1';
    await asks(ANA);
    expect(scene.sent).toBe(1);
  });

  it('ends with its user', async () => {
    await remember(ANA);
    expect((await scene.steward.call('/user', { method: 'DELETE', token: user.token })).status).toBe(200);
    expect(await stored()).toEqual([]);
  });

  it('that can’t be decrypted is none, and can be revoked', async () => {
    await remember(ANA);
    await scene.steward.sql(`update allowances set covered = '\\x00' where user_id = $1`, [user.userId]);
    await asks(ANA);
    const [one] = await listed();
    expect(one).toMatchObject({ recipients: [], folder: null });
    expect((await revoke(one?.id)).status).toBe(200);
  });
});
