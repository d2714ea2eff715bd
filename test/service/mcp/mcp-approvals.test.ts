import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { type ConnectedClient, connectClient, decide, newToken, type Replicas, startReplicas } from '../../support/scenes/mcp-scene.ts';
import { respond } from '../../support/servers/scripted-server.ts';
import { OF_TEST } from '../../support/sql/sent-statements.ts';
import type { TestSteward } from '../../support/steward.ts';
import { advancing } from '../../support/time/advancing.ts';
import { eventually } from '../../support/time/eventually.ts';
import { McpClient, type McpResponse } from '../../support/users/mcp-client.ts';

const MESSAGE = { to: ['bob@example.com'] };
/** By the clock, `approval_result` looks whether there is a result; it could miss its own end if more time passed. */
const LOOKS_EVERY_MS = 1_000;
const SHOWS_PAGES = { capabilities: { elicitation: { url: {} } } };

let scene: ExecutorScene;
let other: TestSteward;
let ana: ConnectedClient;
let replicas: Replicas;

beforeAll(async () => {
  replicas = await startReplicas();
  ({ scene, other } = replicas);
});
afterAll(() => replicas?.stop());
beforeEach(async () => {
  scene.reset();
  scene.sending(200);
  scene.policies.set('test.notify', { approval: 'destructive' });
  ana = await connectClient(scene);
});

/** The approval that a call asked for. */
async function ask(client = ana.client, input: object = MESSAGE): Promise<string> {
  const { message } = await client.call('test_notify', input);
  expect(message.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'approval_required' } } });
  return message.result.structuredContent.error.details.approvalId;
}

/** Approves with other arguments. */
async function edit(id: string, more: object, status = 200): Promise<void> {
  const body = JSON.stringify({ approved: true, ...more });
  const headers = { 'content-type': 'application/json' };
  expect((await scene.steward.call(`/approvals/${id}`, { token: ana.user.token, body, headers })).status).toBe(status);
}

/** After the time in which a repeated call counts as the same. */
const later = () =>
  scene.steward.sql(`update approvals set repeats_until = repeats_until - interval '3 minutes' where repeats_until is not null`);

const resultOf = ({ message }: McpResponse) => message.result.structuredContent;

describe('a call that needs approval', () => {
  it('tells the page’s address in words, and nothing that others wrote', async () => {
    scene.reading(200, { emailAddress: 'evil@example.com' });
    await ana.client.call('test_read');
    const { message } = await ana.client.call('test_notify', MESSAGE);
    const { details } = message.result.structuredContent.error;
    expect(details).toEqual({
      approvalId: expect.any(String),
      url: `${scene.steward.url}/approvals/${details.approvalId}`,
      summary: 'Send to bob@example.com',
      expiresAt: expect.any(String),
    });
    const [{ text }] = message.result.content;
    expect(text).toContain('Needs the user’s approval: “Send to bob@example.com”.');
    expect(text).toContain(details.url);
    expect(text).toContain(`approval_result with id ${details.approvalId}`);
    expect(JSON.stringify(message)).not.toContain('evil@example.com');
    expect(scene.sent).toBe(0);
  });

  it('gives its result to approval_result at another replica, and runs once', async () => {
    const id = await ask();
    const elsewhere = new McpClient(other, ana.token);
    const waiting = elsewhere.call('approval_result', { id });
    expect(await decide(scene, ana.user, id, true)).toBe(200);
    await other.clock.advance(LOOKS_EVERY_MS);
    expect(resultOf(await waiting)).toMatchObject({ data: { id: 'm1' }, meta: { account: ana.user.email } });
    expect(resultOf(await ana.client.call('approval_result', { id }))).toMatchObject({ data: { id: 'm1' } });
    expect(scene.sent).toBe(1);
    // It knows the end: another call is a new one.
    expect(await ask()).not.toBe(id);
  });

  it('gives its result to the same call, however often it is repeated at first; then it is another', async () => {
    const id = await ask();
    expect(await decide(scene, ana.user, id, true)).toBe(200);
    const elsewhere = new McpClient(other, ana.token);
    const again = await Promise.all([elsewhere, ana.client, elsewhere, ana.client].map((one) => one.call('test_notify', MESSAGE)));
    for (const one of again) expect(resultOf(one)).toMatchObject({ data: { id: 'm1' } });
    expect(scene.sent).toBe(1);
    await later();
    expect(await ask()).not.toBe(id);
    expect(scene.sent).toBe(1);
  });

  it('gives the same call its error, once', async () => {
    const id = await ask();
    scene.sending(400, { error: { code: 400, message: 'bad' } });
    expect(await decide(scene, ana.user, id, true)).not.toBe(200);
    expect((await ana.client.call('test_notify', MESSAGE)).message.result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'invalid_request' } },
    });
    expect(scene.sent).toBe(1);
    await later();
    await ask();
  });

  it('doesn’t give it to another client’s call, nor to one with other arguments', async () => {
    const id = await ask();
    expect(await decide(scene, ana.user, id, true)).toBe(200);
    const { token } = await newToken(scene.steward, ana.user);
    await ask(new McpClient(scene.steward, token));
    await ask(ana.client, { to: ['zoe@example.com'] });
    expect(scene.sent).toBe(1);
  });

  it('isn’t run a second time by an allowance that its approval gave', async () => {
    const id = await ask();
    const body = JSON.stringify({ approved: true, remember_for: 7 });
    const headers = { 'content-type': 'application/json' };
    expect((await scene.steward.call(`/approvals/${id}`, { token: ana.user.token, body, headers })).status).toBe(200);
    const repeats = await Promise.all([1, 2, 3, 4].map(() => ana.client.call('test_notify', MESSAGE)));
    for (const one of repeats) expect(resultOf(one)).toMatchObject({ data: { id: 'm1' } });
    expect(scene.sent).toBe(1);
    await later();
    expect(resultOf(await ana.client.call('test_notify', MESSAGE))).toMatchObject({ data: { id: 'm1' } });
    expect(scene.sent).toBe(2);
  });

  it('isn’t run as it was asked once the user has approved other arguments', async () => {
    const id = await ask();
    const text = 'What I would rather say.';
    await edit(id, { input: { ...MESSAGE, text }, remember_for: 7 });
    for (const input of [MESSAGE, { ...MESSAGE, text }]) {
      const again = resultOf(await ana.client.call('test_notify', input));
      expect(again).toMatchObject({ data: { id: 'm1' }, edited: 'The user changed the arguments before approving.' });
    }
    expect(scene.sent).toBe(1);
  });

  it('gives an error of arguments that the user has changed, and says that it has', async () => {
    const id = await ask();
    scene.sending(400, { error: { code: 400, message: 'bad' } });
    await edit(id, { input: { ...MESSAGE, text: 'Other.' } }, 400);
    const { message } = await ana.client.call('test_notify', MESSAGE);
    expect(message.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'invalid_request' } } });
    expect(message.result.content[0].text).toMatch(/The user changed the arguments before approving\.$/);
    expect((await ana.client.call('approval_result', { id })).message.result.content[0].text).toContain('The user changed the arguments');
    expect(scene.sent).toBe(1);
  });

  it('waits for the same approval while the user decides on other arguments, and is denied with it', async () => {
    const id = await ask();
    await edit(id, { input: { to: ['zoe@example.com'] } }, 409);
    expect(await ask()).toBe(id);
    await decide(scene, ana.user, id, false);
    expect(resultOf(await ana.client.call('test_notify', MESSAGE)).error.code).toBe('forbidden');
    expect(scene.sent).toBe(0);
  });

  it('isn’t run a second time when the reason to ask has ended', async () => {
    scene.policies.set('test.notify', { approval: 'never' });
    await ana.client.call('test_read');
    const id = await ask();
    expect(await decide(scene, ana.user, id, true)).toBe(200);
    await scene.steward.sql('delete from contexts where user_id = $1', [ana.user.userId]);
    expect(resultOf(await ana.client.call('test_notify', MESSAGE))).toMatchObject({ data: { id: 'm1' } });
    expect(scene.sent).toBe(1);
  });

  it('names approval_result while it is running', async () => {
    const id = await ask();
    const sent = Promise.withResolvers<() => void>();
    scene.provider.on('/api/gmail/v1/users/me/messages/send', (response) => {
      sent.resolve(() => respond(response, { status: 200, body: { id: 'm1' } }));
    });
    const deciding = decide(scene, ana.user, id, true);
    const finish = await sent.promise;
    const { message } = await ana.client.call('test_notify', MESSAGE);
    expect(message.result.content[0].text).toContain(`Call approval_result with id ${id}.`);
    finish();
    expect(await deciding).toBe(200);
  });

  it('is not asked about again when the user approves it while it is repeated', async () => {
    const id = await ask();
    const repeats = Array.from({ length: 6 }, () => ana.client.call('test_notify', MESSAGE));
    expect(await decide(scene, ana.user, id, true)).toBe(200);
    await Promise.all(repeats);
    expect(await scene.steward.sql('select id from approvals where user_id = $1', [ana.user.userId])).toEqual([{ id }]);
    expect(scene.sent).toBe(1);
  });

  it('stays approved when its row is locked while the call is repeated', async () => {
    const id = await ask();
    expect(await decide(scene, ana.user, id, true)).toBe(200);
    await scene.steward.context.db.transaction(async (tx) => {
      await tx.query(`${OF_TEST}select 1 from approvals where id = $1 for update`, [id]);
      const waiting = Array.from({ length: 12 }, () => ana.client.call('approval_result', { id }));
      for (const one of await Promise.all(waiting)) expect(resultOf(one)).toMatchObject({ data: { id: 'm1' } });
      expect(resultOf(await ana.client.call('test_notify', MESSAGE))).toMatchObject({ data: { id: 'm1' } });
    });
    expect(resultOf(await ana.client.call('test_notify', MESSAGE))).toMatchObject({ data: { id: 'm1' } });
    expect(scene.sent).toBe(1);
  });

  it('is denied to both', async () => {
    const id = await ask();
    await decide(scene, ana.user, id, false);
    const { message } = await ana.client.call('approval_result', { id });
    expect(message.result).toMatchObject({ isError: true, structuredContent: { status: 'denied' } });
    expect(resultOf(await ana.client.call('test_notify', MESSAGE)).error.code).toBe('forbidden');
    expect(scene.sent).toBe(0);
  });

  it('can’t be decided by its client', async () => {
    const id = await ask();
    for (const token of [ana.token, `Bearer ${ana.token}`]) {
      const headers = { 'content-type': 'application/json' };
      const { status } = await scene.steward.call(`/approvals/${id}`, { token, body: '{"approved":true}', headers });
      expect(status).toBe(403);
    }
    for (const name of ['approve', 'approval_approve', 'approvals', 'approval.result']) {
      expect((await ana.client.call(name, { id, approved: true })).message.error.code).toBe(-32602);
    }
    expect(scene.sent).toBe(0);
  });
});

describe('approval_result', () => {
  it('knows nothing of another’s approvals', async () => {
    const id = await ask();
    const bob = await connectClient(scene);
    const { token } = await newToken(scene.steward, ana.user);
    for (const client of [bob.client, new McpClient(scene.steward, token)]) {
      expect(resultOf(await client.call('approval_result', { id })).error.code).toBe('not_found');
    }
  });

  it('rejects what is no id', async () => {
    for (const input of [{}, { id: 7 }, { id: null }, { id: ['x'] }]) {
      expect(resultOf(await ana.client.call('approval_result', input)).error.code).toBe('invalid_request');
    }
    for (const id of ['x', '%00', 'x'.repeat(60_000)]) {
      expect(resultOf(await ana.client.call('approval_result', { id })).error.code).toBe('not_found');
    }
  });

  it('waits for 25 seconds, and then tells where to go on', async () => {
    const id = await ask();
    const { steward } = scene;
    const waiting = ana.client.call('approval_result', { id });
    const before = steward.clock.monotonic();
    expect(resultOf(await advancing(steward.clock, waiting))).toMatchObject({
      status: 'pending',
      hint: expect.stringContaining(`approval_result with id ${id}`),
    });
    expect(steward.clock.monotonic() - before).toBeGreaterThanOrEqual(25_000);
  });

  it('ends its wait with its client', async () => {
    const id = await ask();
    const leaving = new AbortController();
    const outcome = vi.spyOn(scene.steward.context.executor, 'outcome');
    onTestFinished(() => outcome.mockRestore());
    const waiting = ana.client.call('approval_result', { id }, { signal: leaving.signal });
    await eventually(() => outcome.mock.calls.length > 0);
    leaving.abort();
    await expect(waiting).rejects.toThrow();
  });
});

describe('a client that can show pages', () => {
  it('is asked to, and learns the end when it calls again with the state', async () => {
    const { message } = await ana.client.call('test_notify', MESSAGE, SHOWS_PAGES);
    const { resultType, inputRequests, requestState } = message.result;
    expect(resultType).toBe('input_required');
    const { method, params } = inputRequests.approval;
    expect(method).toBe('elicitation/create');
    expect(params).toMatchObject({ mode: 'url', message: 'Steward needs your approval: Send to bob@example.com' });
    const id = new URL(params.url).pathname.split('/').at(-1) as string;
    expect(await decide(scene, ana.user, id, true)).toBe(200);
    const answered = { requestState, inputResponses: { approval: { action: 'accept' } } };
    const end = await ana.client.call('test_notify', MESSAGE, { ...SHOWS_PAGES, params: answered });
    expect(resultOf(end)).toMatchObject({ data: { id: 'm1' } });
    expect(scene.sent).toBe(1);
  });

  it('learns where to go on, if its user has put the decision off', async () => {
    const { message } = await ana.client.call('test_notify', MESSAGE, SHOWS_PAGES);
    const { requestState, inputRequests } = message.result;
    const { url } = inputRequests.approval.params;
    const approvalId = new URL(url).pathname.split('/').at(-1);
    for (const action of ['decline', 'cancel']) {
      const params = { requestState, inputResponses: { approval: { action } } };
      const end = await ana.client.call('test_notify', MESSAGE, { ...SHOWS_PAGES, params });
      expect(resultOf(end)).toEqual({
        status: 'pending',
        approvalId,
        url,
        hint: expect.stringContaining(`approval_result with id ${approvalId}`),
      });
    }
    expect(scene.sent).toBe(0);
  });

  it('doesn’t decide by what it answers', async () => {
    const { message } = await ana.client.call('test_notify', MESSAGE, SHOWS_PAGES);
    const { requestState, inputRequests } = message.result;
    const id = new URL(inputRequests.approval.params.url).pathname.split('/').at(-1) as string;
    const answers = [{ action: 'accept', content: { approved: true } }, { approved: true }, 'yes', null];
    const retries = answers.map((approval) =>
      ana.client.call('test_notify', MESSAGE, { ...SHOWS_PAGES, params: { requestState, inputResponses: { approval } } }),
    );
    expect(await decide(scene, ana.user, id, false)).toBe(200);
    await scene.steward.clock.advance(LOOKS_EVERY_MS);
    for (const { message: end } of await Promise.all(retries)) {
      expect(end.result?.structuredContent.status ?? end.error.code).toSatisfy((what) => what === 'denied' || what === -32602);
    }
    expect(scene.sent).toBe(0);
  });

  it('can’t use a forged state, another’s, another call’s or an old one', async () => {
    const { message } = await ana.client.call('test_notify', MESSAGE, SHOWS_PAGES);
    const { requestState } = message.result as { requestState: string };
    const bob = await connectClient(scene);
    const [version, body, mac] = requestState.split('.') as [string, string, string];
    const changed = Buffer.from(
      Buffer.from(body, 'base64url')
        .toString()
        .replace(/"exp":\d+/, '"exp":99999999999'),
    ).toString('base64url');
    const retry = (client: McpClient, state: string, input: object = MESSAGE) =>
      client.call('test_notify', input, {
        ...SHOWS_PAGES,
        params: { requestState: state, inputResponses: { approval: { action: 'accept' } } },
      });
    for (const forged of ['x', `${version}.${body}.`, `${version}.${changed}.${mac}`, `${requestState}x`, 'v1..', '.'.repeat(50_000)]) {
      expect((await retry(ana.client, forged)).message.error, forged.slice(0, 30)).toMatchObject({ code: -32602 });
    }
    expect((await retry(bob.client, requestState)).message.error).toMatchObject({ code: -32602 });
    expect((await retry(ana.client, requestState, { to: ['zoe@example.com'] })).message.error).toMatchObject({ code: -32602 });
    await scene.steward.clock.advance(16 * 60_000);
    expect((await retry(ana.client, requestState)).message.error).toMatchObject({ code: -32602 });
    expect(scene.sent).toBe(0);
  });
});
