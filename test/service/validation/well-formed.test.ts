import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { type ConnectedClient, connectClient } from '../../support/scenes/mcp-scene.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
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

const HALVES: [string, string][] = [
  ['half of an emoji', 'Lunch \\ud83d'],
  ['its second half', '\\ude00 lunch'],
  ['halves in the wrong order', '\\ude00\\ud83d'],
  ['a NUL', 'a\\u0000b'],
];
const REFUSED = /must not contain (half of a character|NUL)/;

/** Fields with rules of their own. */
const BY_NAME = new Map([
  ['POST /tokens', /name: /],
  ['a frame, in its own member', /account: /],
]);

/** What each interface says to an input with such a text. */
const INTERFACES: [string, (text: string) => Promise<string>][] = [
  ['POST /agents/{action}', async (text) => (await post('/agents/mail.search', `{"query":"${text}"}`)).body],
  ['POST /agents/{action}, in a name', async (text) => (await post('/agents/mail.search', `{"${text}":1}`)).body],
  ['a frame', async (text) => frame(`{"type":"call","action":"mail.search","input":{"query":"${text}"}}`)],
  ['a frame, in its own member', async (text) => frame(`{"type":"call","action":"mail.search","account":"${text}"}`)],
  [
    'tools/call',
    async (text) => (await mcp('tools/call', `{"name":"mail_search","arguments":{"query":"${text}"}`)).result.structuredContent,
  ],
  ['prompts/get', async (text) => (await mcp('prompts/get', `{"name":"plan_my_week","arguments":{"focus":"${text}"}`)).error],
  ['POST /tokens', async (text) => (await post('/tokens', `{"name":"${text}","actions":["*"],"access":"read"}`)).body],
];

function post(path: string, body: string) {
  return scene.steward.call(path, { token: ana.user.token, body, headers: JSON_TYPE });
}

async function frame(text: string): Promise<any> {
  const client = await SocketClient.signedIn(scene.steward.url, ana.user.token);
  // Written with an escape in place of a half again.
  const { errorText, error } = await client.request(JSON.parse(text));
  await client.close();
  return { message: errorText, ...error };
}

async function mcp(method: string, params: string): Promise<any> {
  const meta = JSON.stringify({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  });
  const { name } = JSON.parse(`${params}}`) as { name: string };
  const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params},"_meta":${meta}}}`;
  return (await ana.client.post(body, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name })).message;
}

describe.each(INTERFACES)('%s', (name, call) => {
  it.each(HALVES)('refuses %s, and says where', async (_what, text) => {
    const answer = JSON.stringify(await call(text));
    if (name === 'prompts/get') expect(answer).toContain('-32602');
    else expect(answer).toMatch(BY_NAME.get(name) ?? REFUSED);
    if (name !== 'prompts/get') expect(answer).toContain('invalid_request');
  });

  it('accepts a whole emoji', async () => {
    const answer = JSON.stringify((await call('Lunch \\ud83d\\ude00')) ?? null);
    expect(answer).not.toMatch(REFUSED);
  });
});

describe('a result', () => {
  it('is well-formed, whatever the provider has sent', async () => {
    scene.returned = { 'n\ud83d': 'x\ud83d', list: ['\ude00', '😀'] };
    const { data } = await scene.call(ana.user, 'test.return');
    expect(data).toEqual({ 'n\ufffd': 'x\ufffd', list: ['\ufffd', '😀'] });
  });
});
