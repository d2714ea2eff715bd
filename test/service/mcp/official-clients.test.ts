import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { bearer, currentClient, LINES, type OfficialClient } from '../../support/users/official-clients.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const CURRENT = '2026-07-28';
const LONGER_THAN_THE_TEST_MS = 1_000_000;
const ANA = { to: ['ana@example.com'] };

let scene: ExecutorScene;
let user: ConnectedGrant;
let token: string;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.policies.set('test.notify', { approval: 'destructive' });
  scene.sending(200);
  user = await scene.connect();
  token = await newToken();
});

async function newToken(): Promise<string> {
  const body = JSON.stringify({ name: 'official', actions: ['*'], access: 'write' });
  return (await scene.steward.call('/tokens', { token: user.token, body, headers: JSON_TYPE })).body.token;
}

/** What the user does on the page of an approval. */
function decide(page: string, approved = true) {
  return scene.steward.call(new URL(page).pathname, { token: user.token, body: JSON.stringify({ approved }), headers: JSON_TYPE });
}

describe.each(LINES)('the official client ($name)', ({ connect, revision }) => {
  let client: OfficialClient;

  beforeEach(async () => {
    client = await connect(scene.steward.url, bearer(token));
  });
  afterEach(() => client?.close());

  it('agrees on a revision, lists the tools, and reads', async () => {
    expect(client.revision).toBe(revision);
    const names = (await client.tools()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['mail_search', 'test_read', 'approval_result']));
    expect((await client.prompts()).map(({ name }) => name)).toContain('plan_my_week');
    const { isError, content, structuredContent } = await client.call('test_read');
    expect(isError).toBeFalsy();
    expect(structuredContent).toMatchObject({ data: { emailAddress: 'someone@example.com' }, meta: { integrity: 'others' } });
    expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
  });

  it('is told where the user approves a call, and gets its result afterwards', async () => {
    const asked = await client.call('test_notify', ANA);
    expect(asked).toMatchObject({ isError: true, structuredContent: { error: { code: 'approval_required' } } });
    const { url, approvalId } = asked.structuredContent.error.details;
    expect(asked.content[0]!.text).toContain(`${scene.steward.url}/approvals/${approvalId}`);
    expect(scene.sent).toBe(0);
    expect((await decide(url)).status).toBe(200);
    const result = await client.call('approval_result', { id: approvalId });
    expect(result.isError).toBeFalsy();
    expect(result.structuredContent).toMatchObject({ data: { id: 'm1' } });
    expect(scene.sent).toBe(1);
  });

  it('waits for the user’s decision, and is told of a denial', async () => {
    const { url, approvalId } = (await client.call('test_notify', ANA)).structuredContent.error.details;
    const result = client.call('approval_result', { id: approvalId });
    await decide(url, false);
    // The next look at the approval; more of them could pass the end of its wait before the decision is stored.
    await scene.steward.clock.advance(1_000);
    expect(await result).toMatchObject({ isError: true, structuredContent: { status: 'denied' } });
    expect(scene.sent).toBe(0);
  });

  it('receives progress while a call runs', async () => {
    scene.work = async (_input, { progress }) => {
      for (const step of ['one', 'two', 'three']) progress(step);
      return {};
    };
    const received: { progress: number; message?: string | undefined }[] = [];
    await client.call('test_run', {}, { onprogress: (progress) => received.push(progress) });
    expect(received.map(({ message }) => message)).toEqual(['one', 'two', 'three']);
    expect(received.map(({ progress }) => progress)).toEqual([1, 2, 3]);
  });

  it('ends a read on the server by leaving', async () => {
    scene.policies.set('test.run', { timeoutMs: LONGER_THAN_THE_TEST_MS });
    const began = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    scene.work = async (_input, { signal }) => {
      signal.addEventListener('abort', () => ended.resolve(), { once: true });
      began.resolve();
      await ended.promise;
      return {};
    };
    const abort = new AbortController();
    const call = client.call('test_run', {}, { signal: abort.signal });
    await began.promise;
    // In earlier revisions an abort is a notification, which may reach another replica: there only the end of the connection counts.
    if (revision === CURRENT) abort.abort();
    else await client.close();
    await expect(call).rejects.toThrow();
    await ended.promise;
  });

  it('may connect and leave often', async () => {
    for (let times = 0; times < 12; times++) {
      const again = await connect(scene.steward.url, bearer(token));
      await again.call('test_read');
      await again.close();
    }
  });

  it('gets an error of the protocol only for a tool that is not there, and is refused once its token is revoked', async () => {
    scene.reading(404, {});
    expect(await client.call('test_read')).toMatchObject({ isError: true });
    await expect(client.call('test_nothing')).rejects.toMatchObject({ code: -32602 });
    const { tokens } = (await scene.steward.call('/tokens', { token: user.token })).body;
    await scene.steward.call(`/tokens/${tokens[0].id}`, { method: 'DELETE', token: user.token });
    await expect(client.call('test_read')).rejects.toThrow();
    await expect(connect(scene.steward.url, bearer(token))).rejects.toThrow();
  });
});

describe('the official client with URL elicitation', () => {
  it('shows the page, and gets the result of the call that the user approved there', async () => {
    const shown: string[] = [];
    const capabilities = { elicitation: { url: {} } };
    const client = await currentClient(
      scene.steward.url,
      bearer(token),
      { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities },
      (made) =>
        made.setRequestHandler('elicitation/create', async ({ params }) => {
          const { url } = params as { url: string };
          shown.push(url);
          await decide(url);
          return { action: 'accept' };
        }),
    );
    const result = await client.callTool({ name: 'test_notify', arguments: ANA });
    expect(result.structuredContent).toMatchObject({ data: { id: 'm1' } });
    expect(shown).toEqual([expect.stringContaining(`${scene.steward.url}/approvals/`)]);
    expect(scene.sent).toBe(1);
    await client.close();
  });
});
