import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { linkBank, newName } from '../../support/scenes/flows.ts';
import { eventually } from '../../support/time/eventually.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

let scene: ExecutorScene;
let user: ConnectedGrant;
let client: SocketClient;

beforeAll(async () => {
  scene = await ExecutorScene.start({ LIMIT_SOCKET_CALLS: '3', MODELS: '[]' });
  user = await scene.connect();
});

beforeEach(async () => {
  scene.reset();
  client = await SocketClient.signedIn(scene.steward.url, user.token);
});

afterEach(() => client.close());

afterAll(() => scene.stop());

/** Makes `test.run` wait; returns when it has begun, and how to continue it. */
function hanging() {
  const begun = Promise.withResolvers<AbortSignal>();
  const release = Promise.withResolvers<unknown>();
  scene.work = async (_input, { signal }) => {
    begun.resolve(signal);
    return release.promise;
  };
  return { begun: begun.promise, release: release.resolve };
}

function call(requestId: string, input: object = {}, rest: object = {}): void {
  client.send({ type: 'call', requestId, action: 'test.run', input, ...rest });
}

describe('list', () => {
  it('returns every agent with its accounts and its actions with their schemas', async () => {
    const { data } = await client.request({ type: 'list' });
    expect(data.revision).toBe('r1');
    expect(data.agents.map(({ name }: { name: string }) => name)).toEqual([...scene.steward.context.catalog().agents.keys()]);
    const mail = data.agents.find(({ name }: { name: string }) => name === 'mail');
    expect(mail).toMatchObject({
      provider: 'workspace',
      status: 'ready',
      accounts: [{ id: user.accountId, label: user.email, status: 'active', default: true }],
    });
    const search = mail.actions.find(({ name }: { name: string }) => name === 'mail.search');
    expect(search).toEqual({
      name: 'mail.search',
      tool: 'mail_search',
      description: expect.any(String),
      effect: 'read',
      approval: expect.stringMatching(/^(never|always|destructive)$/),
      input: expect.objectContaining({ type: 'object' }),
      output: expect.objectContaining({ type: 'object' }),
    });
  });

  it('distinguishes agents that are ready, not connected, or need attention', async () => {
    const other = await scene.steward.signIn(newName());
    const theirs = await SocketClient.signedIn(scene.steward.url, other);
    const statusOf = async (name: string) => {
      const { data } = await theirs.request({ type: 'list' });
      return data.agents.find((agent: { name: string }) => agent.name === name).status;
    };
    expect([await statusOf('mail'), await statusOf('bank')]).toEqual(['not_connected', 'not_connected']);
    await linkBank(scene.steward, other);
    expect([await statusOf('mail'), await statusOf('bank')]).toEqual(['not_connected', 'ready']);
    await scene.steward.sql(`update grants set status = 'relink_required' where user_id = (select id from users where subject = $1)`, [
      JSON.parse(Buffer.from(other.split('.')[1] ?? '', 'base64url').toString()).sub,
    ]);
    expect(await statusOf('bank')).toBe('needs_attention');
    await theirs.close();
  });
});

describe('an account with partial consent', () => {
  it('is ready for the actions that it allows, and names the missing scopes', async () => {
    const other = await scene.connect();
    const theirs = await SocketClient.signedIn(scene.steward.url, other.token);
    const grant = (scopes: string) => scene.steward.sql('update grants set scopes = $2::text[] where id = $1', [other.grantId, scopes]);
    const mail = async () => {
      const { status, accounts } = (await theirs.request({ type: 'list' })).data.agents.find(
        ({ name }: { name: string }) => name === 'mail',
      );
      return [status, accounts[0].missingScopes.toSorted()];
    };
    await grant('{https://www.googleapis.com/auth/gmail.send}');
    expect(await mail()).toEqual(['ready', ['drive', 'mail.modify']]);
    await grant('{https://www.googleapis.com/auth/drive}');
    expect(await mail()).toEqual(['needs_attention', ['mail.modify', 'mail.send']]);
    await theirs.close();
  });
});

describe('call', () => {
  it('returns data and the account used', async () => {
    scene.work = async (input) => ({ echo: input });
    call('one', { text: 'Grüße' }, { account: user.email.toUpperCase() });
    expect(await client.frame('one')).toEqual({
      type: 'result',
      requestId: 'one',
      data: { echo: { text: 'Grüße' } },
      meta: {
        account: user.email,
        accountId: user.accountId,
        ms: expect.any(Number),
        labels: { integrity: 'others', confidentiality: 'private', sources: [] },
      },
    });
  });

  it('returns an error with a code, a sentence, and details for the next step', async () => {
    const response = await client.request({ type: 'call', action: 'test.read', account: 'nobody@example.com' });
    expect(response).toMatchObject({
      type: 'error',
      errorText: expect.stringContaining('No such account is connected.'),
      error: { code: 'invalid_request', retryable: false, choices: [{ id: user.accountId, label: user.email }] },
    });
    expect((await client.request({ type: 'call', action: 'no.such' })).error).toMatchObject({ code: 'not_found', retryable: false });
  });

  it('names the invalid field of a frame', async () => {
    client.send({ type: 'call', requestId: 'bad', action: 7 });
    expect(await client.frame('bad')).toMatchObject({ errorText: expect.stringMatching(/^action: /), error: { code: 'invalid_request' } });
  });

  it('runs concurrently: the response to a quick one comes before that to a slow one', async () => {
    const slow = hanging();
    call('slow');
    await slow.begun;
    scene.work = async () => ({});
    call('quick');
    expect((await client.frame('quick')).type).toBe('result');
    expect(client.frames.some(({ requestId }) => requestId === 'slow')).toBe(false);
    slow.release({ done: true });
    expect((await client.frame('slow')).data).toEqual({ done: true });
  });

  it('is rejected while another with its requestId runs, and accepted afterwards', async () => {
    const slow = hanging();
    call('same');
    await slow.begun;
    call('same');
    expect(await client.frame('same')).toMatchObject({ type: 'error', error: { code: 'invalid_request' } });
    slow.release({ first: true });
    await client.next(({ type, requestId }) => type === 'result' && requestId === 'same');
    scene.work = async () => ({ second: true });
    call('same');
    await client.next(({ data }) => data?.second === true);
  });

  it('is rejected with rate_limited beyond the number of concurrent ones', async () => {
    const slow = hanging();
    for (const id of ['a', 'b', 'c', 'd']) call(id);
    expect(await client.frame('d')).toMatchObject({ type: 'error', error: { code: 'rate_limited', retryable: true, retryAfter: 1 } });
    slow.release({});
    for (const id of ['a', 'b', 'c']) expect((await client.frame(id)).type).toBe('result');
    call('e');
    expect((await client.frame('e')).type).toBe('result');
  });

  it('sends the action’s progress, and nothing after its response', async () => {
    const late = Promise.withResolvers<(message: string) => void>();
    scene.work = async (_input, { progress }) => {
      progress('1 of 2');
      late.resolve(progress);
      return {};
    };
    call('long');
    await client.frame('long');
    (await late.promise)('too late');
    call('after');
    await client.frame('after');
    const told = client.frames.filter(({ type }) => type === 'progress');
    expect(told).toEqual([
      { type: 'progress', requestId: 'long', ms: expect.any(Number), message: '1 of 2' },
      { type: 'progress', requestId: 'after', ms: expect.any(Number), message: '1 of 2' },
    ]);
  });

  it('sends a progress frame every few seconds', async () => {
    const slow = hanging();
    call('patience');
    const { ms, message } = await client.next(({ type }) => type === 'progress');
    expect([ms >= 5_000, message]).toEqual([true, undefined]);
    slow.release({});
    await client.frame('patience');
  });
});

describe('abort', () => {
  it('ends a read of another requestId, and returns whether it was running', async () => {
    const slow = hanging();
    call('read');
    const signal = await slow.begun;
    expect(await client.request({ type: 'abort', id: 'read' })).toMatchObject({ type: 'result', data: { aborted: true } });
    expect(await client.frame('read')).toMatchObject({ type: 'error', error: { code: 'aborted', retryable: false } });
    expect(signal.aborted).toBe(true);
    expect(await client.request({ type: 'abort', id: 'read' })).toMatchObject({ data: { aborted: false } });
    slow.release({});
  });

  it('without an id ends its own requestId, with a single response', async () => {
    const slow = hanging();
    call('own');
    await slow.begun;
    client.send({ type: 'abort', requestId: 'own' });
    await client.frame('own');
    client.send({ type: 'abort', requestId: 'own' });
    await client.request({ type: 'list' });
    expect(client.frames.filter(({ requestId }) => requestId === 'own')).toMatchObject([{ type: 'error', error: { code: 'aborted' } }]);
    slow.release({});
  });

  it('a closed socket ends its reads', async () => {
    const slow = hanging();
    const another = await SocketClient.signedIn(scene.steward.url, user.token);
    another.send({ type: 'call', requestId: 'gone', action: 'test.run' });
    const signal = await slow.begun;
    another.socket.terminate();
    await eventually(() => signal.aborted);
    slow.release({});
  });

  it('does not undo a change that has begun, and gets its result', async () => {
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    scene.provider.on('/api/gmail/v1/users/me/messages/send', async (response) => {
      asked.resolve();
      await held.promise;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: 'm7' }));
    });
    client.send({ type: 'call', requestId: 'send', action: 'test.send', input: { to: ['a@example.com'] } });
    await asked.promise;
    await client.request({ type: 'abort', id: 'send' });
    held.resolve();
    expect(await client.frame('send')).toMatchObject({ type: 'result', data: { id: 'm7' } });
  });
});

describe('a conversation', () => {
  it('list → call → approval_required → the event → approvals → approve → the result', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    const elsewhere = await SocketClient.signedIn(scene.steward.url, user.token);
    scene.sending(200, { id: 'm42' });
    const rejected = await client.request({ type: 'call', action: 'test.send', input: { to: ['ana@example.com'], text: 'Hallo Ana' } });
    expect(rejected).toMatchObject({ type: 'error', error: { code: 'approval_required', retryable: false, action: 'test.send' } });
    const { approvalId } = rejected.error;
    for (const socket of [client, elsewhere]) {
      const event = await socket.event('approval.requested');
      expect(event).toMatchObject({ requestId: '', seq: expect.any(Number), data: { approvalId, action: 'test.send' } });
      expect(JSON.stringify(event)).not.toContain('Hallo Ana');
    }
    const { data } = await elsewhere.request({ type: 'approvals' });
    expect(data.approvals).toMatchObject([{ approvalId, input: { to: ['ana@example.com'], text: 'Hallo Ana' } }]);
    expect(scene.sent).toBe(0);
    expect(await elsewhere.request({ type: 'approve', approvalId, approved: true })).toMatchObject({ type: 'result', data: { id: 'm42' } });
    expect(scene.sent).toBe(1);
    expect((await client.event('approval.decided')).data).toMatchObject({ approvalId, approved: true });
    expect((await elsewhere.request({ type: 'approve', approvalId, approved: true })).type).toBe('error');
    expect((await elsewhere.request({ type: 'approvals' })).data).toEqual({ approvals: [] });
    await elsewhere.close();
  });

  it('approve with false ends it without running the action', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    scene.sending(200);
    const { error } = await client.request({ type: 'call', action: 'test.send', input: { to: ['a@example.com'] } });
    const response = await client.request({ type: 'approve', approvalId: error.approvalId, approved: false });
    expect(response).toMatchObject({ type: 'result', data: { approved: false } });
    expect(scene.sent).toBe(0);
  });

  it.each([
    ['no UUID', { approvalId: 'ap_7', approved: true }],
    ['nothing decided', { approvalId: 'b7b0a4a2-7a5f-4a57-9c53-d7f3a1f0a001' }],
    ['a decision that is not a boolean', { approvalId: 'b7b0a4a2-7a5f-4a57-9c53-d7f3a1f0a001', approved: 'yes' }],
  ])('approve with %s is rejected', async (_what, frame) => {
    expect((await client.request({ type: 'approve', ...frame })).error.code).toBe('invalid_request');
  });
});

describe('frames of the chat transport', () => {
  it.each(['send', 'resume'])('%s returns assistant_disabled', async (type) => {
    const response = await client.request({ type, id: 'thr_9', trigger: 'submit-message', headers: {}, body: {}, messages: [{}] });
    expect(response).toMatchObject({
      type: 'error',
      errorText: expect.any(String),
      error: { code: 'assistant_disabled', retryable: false },
    });
  });

  it.each(['send', 'resume'])('a first frame %s authenticates by its headers', async (type) => {
    const chat = await SocketClient.open(scene.steward.url);
    const response = await chat.request({
      type,
      id: 'thr_9',
      headers: { authorization: `Bearer ${user.token}` },
      body: {},
      messages: [{}],
    });
    expect(response.error.code).toBe('assistant_disabled');
    expect(chat.frames).toHaveLength(1);
    expect((await chat.request({ type: 'list' })).type).toBe('result');
    await chat.close();
  });

  it('a first frame with an invalid token gets an error frame with its requestId and 4401', async () => {
    const chat = await SocketClient.open(scene.steward.url);
    expect((await chat.request({ type: 'send', id: 't', headers: { authorization: 'Bearer nonsense' }, messages: [{}] })).error.code).toBe(
      'invalid_token',
    );
    expect((await chat.ended).code).toBe(4401);
  });
});

describe('authenticating again', () => {
  it('continues running requests, and later frames wait for it', async () => {
    const slow = hanging();
    call('across');
    await slow.begun;
    client.send({ type: 'authenticate', requestId: 'again', token: user.token });
    client.send({ type: 'list', requestId: 'behind' });
    await client.frame('behind');
    const order = client.frames.map(({ requestId }) => requestId);
    expect(order.indexOf('again')).toBeLessThan(order.indexOf('behind'));
    slow.release({});
    expect((await client.frame('across')).type).toBe('result');
  });

  it('frames sent together with the first one get their responses after it', async () => {
    const eager = await SocketClient.open(scene.steward.url);
    eager.send({ type: 'authenticate', requestId: 'first', token: user.token });
    eager.send({ type: 'list', requestId: 'second' });
    await eager.frame('second');
    expect(eager.frames.map(({ type }) => type)).toEqual(['ready', 'result']);
    await eager.close();
  });
});
