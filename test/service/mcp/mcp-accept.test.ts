import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { type ConnectedClient, connectClient } from '../../support/scenes/mcp-scene.ts';
import { EARLIER, REVISION } from '../../support/users/mcp-client.ts';

let scene: ExecutorScene;
let ana: ConnectedClient;

beforeAll(async () => {
  scene = await ExecutorScene.start();
  ana = await connectClient(scene);
});
afterAll(() => scene.stop());

const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: EARLIER, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

interface Sent {
  method: string;
  params?: object | null;
}

/** A request with exactly this Accept header; fetch always sends one. */
function post(message: Sent, headers: Record<string, string>): Promise<{ status: number; type: string | undefined; text: string }> {
  const { hostname, port } = new URL(scene.steward.url);
  const own = { 'content-type': 'application/json', authorization: `Bearer ${ana.token}` };
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path: '/mcp', method: 'POST', headers: { ...own, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'], text }));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }));
  });
}

/** In each revision: an initialization, a call, and one of the current revision. */
function all(accept: string | undefined) {
  const header = accept === undefined ? {} : { accept };
  const meta = 'io.modelcontextprotocol/';
  const envelope = {
    [`${meta}protocolVersion`]: REVISION,
    [`${meta}clientInfo`]: { name: 'test', version: '1' },
    [`${meta}clientCapabilities`]: {},
  };
  return Promise.all([
    post(INITIALIZE, header),
    post({ method: 'tools/list' }, { ...header, 'mcp-protocol-version': EARLIER }),
    post(
      { method: 'tools/list', params: { _meta: envelope } },
      { ...header, 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/list' },
    ),
  ]);
}

describe('Accept of /mcp', () => {
  const EITHER = ['application/json', 'text/event-stream'];
  it.each<[string | undefined, string[]]>([
    [undefined, EITHER],
    ['', EITHER],
    ['*/*', EITHER],
    ['application/json', ['application/json']],
    ['application/*', ['application/json']],
    ['Application/JSON;charset=utf-8', ['application/json']],
    ['application/json;q=0.1, text/html', ['application/json']],
    ['application/json, text/event-stream;q=0', ['application/json']],
    ['text/event-stream', ['text/event-stream']],
    ['TEXT/*;q=0.5', ['text/event-stream']],
    ['*/*, application/json;q=0', ['text/event-stream']],
    ['application/json, text/event-stream', EITHER],
  ])('%j is served in each revision, in %j', async (accept, types) => {
    for (const { status, type = '', text } of await all(accept)) {
      expect([status, types]).toEqual([200, expect.arrayContaining([type.split(';')[0]])]);
      const json = type.startsWith('text/event-stream') ? /^data: (\{.*)$/m.exec(text)?.[1] : text;
      expect(JSON.parse(json ?? '')).toMatchObject({ id: 1, result: {} });
    }
  });

  it.each(['text/html', '*/*;q=0', 'application/json;q=0, text/event-stream;q=0.000', 'image/*'])(
    '%j is served nothing',
    async (accept) => {
      for (const { status, text } of await all(accept)) {
        expect(status).toBe(406);
        expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } });
      }
    },
  );

  it('has to admit a stream where the response can be nothing else', async () => {
    const headers = { accept: 'application/json', 'mcp-protocol-version': REVISION, 'mcp-method': 'subscriptions/listen' };
    expect(await post({ method: 'subscriptions/listen', params: {} }, headers)).toMatchObject({ status: 406 });
  });
});

describe('a body to /mcp', () => {
  it.each([
    { method: 'tools/list', params: null },
    { method: 'tools/list', params: { cursor: null, _meta: { progressToken: null } } },
    { method: 'tools/call', params: { name: 'approval_result', arguments: null } },
  ])('is served what names nothing as null: %j', async (message) => {
    const { status, text } = await post(message, { accept: 'application/json', 'mcp-protocol-version': EARLIER });
    expect([status, JSON.parse(text)]).toEqual([200, { jsonrpc: '2.0', id: 1, result: expect.anything() }]);
  });

  it.each([
    { method: 'initialize', params: { ...INITIALIZE.params, protocolVersion: 5 } },
    { method: 'tools/list', params: { cursor: 5 } },
    { method: 'resources/read', params: {} },
    { method: 'prompts/get', params: { name: ['plan_my_week'] } },
    { method: 'tools/call', params: { name: 'approval_result', arguments: 'all' } },
  ])('is told that its parameters are not valid: %j', async (message) => {
    const { text } = await post(message, { accept: 'application/json', 'mcp-protocol-version': EARLIER });
    expect(JSON.parse(text)).toMatchObject({ id: 1, error: { code: -32_602, message: expect.stringContaining(message.method) } });
  });

  it('is not taken in a coding', async () => {
    const sent = (coding: string) => post(INITIALIZE, { accept: '*/*', 'content-encoding': coding });
    const statuses = await Promise.all(['gzip', 'BR', 'identity, gzip', 'Identity', ''].map(async (coding) => (await sent(coding)).status));
    expect(statuses).toEqual([415, 415, 415, 200, 200]);
  });
});
