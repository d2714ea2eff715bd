import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ClientGrantRow } from '../../../src/executor/call/client-grants-repository.ts';
import { createPostgresDatabase, hasPostgres } from '../../support/database/postgres.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { newName } from '../../support/scenes/flows.ts';
import { earlierSignIn } from '../../support/users/earlier-sign-in.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const MESSAGE = { to: ['ana@example.com'] };
const JSON_TYPE = { 'content-type': 'application/json' };
const METADATA = 'https://assistant.example.com/oauth/metadata.json';

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

/** A client that signed in with OAuth. */
function newApp(more: Partial<ClientGrantRow> = {}): Promise<ClientGrantRow> {
  return scene.steward.context.clientGrants.create({
    userId: user.userId,
    kind: 'oauth',
    name: 'Assistant',
    tokenHash: randomBytes(32),
    lastFour: null,
    oauthClientId: METADATA,
    redirectHost: 'assistant.example.com',
    actions: ['*'],
    access: 'write',
    accountIds: null,
    exceptAccountIds: [],
    days: 90,
    ...more,
  });
}

const newToken = (on = scene, of = user) =>
  on.steward.context.clientTokens.create(of.userId, { name: 'script', actions: ['*'], access: 'write', days: 1 });
const list = async (token = user.token) => (await scene.steward.call('/clients', { token })).body.clients;
const disconnect = (id: string, token = user.token) => scene.steward.call(`/clients/${id}`, { method: 'DELETE', token });
const as = ({ id: clientId }: { id: string }) => ({ userId: user.userId, clientId });
const post = (path: string, token: string, body: object = {}, on = scene.steward) =>
  on.call(path, { token: `Bearer ${token}`, body: JSON.stringify(body), headers: JSON_TYPE });
const rowsOf = (clientId: string) =>
  scene.steward.sql<{ kind: string }>(
    `select 'context' as kind from contexts where user_id = $1 and name = 'client:' || $2
     union all select 'read' from context_reads where user_id = $1 and context = 'client:' || $2
     union all select 'outcome' from approvals where user_id = $1 and client_id = $2::uuid and outcome is not null`,
    [user.userId, clientId],
  );
const kinds = (rows: { kind: string }[]) => [...new Set(rows.map(({ kind }) => kind))].sort();

describe('GET /clients', () => {
  it('lists OAuth clients and tokens, newest first', async () => {
    const { token, grant } = await newToken();
    const app = await newApp({ actions: ['mail.*'], access: 'read', accountIds: [user.accountId] });
    await post('/agents/test.read', token);
    const [first, second, ...others] = await list();
    expect(others).toEqual([]);
    expect(first).toEqual({
      id: app.id,
      kind: 'oauth',
      name: 'Assistant',
      host: 'assistant.example.com',
      redirect_host: 'assistant.example.com',
      about: 'From assistant.example.com.',
      last_four: null,
      actions: ['mail.*'],
      access: 'read',
      accounts: [user.accountId],
      except_accounts: [],
      created_at: app.createdAt.toISOString(),
      expires_at: app.expiresAt.toISOString(),
      last_used_at: null,
      last_action: null,
      revoked_at: null,
    });
    const kind = { id: grant.id, kind: 'personal_access_token', host: null, redirect_host: null, last_four: token.slice(-4) };
    expect(second).toMatchObject({ ...kind, accounts: null, last_action: 'test.read', last_used_at: expect.any(String) });
    expect((await scene.steward.call('/tokens', { token: user.token })).body.tokens).toMatchObject([{ id: grant.id }]);
  });

  it.each([
    ['an https address', METADATA, 'assistant.example.com'],
    ['an address with a port and a user', 'https://bank.example@evil.example:8443/m', 'evil.example:8443'],
    ['an address in another script', 'https://аpple.example/m', 'xn--pple-43d.example'],
    ['an http address', 'http://assistant.example.com/m', null],
    ['an id from registration', 'dHJ1c3QgbWUK', null],
  ])('names the host of a client whose id is %s', async (_what, oauthClientId, host) => {
    await newApp({ oauthClientId });
    expect(await list()).toMatchObject([{ host }]);
  });

  it('lists those that have ended for 30 days', async () => {
    const [revoked, expired] = [await newApp(), await newApp()];
    await disconnect(revoked.id);
    await scene.steward.sql(`update client_grants set expires_at = now() - interval '1 day' where id = $1`, [expired.id]);
    expect(await list()).toMatchObject([
      { id: expired.id, revoked_at: null },
      { id: revoked.id, revoked_at: expect.any(String) },
    ]);
  });

  it('lists no other user’s, and is only for the user in person', async () => {
    await newApp();
    expect(await list((await scene.connect()).token)).toEqual([]);
    const { token } = await newToken();
    expect((await scene.steward.call('/clients', { token })).status).toBe(401);
    expect((await scene.steward.call('/clients')).status).toBe(401);
  });
});

describe('DELETE /clients/{id}', () => {
  it('ends an OAuth client with all that it has: approvals, results, what it has read, but not that it has', async () => {
    const app = await newApp();
    scene.policies.set('test.notify', { approval: 'destructive' });
    await scene.call(as(app), 'test.read');
    const answered = await scene.ask(as(app), 'test.notify', MESSAGE);
    await scene.decide(user, answered.approvalId);
    const pending = await scene.ask(as(app), 'test.notify', { to: ['zoe@example.com'] });
    expect(kinds(await rowsOf(app.id))).toEqual(['context', 'outcome', 'read']);

    expect(await disconnect(app.id)).toMatchObject({ status: 200, body: { success: true } });

    await rejectedWith(scene.call(as(app), 'test.read'), 'invalid_token');
    await rejectedWith(scene.decide(user, pending.approvalId), 'conflict');
    expect(kinds(await rowsOf(app.id))).toEqual(['context']);
    expect(scene.sent).toBe(1);
  });

  it('ends a token, whose next request is rejected; also without a recent sign-in', async () => {
    const { token, grant } = await newToken();
    expect((await post('/agents/test.read', token)).status).toBe(200);
    expect((await disconnect(grant.id, await earlier())).status).toBe(200);
    expect(await post('/agents/test.read', token)).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
  });

  it('is on record, once', async () => {
    const app = await newApp();
    for (let times = 0; times < 2; times += 1) expect((await disconnect(app.id)).status).toBe(200);
    const { entries } = (await scene.steward.call('/user/audit', { token: user.token })).body;
    expect(entries).toEqual(
      ['client_revoked', 'client_connected'].map((decision) =>
        expect.objectContaining({ client_id: app.id, action: '*', surface: 'http', decision, outcome: 'ok' }),
      ),
    );
    const events = await scene.steward.sql<{ event: string; data: object }>(
      `select event, data from events where user_id = $1 and event like 'client.%' order by seq`,
      [user.userId],
    );
    expect(events).toEqual([
      { event: 'client.connected', data: { id: app.id, name: 'Assistant' } },
      { event: 'client.revoked', data: { id: app.id } },
    ]);
  });

  it('finds no other user’s, and no malformed id', async () => {
    const app = await newApp();
    const other = await scene.connect();
    for (const [id, token] of [
      [app.id, other.token],
      ['00000000-0000-4000-8000-000000000000', user.token],
      ['x', user.token],
    ] as const) {
      expect(await disconnect(id, token)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    expect(await list()).toMatchObject([{ id: app.id, revoked_at: null }]);
    expect((await disconnect(app.id, (await newToken()).token)).status).toBe(401);
  });
});

it.skipIf(!hasPostgres)('DELETE /clients/{id} ends a token on a second replica, too', async () => {
  await using resources = new AsyncDisposableStack();
  const database = resources.adopt(await createPostgresDatabase(), (made) => made.drop());
  const env = { DATABASE_URL: database.url, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` };
  const first = resources.adopt(await ExecutorScene.start(env), (started) => started.stop());
  const second = resources.adopt(await first.replica(env), (started) => started.stop());
  const owner = await first.connect();
  const { token, grant } = await newToken(first, owner);
  expect((await post('/agents/test.read', token, {}, second)).status).toBe(200);
  expect((await first.steward.call(`/clients/${grant.id}`, { method: 'DELETE', token: owner.token })).status).toBe(200);
  expect(await post('/agents/test.read', token, {}, second)).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
});
