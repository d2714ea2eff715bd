import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { type ConnectedClient, connectClient, newToken } from '../../support/scenes/mcp-scene.ts';
import { eventually } from '../../support/time/eventually.ts';
import { McpClient } from '../../support/users/mcp-client.ts';

let scene: ExecutorScene;
let ana: ConnectedClient;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  ana = await connectClient(scene);
});

const namesOf = (response: any): string[] => response.message.result.tools.map(({ name }: any) => name);

describe('tools/list', () => {
  it('is what GET /tools gives, in a fixed order, and how to learn of approvals', async () => {
    const { message } = await ana.client.request('tools/list');
    const { body } = await scene.steward.call('/tools?format=mcp', { token: ana.token });
    expect(message.result.tools.slice(0, -1)).toEqual(body.tools);
    expect(message.result.tools.at(-1)).toMatchObject({ name: 'approval_result', annotations: { readOnlyHint: true } });
    expect(message.result).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' });
    expect(JSON.stringify((await ana.client.request('tools/list')).message.result)).toBe(JSON.stringify(message.result));
  });

  it('has only what the grant allows', async () => {
    const { token } = await newToken(scene.steward, ana.user, { actions: ['test.read', 'test.send', 'mail.search'], access: 'read' });
    const reader = new McpClient(scene.steward, token);
    expect(namesOf(await reader.request('tools/list'))).toEqual(['mail_search', 'test_read', 'approval_result']);
    expect((await reader.request('prompts/list')).message.result.prompts).toEqual([]);
    expect((await reader.request('resources/templates/list')).message.result.resourceTemplates).toEqual([]);
  });

  it('tells reads from changes, and which of these reach others', async () => {
    const { message } = await ana.client.request('tools/list');
    const hints = (name: string) => message.result.tools.find((tool: any) => tool.name === name).annotations;
    expect(hints('mail_search')).toEqual({ readOnlyHint: true, openWorldHint: true });
    expect(hints('mail_label')).toEqual({ readOnlyHint: false, destructiveHint: false, openWorldHint: true });
    expect(hints('mail_send')).toEqual({ readOnlyHint: false, destructiveHint: true, openWorldHint: true });
    expect(hints('drive_trash')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });

  it('rejects a page that it never gave', async () => {
    for (const cursor of ['x', '-1', '1e3', ' '.repeat(10_000)]) {
      expect((await ana.client.request('tools/list', { cursor })).message.error).toMatchObject({ code: -32602 });
    }
  });
});

describe('tools/call', () => {
  it('gives the result as structured content and as text, with the account that was used', async () => {
    scene.reading(200, { emailAddress: 'someone@example.com' });
    const { status, message } = await ana.client.call('test_read');
    const { content, structuredContent, isError } = message.result;
    expect(status).toBe(200);
    expect(isError).toBeUndefined();
    expect(structuredContent).toEqual({
      data: { emailAddress: 'someone@example.com' },
      meta: { account: ana.user.email, integrity: 'others', confidentiality: 'private' },
    });
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  });

  it.each([[[1, 2]], ['text'], [null], [7]])('gives %j, which is no object, inside one', async (value) => {
    scene.returned = value;
    expect((await ana.client.call('test_return')).message.result.structuredContent.data).toEqual(value);
  });

  it('takes the account as an argument', async () => {
    scene.reading(200, { emailAddress: 'someone@example.com' });
    const second = await scene.connect({ token: ana.user.token, email: 'second@example.com' });
    const { message } = await ana.client.call('test_read', { account: second.email });
    expect(message.result.structuredContent.meta.account).toBe(second.email);
    const unknown = await ana.client.call('test_read', { account: 'nobody@example.com' });
    expect(unknown.message.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'invalid_request' } } });
  });

  it('gives what the executor refuses as an error that the model can read', async () => {
    const { token } = await newToken(scene.steward, ana.user, { access: 'read' });
    const { status, message } = await new McpClient(scene.steward, token).call('test_send', { to: ['ana@example.com'] });
    expect(status).toBe(200);
    expect(message.result.isError).toBe(true);
    expect(message.result.content[0].text).toMatch(/^forbidden: .*may only read/);
    expect(message.result.structuredContent.error.code).toBe('forbidden');
    const invalid = await ana.client.call('mail_search', { limit: 'many' });
    expect(invalid.message.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'invalid_request' } } });
  });

  it('knows tools by their names only', async () => {
    for (const name of ['nope', 'test.read', '__proto__', 'constructor', '', 'x'.repeat(5_000)]) {
      expect((await ana.client.call(name)).message.error, name.slice(0, 20)).toMatchObject({ code: -32602 });
    }
  });

  it('is on record as a call over MCP of this client', async () => {
    await ana.client.call('test_read');
    const rows = await eventually(async () => {
      const found = await scene.audit(ana.user);
      return found.some(({ action }) => action === 'test.read') && found;
    });
    expect(rows.find(({ action }) => action === 'test.read')).toMatchObject({ surface: 'mcp', client_id: ana.id });
  });

  it('reports progress to a client that wants to know', async () => {
    scene.work = async (_input, { progress }) => {
      progress('Half of it');
      return {};
    };
    const params = { _meta: { progressToken: 'p1' } };
    const wanted = await ana.client.call('test_run', {}, { meta: params._meta });
    expect(wanted.notifications).toEqual([
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p1', progress: 1, message: 'Half of it' } },
    ]);
    expect((await ana.client.call('test_run')).notifications).toEqual([]);
  });

  it('tells such a client every five seconds that a call is still running', async () => {
    const began = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    scene.policies.set('test.run', { timeoutMs: 1_000_000 });
    scene.work = async () => {
      began.resolve();
      await end.promise;
      return {};
    };
    const call = ana.client.call('test_run', {}, { meta: { progressToken: 'p1' } });
    await began.promise;
    await scene.steward.clock.advance(10_000);
    end.resolve();
    const { notifications } = await call;
    expect(notifications.map(({ params }) => params)).toEqual([1, 2].map((progress) => ({ progressToken: 'p1', progress })));
  });

  it.each(['2026-07-28', '2025-11-25'])('ends a read when its client leaves (%s)', async (revision) => {
    let signal: AbortSignal | undefined;
    scene.work = (_input, context) => {
      signal = context.signal;
      return new Promise((_resolve, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason)));
    };
    const leaving = new AbortController();
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'test_run', arguments: {} } };
    const call =
      revision === '2026-07-28'
        ? ana.client.call('test_run', {}, { signal: leaving.signal })
        : ana.client.post(body, { 'mcp-protocol-version': revision }, leaving.signal);
    await eventually(() => signal);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await eventually(() => signal?.aborted);
  });
});

describe('resources/read', () => {
  it('reads what a result named, through the executor', async () => {
    scene.answers('/api/drive/v3/files/f1', 404, { error: { code: 404 } });
    const missing = await ana.client.request('resources/read', { uri: 'steward://drive/file/f1' });
    expect(missing.message.error).toMatchObject({ code: -32602, data: { uri: 'steward://drive/file/f1' } });
    await eventually(async () => (await scene.audit(ana.user)).some(({ action, surface }) => action === 'drive.read' && surface === 'mcp'));
  });

  it('knows no other addresses', async () => {
    for (const uri of [
      'file:///etc/passwd',
      'steward://mail',
      'steward://mail/message/',
      'steward://mail/message/%',
      'steward://../x',
      'x'.repeat(2_000),
    ]) {
      expect((await ana.client.request('resources/read', { uri })).message.error, uri.slice(0, 40)).toMatchObject({ code: -32602 });
    }
  });
});

describe('prompts/get', () => {
  it('gives the text for a model', async () => {
    const { message } = await ana.client.request('prompts/get', { name: 'plan_my_week', arguments: { focus: 'the budget' } });
    expect(message.result.messages).toEqual([
      { role: 'user', content: { type: 'text', text: expect.stringContaining('What matters most: the budget.') } },
    ]);
  });

  it('rejects unknown prompts and arguments', async () => {
    for (const params of [{ name: 'nope' }, { name: 'plan_my_week', arguments: { x: 'y' } }, { name: 'toString' }]) {
      expect((await ana.client.request('prompts/get', params)).message.error).toMatchObject({ code: -32602 });
    }
  });
});

describe('a client of an earlier revision', () => {
  it.each(['2025-11-25', '2025-06-18'])('is served at the same address (%s)', async (revision) => {
    const headers = { 'mcp-protocol-version': revision };
    const clientInfo = { name: 'x', version: '1' };
    const { message } = await ana.client.earlier('initialize', { protocolVersion: revision, capabilities: {}, clientInfo }, headers);
    expect(message.result).toMatchObject({ protocolVersion: revision, serverInfo: { name: 'steward' } });
    expect((await ana.client.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).status).toBe(202);
    expect(namesOf(await ana.client.earlier('tools/list', {}, headers))).toContain('mail_search');
    for (const given of [{ arguments: {} }, {}]) {
      const result = await ana.client.earlier('tools/call', { name: 'test_read', ...given }, headers);
      expect(result.message.result.structuredContent.meta.account).toBe(ana.user.email);
    }
  });
});
