import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { newClient } from '../../support/users/new-client.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const ACTION = 'test.notify';
const ANA = { to: ['ana@example.com'] };

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
});

const get = (path: string, token = user.token) => scene.steward.call(path, { token });
const decide = (id: string, decision: unknown, token = user.token) =>
  scene.steward.call(`/approvals/${id}`, {
    token,
    body: JSON.stringify(decision),
    headers: { 'content-type': 'application/json' },
  });
const ask = async () => String((await scene.ask(user, ACTION, ANA)).approvalId);

describe('approvals over HTTP', () => {
  it('are listed and read with what the user has to know', async () => {
    const id = await ask();
    const shown = {
      id,
      action: ACTION,
      account: user.email,
      account_id: user.accountId,
      summary: 'Tell ana@example.com from someone@example.com',
      audience: [{ kind: 'person', address: 'ana@example.com' }],
      notices: [],
      provenance: [],
      matches: [],
      display: {
        title: 'Tell ana@example.com from someone@example.com',
        viewers: [{ kind: 'person', address: 'ana@example.com', relation: 'Not known to Steward', tone: 'unknown' }],
        more: 0,
        fields: [
          { name: 'to', label: 'To', kind: 'list', items: [{ text: 'ana@example.com' }] },
          { name: 'text', label: 'Text', kind: 'text', text: 'Hello.' },
        ],
        risk: { text: 'It was not checked whether you have written to ana@example.com before.', level: 'warning' },
        evidence: { notices: [], matches: [], provenance: [] },
        caution: true,
      },
      input: { to: ['ana@example.com'], text: 'Hello.' },
      expires_at: expect.stringMatching(/Z$/),
      url: `${scene.steward.url}/approvals/${id}`,
      shown: expect.stringMatching(/^[\w-]{43}$/),
    };
    expect((await get('/approvals')).body).toEqual({ approvals: [shown] });
    expect((await get(`/approvals/${id}`)).body).toEqual({ ...shown, form: expect.any(Array) });
  });

  it('say which client asked, also once they are edited, and over the socket', async () => {
    const clientId = await newClient(scene, user, 'Morning digest');
    const client = expect.objectContaining({ id: clientId, name: 'Morning digest' });
    const asker = { userId: user.userId, clientId };
    const asked = await scene.ask(asker, ACTION, ANA);
    const id = String(asked.approvalId);
    expect(await scene.ask(asker, ACTION, ANA)).toEqual(asked);
    const wider = { approved: true, input: { to: ['ana@example.com', 'zoe@example.com'] } };
    expect((await decide(id, wider)).body).toMatchObject({ code: 'approval_required', details: { client } });
    const own = await scene.ask(user, ACTION, ANA);
    expect(own).not.toHaveProperty('client');
    const clients = [
      [id, client],
      [own.approvalId, undefined],
    ];
    const { approvals } = (await get('/approvals')).body as { approvals: Record<string, unknown>[] };
    expect(approvals.map((one) => [one.id, one.client])).toEqual(clients);
    const socket = await SocketClient.signedIn(scene.steward.url, user.token);
    const { data } = await socket.request({ type: 'approvals' });
    expect(data.approvals.map((one: Record<string, unknown>) => [one.approvalId, one.client])).toEqual(clients);
    await socket.close();
  });

  it('run once when approved', async () => {
    const id = await ask();
    expect(await decide(id, { approved: true })).toMatchObject({ status: 200, body: { data: { id: 'm1' } } });
    expect(await decide(id, { approved: true })).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await get(`/approvals/${id}`)).status).toBe(404);
    expect(scene.sent).toBe(1);
  });

  it('do not run when denied', async () => {
    const id = await ask();
    expect(await decide(id, { approved: false })).toMatchObject({ status: 200, body: { data: { approved: false } } });
    expect(scene.sent).toBe(0);
  });

  it('take other arguments, and ask again for a wider audience', async () => {
    const id = await ask();
    const wider = await decide(id, { approved: true, input: { to: ['ana@example.com', 'zoe@example.com'] } });
    expect(wider).toMatchObject({ status: 409, body: { code: 'approval_required', details: { approvalId: id } } });
    expect(scene.sent).toBe(0);
    expect(await decide(id, { approved: true })).toMatchObject({ status: 200 });
  });

  it('have an id whose case does not matter', async () => {
    const id = await ask();
    const inCapitals = id.toUpperCase();
    expect(await scene.steward.call(`/approvals/${inCapitals}`, { token: user.token })).toMatchObject({ status: 200, body: { id } });
    expect(await decide(inCapitals, { approved: true, shown: 'of another question' })).toMatchObject({ status: 409 });
    expect(scene.sent).toBe(0);
    expect(await decide(inCapitals, { approved: true })).toMatchObject({ status: 200 });
    const result = await scene.steward.call(`/approvals/${inCapitals}/result`, { token: user.token });
    expect(result).toMatchObject({ status: 200, body: { status: 'done' } });
    const socket = await SocketClient.signedIn(scene.steward.url, user.token);
    expect(await socket.request({ type: 'approval_result', approvalId: inCapitals })).toMatchObject({ data: { status: 'done' } });
    await socket.close();
  });

  it('are only the user’s own', async () => {
    const id = await ask();
    const other = await scene.connect();
    expect((await get(`/approvals/${id}`, other.token)).status).toBe(404);
    expect((await decide(id, { approved: true }, other.token)).status).toBe(404);
    expect((await get('/approvals', other.token)).body).toEqual({ approvals: [] });
  });

  it.each([[{}], [{ approved: 'yes' }], [{ approved: true, input: [] }], [{ approved: true, more: 1 }], [null], [[]]])(
    'are not decided by %j',
    async (decision) => {
      const id = await ask();
      expect(await decide(id, decision)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      expect((await get(`/approvals/${id}`)).status).toBe(200);
    },
  );
});
