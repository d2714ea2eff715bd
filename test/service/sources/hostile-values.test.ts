import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/providers/mcp/source-settings.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';
import { sourceTools } from '../../support/scenes/source-flows.ts';
import { ToolScene, type ToolUser } from '../../support/scenes/tool-scene.ts';
import { McpSource } from '../../support/servers/mcp-source.ts';
import { callAction } from '../../support/users/agents.ts';

const FIND: ToolDefinition = { name: 'find', inputSchema: { type: 'object' } };
const CLOSE: ToolDefinition = { name: 'close', inputSchema: { type: 'object' } };

const server = new McpSource();
let scene: ToolScene;
let user: ToolUser;

beforeAll(async () => {
  await server.start();
  const actions = ['find: { tool: find, effect: read }', 'close: { tool: close, effect: write }'];
  scene = await ToolScene.real(sourceFile(`{ url: "${server.address}", auth: none, label: Tickets }`, ...actions));
  scene.listed.set('tickets', [FIND, CLOSE]);
});

beforeEach(async () => {
  server.restart();
  server.pages = { first: { tools: [FIND, CLOSE] } };
  user = await scene.user('tickets');
});

afterAll(async () => {
  await scene.steward.stop();
  await server.stop();
});

/** Answers a method with this text of JSON. */
function answer(method: string, result: string): void {
  server.on('/mcp', (response, call) => {
    if (call.body?.method !== method) return server.respond(response, call);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"jsonrpc":"2.0","id":${call.body.id},"result":{"resultType":"complete",${result}}}`);
  });
}

async function readAgain() {
  await scene.steward.sql('update source_accounts set list_after = now(), list_failures = 0 where id = $1', [user.accounts.tickets]);
  await scene.steward.tick();
  return sourceTools(scene.steward, user.token, user.accounts.tickets ?? '');
}

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('a definition', () => {
  it.each([
    ['half of a character', '"\\ud800"', 'gone'],
    ['a name with half of a character', '{"\\ud800":1}', 'gone'],
    ['a number that is none', '[{"a":1e999}]', 'gone'],
    ['100,000 lists in lists', nested(100_000), 'gone'],
    ['a text of 700 kB', `"${'a'.repeat(700_000)}"`, 'gone'],
    ['the name of a prototype', '{"__proto__":{"type":"string"}}', 'held'],
    ['a NUL character', '"\\u0000"', 'held'],
  ])('with %s keeps no change of another tool from being seen', async (_what, value, state) => {
    const schema = `{"type":"object","default":${value}}`;
    answer(
      'tools/list',
      `"tools":[{"name":"find","inputSchema":${schema}},{"name":"close","title":"New","inputSchema":{"type":"object"}}]`,
    );
    const { find, close } = await readAgain();
    expect([find.state, close.state]).toEqual([state, 'held']);
  });
});

describe('a result', () => {
  it.each([
    ['half of a character', '{"id":"\\ud800","\\udc00":"\\udc00"}', { id: '\ufffd', '\ufffd': '\ufffd' }],
    ['NUL characters', '{"id":"a\\u0000b","\\u0000c":"\\u0000"}', { id: 'ab', c: '' }],
    ['a number that is none', '1e999', null],
    ['names of prototypes', '{"__proto__":{"id":"a"},"constructor":1}', JSON.parse('{"__proto__":{"id":"a"},"constructor":1}')],
    ['100,000 lists in lists', nested(100_000), expect.anything()],
  ])('with %s is returned without what can’t be stored', async (_what, value, expected) => {
    answer('tools/call', `"content":[{"type":"text","text":"a\\u0000\\ud800"}],"structuredContent":{"value":${value}}`);
    const { data } = await callAction(scene.steward, 'tickets.find', {}, { token: user.token });
    expect(data).toEqual({ text: 'a\ufffd', structured: { value: expected } });
  });

  it('with more values than are looked at is too large', async () => {
    const members = Array.from({ length: 20_000 }, (_one, index) => `"${index}":[]`);
    answer('tools/call', `"content":[],"structuredContent":{${members.join(',')}}`);
    await expect(callAction(scene.steward, 'tickets.find', {}, { token: user.token })).rejects.toMatchObject({ code: 'too_large' });
    answer('tools/call', `"content":[],"structuredContent":{${members.slice(2).join(',')}}`);
    const { data } = await callAction(scene.steward, 'tickets.find', {}, { token: user.token });
    expect(data).toHaveProperty('structured');
  });
});
