import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteOldOutcomes } from '../../../src/executor/approvals/approval-outcomes-repository.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const ACTION = 'test.notify';
const ANA = { to: ['ana@example.com'] };
const PROFILE = '/api/gmail/v1/users/me/profile';
const JSON_TYPE = { 'content-type': 'application/json' };
const NOT_FOUND = { status: 404, body: { code: 'not_found' } };

interface Client {
  id: string;
  token: string;
}

let scene: ExecutorScene;
let user: ConnectedGrant;
let script: Client;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.policies.set(ACTION, { approval: 'destructive' });
  scene.sending(200);
  user = await scene.connect();
  script = await newClient();
});

async function newClient(more: object = {}): Promise<Client> {
  const body = JSON.stringify({ name: 'script', actions: ['*'], access: 'write', ...more });
  return (await scene.steward.call('/tokens', { token: user.token, body, headers: JSON_TYPE })).body as Client;
}

const post = (path: string, token: string, body: object) =>
  scene.steward.call(path, { token: `Bearer ${token}`, body: JSON.stringify(body), headers: JSON_TYPE });
const result = (id: string, token = script.token) => scene.steward.call(`/approvals/${id}/result`, { token: `Bearer ${token}` });
const decide = (id: string, decision: object = { approved: true }) => post(`/approvals/${id}`, user.token, decision);

async function ask(token = script.token, action = ACTION, input: object = ANA): Promise<string> {
  const { body } = await post(`/agents/${action}`, token, input);
  expect(body).toMatchObject({ code: 'approval_required' });
  return body.details.approvalId;
}

/** The events of a client, as sent to a socket that reconnects after all of them. */
async function eventsOf(token: string, since = 0): Promise<[string, object][]> {
  const client = await SocketClient.signedIn(scene.steward.url, token, since);
  // Answered after what was missed.
  await client.request({ type: 'abort', id: 'none' });
  await client.close();
  return client.events.map(({ event, data }) => [event, data]);
}

const contexts = async () =>
  (await scene.steward.sql<{ name: string }>('select name from contexts where user_id = $1 order by name', [user.userId])).map(
    ({ name }) => name,
  );

describe('the result of an approved call', () => {
  it('is read by the client that asked, over HTTP and the socket', async () => {
    const id = await ask();
    expect(await result(id)).toMatchObject({ status: 200, body: { status: 'pending' } });
    const { body: returned } = await decide(id);
    const done = { status: 'done', result: returned };
    expect(returned).toMatchObject({ data: { id: 'm1' }, meta: { accountId: user.accountId, labels: { integrity: 'own' } } });
    expect((await result(id)).body).toEqual(done);
    const client = await SocketClient.signedIn(scene.steward.url, script.token);
    expect(await client.request({ type: 'approval_result', approvalId: id })).toMatchObject({ type: 'result', data: done });
    await client.close();
    expect(scene.sent).toBe(1);
  });

  it('is found by no other client, not by the user in person, and by no other user', async () => {
    const id = await ask();
    const other = await newClient();
    const stranger = await scene.connect();
    const check = async () => {
      for (const token of [other.token, user.token, stranger.token]) {
        expect(await result(id, token)).toMatchObject(NOT_FOUND);
        const client = await SocketClient.signedIn(scene.steward.url, token);
        expect(await client.request({ type: 'approval_result', approvalId: id })).toMatchObject({ error: { code: 'not_found' } });
        await client.close();
      }
    };
    await check();
    await decide(id);
    await check();
    expect(await result('00000000-0000-4000-8000-000000000000')).toMatchObject(NOT_FOUND);
    expect(await result('none')).toMatchObject(NOT_FOUND);
  });

  it('is read by the user in person who asked, and by none of the clients', async () => {
    const id = await ask(user.token);
    await decide(id);
    expect((await result(id, user.token)).body).toMatchObject({ status: 'done', result: { data: { id: 'm1' } } });
    expect(await result(id)).toMatchObject(NOT_FOUND);
  });

  it('tells that the user denied the call, that its time was up, or that it ended', async () => {
    const denied = await ask();
    await decide(denied, { approved: false });
    expect((await result(denied)).body).toEqual({ status: 'denied' });
    const late = await ask(script.token, ACTION, { to: ['late@example.com'] });
    await scene.steward.sql(`update approvals set expires_at = now() where id = $1`, [late]);
    expect((await result(late)).body).toEqual({ status: 'expired' });
    await scene.steward.context.approvalExpiry.endExpired();
    expect((await result(late)).body).toEqual({ status: 'expired' });
    const gone = await ask(script.token, ACTION, { to: ['gone@example.com'] });
    await scene.steward.context.approvalExpiry.reconfigured({});
    expect((await result(gone)).body).toEqual({ status: 'ended' });
  });

  it('tells that the user changed the arguments', async () => {
    const id = await ask();
    await decide(id, { approved: true, input: { ...ANA, text: 'Goodbye.' } });
    expect((await result(id)).body).toMatchObject({ status: 'done', edited: true });
    const [, decided] = (await eventsOf(script.token)).at(-1) ?? [];
    expect(decided).toMatchObject({ approvalId: id, approved: true, edited: true });
  });

  it('is the error of a run that failed', async () => {
    const id = await ask();
    scene.sending(403, {});
    expect(await decide(id)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await result(id)).body).toEqual({ status: 'failed', error: { code: 'forbidden', message: 'The provider forbids this.' } });
  });

  it('is running until the run ends, and unknown if its process was killed', async () => {
    const id = await ask();
    let running: any;
    scene.provider.on('/api/gmail/v1/users/me/messages/send', (response) => {
      void result(id).then(({ body }) => {
        running = body;
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"m1"}');
      });
    });
    await decide(id);
    expect(running).toEqual({ status: 'running' });
    await scene.steward.sql(`update approvals set outcome = null, outcome_until = now() where id = $1`, [id]);
    expect((await result(id)).body).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
    await scene.steward.sql(`update approvals set outcome_until = now() - interval '61 minutes' where id = $1`, [id]);
    expect(await result(id)).toMatchObject(NOT_FOUND);
  });

  it('is encrypted, and deleted after an hour', async () => {
    const [id, other] = [await ask(), await ask(script.token, ACTION, { to: ['other@example.com'] })];
    scene.sending(200, { id: 'canary-77c1' });
    await decide(id);
    await decide(other);
    const rows = () =>
      scene.steward.sql<{ outcome: Buffer | null; hour: boolean }>(
        `select outcome, outcome_until > now() + interval '59 minutes' and outcome_until <= now() + interval '1 hour' as hour
         from approvals where user_id = $1 order by created_at`,
        [user.userId],
      );
    expect(await rows()).toMatchObject([{ hour: true }, { hour: true }]);
    expect((await rows())[0]?.outcome?.toString('latin1')).not.toContain('canary-77c1');
    await scene.steward.sql(`update approvals set outcome_until = now() - interval '1 second' where id = $1`, [id]);
    expect(await result(id)).toMatchObject(NOT_FOUND);
    await deleteOldOutcomes(scene.steward.context.db);
    expect(await rows()).toMatchObject([{ outcome: null }, { outcome: expect.anything() }]);
    expect((await result(other)).body).toMatchObject({ status: 'done' });
  });

  it('is gone with its account, even if the run ends later', async () => {
    const [id, late] = [await ask(), await ask(script.token, ACTION, { to: ['late@example.com'] })];
    await decide(id);
    expect((await result(id)).body).toMatchObject({ status: 'done' });
    const disconnect = () => scene.steward.call(`/auth/workspace/accounts/${user.accountId}`, { method: 'DELETE', token: user.token });
    let disconnecting: Promise<unknown> | undefined;
    scene.provider.on('/api/gmail/v1/users/me/messages/send', (response) => {
      disconnecting = disconnect().then(() => response.destroy());
    });
    await decide(late);
    await disconnecting;
    expect([(await result(id)).status, (await result(late)).status]).toEqual([404, 404]);
    expect(await scene.steward.sql('select id from approvals where user_id = $1 and outcome is not null', [user.userId])).toEqual([]);
  });

  it('is gone with its user', async () => {
    const id = await ask();
    await decide(id);
    await scene.steward.call('/user', { method: 'DELETE', token: user.token });
    expect(await result(id)).toMatchObject({ status: 401 });
  });

  it('is gone with its client', async () => {
    const id = await ask();
    await decide(id);
    const client = await SocketClient.signedIn(scene.steward.url, script.token);
    await scene.steward.call(`/tokens/${script.id}`, { method: 'DELETE', token: user.token });
    expect(await result(id)).toMatchObject({ status: 401 });
    // The event of the revocation closes the socket, before or after an answer.
    client.send({ type: 'approval_result', requestId: 'late', approvalId: id });
    expect((await client.ended).code).toBe(4401);
    expect(client.frames.filter(({ type }) => type === 'result')).toEqual([]);
    expect(await scene.steward.sql('select outcome from approvals where id = $1', [id])).toEqual([{ outcome: null }]);
  });
});

describe('a read that always asks', () => {
  beforeEach(() => void scene.policies.set('test.read', { approval: 'always' }));

  const readOnly = () => newClient({ access: 'read' });

  it.each(['http', 'socket'])('runs once when approved, and the client that asked reads the result: over %s', async (surface) => {
    const client = await readOnly();
    let reads = 0;
    scene.provider.on(PROFILE, (response) => {
      reads += 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"emailAddress":"ana@example.org"}');
    });
    const socket = await SocketClient.signedIn(scene.steward.url, client.token);
    const asked = await socket.request({ type: 'call', action: 'test.read', input: {} });
    const id = surface === 'http' ? await ask(client.token, 'test.read', {}) : asked.error.approvalId;
    expect(reads).toBe(0);
    expect(await decide(id)).toMatchObject({ status: 200 });
    expect(await decide(id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await socket.event('approval.decided')).data).toMatchObject({ approvalId: id, approved: true });
    const { data } = await socket.request({ type: 'approval_result', approvalId: id });
    expect(data).toMatchObject({ status: 'done', result: { data: { emailAddress: 'ana@example.org' }, meta: { labels: {} } } });
    expect((await result(id, client.token)).body).toEqual(data);
    expect(reads).toBe(1);
    await socket.close();
  });

  it('returns as much as the action may', async () => {
    scene.policies.set('test.return', { approval: 'always' });
    scene.returned = { text: 'x'.repeat(200_000) };
    const { token } = await readOnly();
    const id = await ask(token, 'test.return', {});
    await decide(id);
    const socket = await SocketClient.signedIn(scene.steward.url, token);
    const { data } = await socket.request({ type: 'approval_result', approvalId: id });
    expect(data.result.data).toEqual(scene.returned);
    await socket.close();
  });

  it('runs to its end if the user who approved leaves', async () => {
    const { token } = await readOnly();
    const id = await ask(token, 'test.read', {});
    const approving = await SocketClient.signedIn(scene.steward.url, user.token);
    const finish = Promise.withResolvers<void>();
    const started = new Promise<void>((resolve) => {
      scene.provider.on(PROFILE, (response) => {
        resolve();
        void finish.promise.then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"emailAddress":"a@b.c"}'));
      });
    });
    approving.send({ type: 'approve', requestId: 'a', approvalId: id, approved: true });
    await started;
    await approving.close();
    finish.resolve();
    await expect.poll(async () => (await result(id, token)).body.status).toBe('done');
  });

  it('taints the client, and the user who approves and receives the result', async () => {
    const id = await ask(script.token, 'test.read', {});
    expect(await contexts()).toEqual([]);
    await decide(id);
    expect(await contexts()).toEqual([`client:${script.id}`, 'user']);
    const stored = 'select distinct context from context_reads where user_id = $1';
    await expect.poll(async () => (await scene.steward.sql(stored, [user.userId])).length).toBe(2);
    const { body } = await post(`/agents/${ACTION}`, user.token, ANA);
    expect(body.details.provenance).toEqual([{ action: 'test.read', author: 'someone@example.com' }]);
  });
});

describe('the socket of a personal access token', () => {
  it('receives how its own approvals end, and no other event', async () => {
    const other = await newClient();
    const [mine, theirs] = [
      await SocketClient.signedIn(scene.steward.url, script.token),
      await SocketClient.signedIn(scene.steward.url, other.token),
    ];
    const about = (approvalId: string) => ({ approvalId, action: ACTION, account: user.accountId });
    const [approved, denied] = [await ask(), await ask(script.token, ACTION, { to: ['b@example.com'] })];
    const own = await ask(user.token, ACTION, { to: ['c@example.com'] });
    await decide(approved);
    await decide(denied, { approved: false });
    await decide(own);
    const late = await ask(script.token, ACTION, { to: ['d@example.com'] });
    await scene.steward.sql(`update approvals set expires_at = now() where id = $1`, [late]);
    await scene.steward.context.approvalExpiry.endExpired();
    const ended = await ask(script.token, ACTION, { to: ['e@example.com'] });
    await scene.steward.context.approvalExpiry.reconfigured({});
    await mine.event('approval.ended');
    const expected = [
      ['approval.decided', { ...about(approved), approved: true, edited: false }],
      ['approval.decided', { ...about(denied), approved: false, edited: false }],
      ['approval.expired', about(late)],
      ['approval.ended', { ...about(ended), reason: 'reconfigured' }],
    ];
    expect(mine.events.map(({ event, data }) => [event, data])).toEqual(expected);
    expect(await eventsOf(script.token)).toEqual(expected);
    await theirs.request({ type: 'abort', id: 'none' });
    expect(theirs.events).toEqual([]);
    await mine.close();
    await theirs.close();
  });

  it('receives what it missed after its last event', async () => {
    const first = await SocketClient.signedIn(scene.steward.url, script.token);
    const [one, two] = [await ask(), await ask(script.token, ACTION, { to: ['b@example.com'] })];
    await decide(one);
    const { seq } = await first.event('approval.decided');
    await first.close();
    await decide(two);
    expect(await eventsOf(script.token, seq)).toMatchObject([['approval.decided', { approvalId: two }]]);
  });

  it('is told when what it missed is no longer there', async () => {
    expect(await eventsOf(script.token, 99)).toEqual([['resync', {}]]);
  });
});

describe('equal calls of two clients', () => {
  it('are separate requests for approval, of which each learns its own end', async () => {
    const other = await newClient();
    const [mine, theirs] = [await ask(), await ask(other.token)];
    expect(theirs).not.toBe(mine);
    expect(await ask()).toBe(mine);
    await decide(mine);
    expect((await result(mine)).body).toMatchObject({ status: 'done' });
    expect((await result(theirs, other.token)).body).toEqual({ status: 'pending' });
  });
});
