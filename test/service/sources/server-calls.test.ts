import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/providers/mcp/source-settings.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';
import { sourceAccounts, sourceTools } from '../../support/scenes/source-flows.ts';
import { ToolScene, type ToolUser } from '../../support/scenes/tool-scene.ts';
import { McpSource } from '../../support/servers/mcp-source.ts';
import { eventually } from '../../support/time/eventually.ts';
import { callAction } from '../../support/users/agents.ts';

const FIND: ToolDefinition = {
  name: 'find',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  outputSchema: { type: 'object', properties: { ids: { type: 'array', items: { type: 'string' } } }, required: ['ids'] },
};
const CLOSE: ToolDefinition = { name: 'close', inputSchema: { type: 'object', properties: { id: { type: 'string' } } } };

let source: McpSource;
let scene: ToolScene;
let user: ToolUser;

const file = (url: string) =>
  sourceFile(
    `{ url: "${url}", auth: none, label: Tickets }`,
    'find: { tool: find, effect: read }',
    'close: { tool: close, effect: write, policy: { approval: never } }',
  );

beforeAll(async () => {
  source = await new McpSource().start();
  scene = await ToolScene.real(file(source.address));
  scene.listed.set('tickets', [FIND, CLOSE]);
});

beforeEach(async () => {
  source.restart();
  source.pages = { first: { tools: [FIND, CLOSE] } };
  source.call = () => ({ content: [{ type: 'text', text: '{"ids":["1"]}' }], structuredContent: { ids: ['1'] } });
  user = await scene.user('tickets');
});

afterAll(async () => {
  await scene.steward.stop();
  await source.stop();
});

/** The background reads the tools of the account. */
async function readAgain(): Promise<void> {
  await scene.steward.sql(`update source_accounts set list_after = now() - interval '1 minute' where id = $1`, [user.accounts.tickets]);
  await scene.steward.tick();
}
const shown = async () => (await sourceAccounts(scene.steward, user.token))[0];
const eventsOf = async () => {
  const rows = await scene.steward.sql<{ data: any }>(`select * from events where user_id = $1 and event = 'source.tools_changed'`, [
    user.userId,
  ]);
  return rows.length;
};

const call = (action: string, input: object = {}) => callAction(scene.steward, action, input, { token: user.token });
const called = () => source.callsOf('/mcp').filter(({ body }) => body?.method === 'tools/call');

describe('a call of a source’s tool', () => {
  it.each(['modern', 'legacy'] as const)('reaches its server, and returns what it answers (%s)', async (era) => {
    source.era = era;
    expect((await call('tickets.find', { query: 'lamp' })).data).toEqual({ structured: { ids: ['1'] } });
    // What was sent within an earlier session is sent again.
    expect(called().at(-1)?.body.params).toMatchObject({ name: 'find', arguments: { query: 'lamp' } });
  });

  it('names images and links, and fetches neither', async () => {
    const content = [
      { type: 'text', text: 'See' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'resource_link', uri: `${source.url}/secret`, name: 'x' },
    ];
    source.call = () => ({ content });
    expect((await call('tickets.close', { id: '1' })).data).toEqual({ text: `See\n\n[image: image/png]\n\n[link: ${source.url}/secret]` });
    expect(source.callsOf('/secret')).toEqual([]);
  });

  it('whose arguments are wrong sends nothing', async () => {
    await expect(call('tickets.find', { query: 1 })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { schema: FIND.inputSchema },
    });
    expect(called()).toEqual([]);
  });

  it('refuses a result that asks the user for something', async () => {
    source.call = () => ({ resultType: 'input_required', inputRequests: {} });
    await expect(call('tickets.find', { query: 'a' })).rejects.toMatchObject({ code: 'provider_error' });
  });

  it('keeps the scopes that the server asks for, until the account is connected again', async () => {
    for (const scope of ['tickets:write', 'tickets:write all "', '']) {
      source.answer = (response) => {
        response.writeHead(403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` }).end();
      };
      await expect(call('tickets.find', { query: 'a' })).rejects.toMatchObject({
        code: 'missing_scopes',
        details: { account: user.accounts.tickets, missingScopes: [] },
      });
    }
    expect(called()).toHaveLength(3);
    const [kept] = await scene.steward.sql<{ wanted_scopes: string[] }>('select wanted_scopes from source_accounts where id = $1', [
      user.accounts.tickets,
    ]);
    expect(kept?.wanted_scopes.toSorted()).toEqual(['all', 'tickets:write']);
    source.answer = undefined;
    expect((await call('tickets.find', { query: 'a' })).data).toEqual({ structured: { ids: ['1'] } });
  });

  it('asks for a new connection once the server refuses its credential, or the file names another address', async () => {
    source.accepted = new Set();
    await expect(call('tickets.find', { query: 'a' })).rejects.toMatchObject({
      code: 'reauth_required',
      details: { account: user.accounts.tickets },
    });
    source.accepted = undefined;
    user = await scene.user('tickets');
    await scene.reload(file(`${source.url}/other`));
    await expect(call('tickets.find', { query: 'a' })).rejects.toMatchObject({ code: 'reauth_required' });
    expect(source.callsOf('/other')).toEqual([]);
    await scene.reload(file(source.address));
    expect((await call('tickets.find', { query: 'a' })).data).toEqual({ structured: { ids: ['1'] } });
  });
});

describe('what keeps a connection from being used', () => {
  it('is shown: an error in reading its tools, with one event, until they are read', async () => {
    const before = await eventsOf();
    source.on('/mcp', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'));
    await readAgain();
    await eventually(async () => (await shown())?.list_error === 'provider_error');
    await readAgain();
    expect(await eventsOf()).toBe(before + 1);
    source.restart();
    await readAgain();
    await eventually(async () => (await shown())?.list_error === null);
  });

  it('is shown: permissions that its server wants, which is something to attend to', async () => {
    source.on('/mcp', (response) => {
      response.writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="tickets:list"' }).end();
    });
    await readAgain();
    await eventually(async () => (await shown())?.list_error === 'missing_scopes');
    expect(await shown()).toMatchObject({ status: 'active', missing_scopes: ['tickets:list'] });
    const { body } = await scene.steward.call('/integrations', { token: user.token });
    expect(body.sources.tickets).toMatchObject({ connected: true, needs_attention: 1 });
  });

  it('is shown: a tool whose definition can’t be used, with the reason, until it can be', async () => {
    const inputSchema = { ...CLOSE.inputSchema, properties: { id: { $ref: 'https://evil.example/schema.json' } } };
    source.pages = { first: { tools: [FIND, { ...CLOSE, inputSchema }] } };
    await readAgain();
    const close = async () => (await sourceTools(scene.steward, user.token, user.accounts.tickets ?? '')).close;
    await eventually(async () => (await close()).state === 'gone');
    expect(await close()).toMatchObject({ problem: 'its schema refers to another document', approved: CLOSE });
    await expect(call('tickets.close', { id: '1' })).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('can’t be used, because its schema refers to another document.'),
      details: { reason: 'tool_held', state: 'gone' },
    });
    source.pages = { first: { tools: [FIND, CLOSE] } };
    await readAgain();
    await eventually(async () => (await close()).state === 'allowed');
    expect(await close()).not.toHaveProperty('problem');
  });
});
