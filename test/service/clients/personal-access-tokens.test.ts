import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newClientToken } from '../../../src/clients/client-token.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { newName } from '../../support/scenes/flows.ts';
import { eventually } from '../../support/time/eventually.ts';
import { earlierSignIn } from '../../support/users/earlier-sign-in.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const MESSAGE = { to: ['ana@example.com'] };
const JSON_TYPE = { 'content-type': 'application/json' };
const REFUSED = { error: { code: 'forbidden' } };

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

/** The parts of a frame or of a close that tell why. */
const subset = ({ code, error }: any) => (code === undefined ? { error: { code: error.code } } : { code });

async function newToken(more: object = {}): Promise<{ token: string; id: string; status: number; body: any }> {
  const form = JSON.stringify({ name: 'script', actions: ['*'], access: 'write', ...more });
  const response = await scene.steward.call('/tokens', { token: user.token, body: form, headers: JSON_TYPE });
  const body = JSON.parse(response.text);
  return { token: body.token, id: body.id, status: response.status, body };
}

/** Calls an action over HTTP. */
async function call(token: string, action: string, input: unknown = {}, headers: Record<string, string> = {}, query = ''): Promise<any> {
  const response = await scene.steward.call(`/agents/${action}${query}`, {
    method: 'POST',
    token: `Bearer ${token}`,
    body: typeof input === 'string' ? input : JSON.stringify(input),
    headers: { ...JSON_TYPE, ...headers },
  });
  return { ...JSON.parse(response.text), status: response.status };
}

async function onSocket<Result>(token: string, work: (client: SocketClient) => Promise<Result>): Promise<Result> {
  const client = await SocketClient.signedIn(scene.steward.url, token);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

describe('a personal access token', () => {
  it('is shown once, stored as a hash, and listed by its last characters', async () => {
    const { token, id, body } = await newToken({ actions: ['mail.*'], access: 'read' });
    expect(token).toMatch(/^stw_pat_[0-9A-Za-z]{36}$/);
    expect(body).toMatchObject({ name: 'script', actions: ['mail.*'], access: 'read', accounts: null, last_used_at: null });
    const days = (Date.parse(body.expires_at) - Date.parse(body.created_at)) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    const list = await scene.steward.call('/tokens', { token: user.token });
    expect(JSON.parse(list.text).tokens).toEqual([expect.objectContaining({ id, last_four: token.slice(-4) })]);
    const exported = await scene.steward.call('/user/export', { token: user.token });
    expect(JSON.parse(exported.text).client_grants).toEqual([expect.objectContaining({ id, name: 'script' })]);
    const rows = await scene.steward.sql('select row_to_json(g)::text as row from client_grants g where id = $1', [id]);
    for (const text of [list.text, exported.text, JSON.stringify(rows), scene.steward.logs.join('')]) {
      expect(text).not.toContain(token.slice(8, 38));
    }
  });

  it.each([
    [{ name: '' }],
    [{ actions: [] }],
    [{ actions: ['nothing.here'] }],
    [{ actions: ['mail'] }],
    [{ actions: null }],
    [{ expires_in_days: 367 }],
    [{ expires_in_days: 0 }],
    [{ access: 'admin' }],
    [{ accounts: ['00000000-0000-4000-8000-000000000000'] }],
    [{ accounts: [] }],
    [{ extra: 1 }],
  ])('is not made with %j', async (more) => {
    expect(await newToken(more)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it.each(['Steward', ' STEWARD ', 'Ｓｔｅｗａｒｄ', 'Stеwаrd', 'Ste\u200bward', '\u200fSteward\u200e'])(
    'has no name that looks like the service’s: %j',
    async (name) => {
      const { status, body } = await newToken({ name });
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 'invalid_request', message: 'name: must not be, or look like, the name of this service' });
      const list = await scene.steward.call('/tokens', { token: user.token });
      expect(JSON.parse(list.text).tokens).toEqual([]);
    },
  );

  it('calls actions over HTTP and the socket, and is audited by its id', async () => {
    const { token, id } = await newToken();
    expect(await call(token, 'test.send', MESSAGE)).toMatchObject({ status: 200, data: { id: 'm1' }, meta: { accountId: user.accountId } });
    const response = await onSocket(token, (client) => client.request({ type: 'call', action: 'test.send', input: MESSAGE }));
    expect(response).toMatchObject({ type: 'result', data: { id: 'm1' } });
    const audit = JSON.parse((await scene.steward.call('/user/audit', { token: user.token })).text).entries;
    expect(audit.filter(({ decision }: any) => decision === 'started')).toEqual([
      expect.objectContaining({ client_id: id, surface: 'socket' }),
      expect.objectContaining({ client_id: id, surface: 'http' }),
    ]);
    const [listed] = JSON.parse((await scene.steward.call('/tokens', { token: user.token })).text).tokens;
    expect(listed.last_used_at).toMatch(/:00(\.000)?(Z|\+00:00)$/);
  });

  it('is in the audit log when it is made and when it is revoked', async () => {
    const { id } = await newToken();
    const { status } = await scene.steward.call(`/tokens/${id}`, { method: 'DELETE', token: user.token });
    expect(status).toBe(200);
    const audit = JSON.parse((await scene.steward.call('/user/audit', { token: user.token })).text).entries;
    expect(audit).toEqual([
      expect.objectContaining({ client_id: id, action: '*', decision: 'token_revoked', surface: 'http' }),
      expect.objectContaining({ client_id: id, action: '*', decision: 'token_created', surface: 'http' }),
    ]);
  });

  it('runs a change once for an idempotency key', async () => {
    const { token } = await newToken();
    for (let times = 0; times < 3; times++) {
      expect(await call(token, 'test.send', MESSAGE, { 'idempotency-key': 'k1' })).toMatchObject({ status: 200 });
    }
    expect(scene.sent).toBe(1);
  });

  it('may only do what it names', async () => {
    const reading = await newToken({ access: 'read' });
    expect(await call(reading.token, 'test.read')).toMatchObject({ status: 200 });
    expect(await call(reading.token, 'test.send', MESSAGE)).toMatchObject({ status: 403, code: 'forbidden' });
    const narrow = await newToken({ actions: ['test.read'] });
    expect(await call(narrow.token, 'test.send', MESSAGE)).toMatchObject({ status: 403 });
    expect(await call(narrow.token, 'test.readx')).toMatchObject({ status: 404 });
    const agents = (await onSocket(narrow.token, (client) => client.request({ type: 'list' }))).data.agents;
    expect(agents).toEqual([]);
    expect(scene.sent).toBe(0);
  });

  it('only reads unless it was made to write', async () => {
    for (const access of ['read', undefined]) {
      const { token, body } = await newToken({ access });
      expect(body.access).toBe('read');
      expect(await call(token, 'test.send', MESSAGE)).toMatchObject({ status: 403, code: 'forbidden' });
    }
    expect(scene.sent).toBe(0);
  });

  it('may only use the accounts it names', async () => {
    const second = await scene.connect({ token: user.token, email: 'second@example.org' });
    const { token } = await newToken({ accounts: [second.accountId] });
    expect(await call(token, 'test.read')).toMatchObject({ status: 200, meta: { accountId: second.accountId } });
    expect(await call(token, 'test.read', {}, {}, `?account=${user.accountId}`)).toMatchObject({ status: 400 });
  });

  it('asks the user, who decides; it never sees or decides on approvals itself', async () => {
    const { token } = await newToken();
    scene.policies.set('test.send', { approval: 'always' });
    const asked = await call(token, 'test.send', MESSAGE);
    expect(asked).toMatchObject({ status: 409, code: 'approval_required', details: { approvalId: expect.any(String) } });
    const { approvalId } = asked.details;
    await onSocket(token, async (client) => {
      for (const approved of [true, false]) expect(await client.request({ type: 'approve', approvalId, approved })).toMatchObject(REFUSED);
      expect(await client.request({ type: 'approve', approvalId, approved: true, input: MESSAGE })).toMatchObject(REFUSED);
      expect(await client.request({ type: 'approvals' })).toMatchObject(REFUSED);
    });
    expect(scene.sent).toBe(0);
    const [row] = await scene.steward.sql<{ status: string }>('select status from approvals where id = $1', [approvalId]);
    expect(row?.status).toBe('pending');
    const approve = { type: 'approve', approvalId, approved: true };
    expect(await onSocket(user.token, (client) => client.request(approve))).toMatchObject({ type: 'result' });
    expect(scene.sent).toBe(1);
  });

  it('opens nothing else', async () => {
    const { token } = await newToken();
    const { paths } = JSON.parse((await scene.steward.call('/openapi.json')).text);
    let tried = 0;
    for (const [path, methods] of Object.entries<any>(paths)) {
      for (const [method, { security }] of Object.entries<any>(methods)) {
        // How the token's own approvals ended: approval-results.test.ts.
        if (security.length === 0 || path.startsWith('/agents/') || ['/approvals/{id}/result', '/tools'].includes(path)) continue;
        const address = path.replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
        for (const credential of [token, `Bearer ${token}`]) {
          const { status, text } = await scene.steward.call(address, { method: method.toUpperCase(), token: credential });
          // The message says what the token is for.
          const isInPerson =
            /^\/(approvals|automations|notifications|auth\/session|auth\/sources\/entry|auth\/sources\/accounts\/[^/]+\/tools\/|sign-out)/.test(
              path,
            );
          expect([method, path, status]).toEqual([method, path, isInPerson ? 403 : 401]);
          expect(text).toMatch(/personal access token/);
          tried += 1;
        }
      }
    }
    expect(tried).toBeGreaterThan(20);
    expect((await scene.steward.call(`/agents/test.read?access_token=${token}`, { body: '{}', headers: JSON_TYPE })).status).toBe(401);
  });

  it.each([
    [
      'revoked',
      async ({ id }: { id: string }) => void (await scene.steward.call(`/tokens/${id}`, { method: 'DELETE', token: user.token })),
    ],
    [
      'expired',
      async ({ id }: { id: string }) => void (await scene.steward.sql(`update client_grants set expires_at = now() where id = $1`, [id])),
    ],
    ['of a deleted user', async () => void (await scene.steward.call('/user', { method: 'DELETE', token: user.token }))],
  ])('counts no longer at the next request once it is %s', async (_what, end) => {
    const made = await newToken();
    const client = await SocketClient.signedIn(scene.steward.url, made.token);
    expect(await client.request({ type: 'call', action: 'test.read' })).toMatchObject({ type: 'result' });
    scene.policies.set('test.send', { approval: 'always' });
    const asked = await call(made.token, 'test.send', MESSAGE);
    await end(made);
    expect(await call(made.token, 'test.read')).toMatchObject({ status: 401, code: 'invalid_token' });
    // The sockets of a deleted user are closed.
    const later = client.request({ type: 'call', action: 'test.read' }).catch(() => client.ended);
    expect([{ code: 4401 }, { error: { code: 'invalid_token' } }]).toContainEqual(expect.objectContaining(subset(await later)));
    await client.close();
    if (_what === 'of a deleted user') return;
    const approve = { type: 'approve', approvalId: asked.details.approvalId, approved: true };
    const decided = await onSocket(user.token, (own) => own.request(approve));
    expect(decided).toMatchObject({ error: { code: 'conflict' } });
    expect(scene.sent).toBe(0);
  });

  it('has its sockets closed once it is revoked, so that they take nothing from the user’s other tokens', async () => {
    const { token, id } = await newToken();
    const other = await newToken();
    const [revoked, kept] = [
      await SocketClient.signedIn(scene.steward.url, token),
      await SocketClient.signedIn(scene.steward.url, other.token),
    ];
    expect((await scene.steward.call(`/tokens/${id}`, { method: 'DELETE', token: user.token })).status).toBe(200);
    expect((await revoked.ended).code).toBe(4401);
    expect(await kept.request({ type: 'list' })).toMatchObject({ type: 'result' });
    await kept.close();
  });

  it('can’t take over a socket of the user or of another token, nor can the user take over its own', async () => {
    const [first, second] = [await newToken(), await newToken()];
    for (const [own, other] of [
      [user.token, first.token],
      [first.token, user.token],
      [first.token, second.token],
    ] as const) {
      const client = await SocketClient.signedIn(scene.steward.url, own);
      expect(await client.authenticate(other, { requestId: 'again' })).toMatchObject(REFUSED);
      expect((await client.ended).code).toBe(4401);
    }
  });

  it('does not begin a change once it is revoked, even after the call’s checks', async () => {
    const made = await newToken();
    scene.policies.set('test.notify', { approval: 'destructive' });
    let revoking: Promise<unknown> | undefined;
    scene.checked = () => {
      revoking ??= scene.steward.context.clientTokens.revoke(user.userId, made.id);
    };
    const result = await call(made.token, 'test.notify', { to: [] });
    await revoking;
    expect(revoking).toBeDefined();
    expect(result).toMatchObject({ status: 401 });
    expect(scene.sent).toBe(0);
  });

  it('asks the user nothing once it is revoked, even after the call’s checks', async () => {
    const made = await newToken();
    scene.policies.set('test.notify', { approval: 'destructive' });
    let revoking: Promise<unknown> | undefined;
    scene.checked = () => {
      revoking ??= scene.steward.context.clientTokens.revoke(user.userId, made.id);
    };
    expect(await call(made.token, 'test.notify', MESSAGE)).toMatchObject({ status: 401, code: 'invalid_token' });
    await revoking;
    expect(await scene.steward.context.executor.approvals(user.userId)).toEqual([]);
    expect(await scene.steward.sql('select 1 from approvals where user_id = $1', [user.userId])).toEqual([]);
  });

  it.each([
    ['a wrong checksum', (token: string) => `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`],
    ['an unknown one', () => newClientToken()],
    ['a prefix only', () => 'stw_pat_'],
    ['a longer one', (token: string) => `${token}A`],
    ['another case', (token: string) => token.toUpperCase()],
  ])('is rejected with %s', async (_what, change) => {
    const { token } = await newToken();
    expect(await call(change(token), 'test.read')).toMatchObject({ status: 401 });
  });

  it('needs a recent sign-in to be made or revoked', async () => {
    const { id } = await newToken();
    const token = await earlier();
    for (const [path, method] of [
      ['/tokens', 'POST'],
      [`/tokens/${id}`, 'DELETE'],
    ] as const) {
      const body = JSON.stringify({ name: 'x', actions: ['*'] });
      const response = await scene.steward.call(path, { method, token, body, headers: JSON_TYPE });
      expect([response.status, JSON.parse(response.text).code]).toEqual([403, 'recent_login_required']);
    }
  });

  describe('that has asked as often as it may', () => {
    const asks = (token: string, index: number | string) => call(token, 'test.send', { to: [`${index}@example.com`] });
    const fill = async (token: string) => {
      for (let index = 0; index < 10; index += 1) expect(await asks(token, index)).toMatchObject({ status: 409 });
    };

    beforeEach(() => void scene.policies.set('test.send', { approval: 'always', rate: { calls: 10, perMs: 3_600_000 } }));

    it('keeps neither other clients nor the user from asking', async () => {
      const [{ token }, other] = [await newToken(), await newToken()];
      await fill(token);
      expect(await asks(token, 'zoe')).toMatchObject({ status: 429 });
      await scene.steward.sql(`update approvals set created_at = created_at - interval '1 hour' where user_id = $1`, [user.userId]);
      expect(await asks(token, 'zoe')).toMatchObject({ status: 429 });
      await fill(other.token);
      await scene.ask(user, 'test.send', { to: ['zoe@example.com'] });
    });

    it('keeps none of many others from it', async () => {
      for (let clients = 0; clients < 6; clients += 1) await fill((await newToken()).token);
      await scene.ask(user, 'test.send', { to: ['zoe@example.com'] });
    });

    it('has its place again once the user has decided', async () => {
      const { token } = await newToken();
      await fill(token);
      await scene.steward.sql(`update approvals set created_at = created_at - interval '1 hour' where user_id = $1`, [user.userId]);
      const [{ approvalId } = { approvalId: '' }] = await scene.steward.context.executor.approvals(user.userId);
      await scene.decide(user, approvalId, { approved: false });
      expect(await asks(token, 'zoe')).toMatchObject({ status: 409 });
    });
  });

  it('is on record when it is made and when it is revoked, once', async () => {
    const { id } = await newToken();
    for (let times = 0; times < 2; times += 1) {
      expect((await scene.steward.call(`/tokens/${id}`, { method: 'DELETE', token: user.token })).status).toBe(200);
    }
    const { body } = await scene.steward.call('/user/audit', { token: user.token });
    expect(body.entries.filter(({ client_id }: { client_id: string }) => client_id === id)).toEqual(
      ['token_revoked', 'token_created'].map((decision) =>
        expect.objectContaining({ action: '*', surface: 'http', decision, outcome: 'ok' }),
      ),
    );
    const events = await scene.steward.sql<{ event: string }>('select event from events where user_id = $1 order by seq', [user.userId]);
    expect(events.filter(({ event }) => event.startsWith('token.')).map(({ event }) => event)).toEqual(['token.created', 'token.revoked']);
  });

  it('is not another user’s to revoke', async () => {
    const { token, id } = await newToken();
    const other = await scene.connect();
    expect((await scene.steward.call(`/tokens/${id}`, { method: 'DELETE', token: other.token })).status).toBe(404);
    expect(await call(token, 'test.read')).toMatchObject({ status: 200 });
  });

  it('calls a read, which ends when its client leaves', async () => {
    const { token } = await newToken();
    // The deadline would end it, too.
    scene.policies.set('test.run', { timeoutMs: 3_600_000 });
    const begun = Promise.withResolvers<AbortSignal>();
    const { promise: ended, resolve: end } = Promise.withResolvers<object>();
    scene.work = (_input, { signal }) => {
      begun.resolve(signal);
      return ended;
    };
    const leaving = new AbortController();
    const headers = { ...JSON_TYPE, authorization: token };
    const left = fetch(`${scene.steward.url}/agents/test.run`, { method: 'POST', body: '{}', headers, signal: leaving.signal });
    const signal = await begun.promise;
    expect(signal.aborted).toBe(false);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await eventually(() => signal.aborted).finally(() => end({}));
  });

  it('accepts a JSON object of arguments', async () => {
    const { token } = await newToken();
    const body = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;
    expect(await call(token, 'test.read', 'null')).toMatchObject({ status: 400 });
    expect(await call(token, 'test.read', '[1]')).toMatchObject({ status: 400 });
    expect(await call(token, 'test.read', '{')).toMatchObject({ status: 400 });
    expect(await call(token, 'test.read', body(10_000))).toMatchObject({ status: 200 });
  });
});
