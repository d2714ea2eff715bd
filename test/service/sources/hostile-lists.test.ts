import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/providers/mcp/source-settings.ts';
import { sourceTools } from '../../support/scenes/source-flows.ts';
import { ToolScene, type ToolUser } from '../../support/scenes/tool-scene.ts';
import { McpSource } from '../../support/servers/mcp-source.ts';
import { eventually } from '../../support/time/eventually.ts';
import { callAction } from '../../support/users/agents.ts';

const LONG = 'find_everything_that_anybody_has_ever_written_about_'.repeat(3).slice(0, 128);
const FIND: ToolDefinition = { name: 'find', inputSchema: { type: 'object', properties: { query: { type: 'string' } } } };
const FIND_ALL: ToolDefinition = { ...FIND, name: LONG };

const tickets = new McpSource();
const notes = new McpSource();
let scene: ToolScene;
let ana: ToolUser;
let ben: ToolUser;

/** Two sources with tools of the same names. */
const file = () => `version: 1
sources:
  tickets: { url: "${tickets.address}", auth: none, label: Tickets }
  notes: { url: "${notes.address}", auth: none, label: Notes }
agents:
  tickets:
    provider: mcp
    source: tickets
    description: Tickets.
    actions:
      find: { tool: find, effect: read }
      all: { tool: ${LONG}, effect: read }
  notes:
    provider: mcp
    source: notes
    description: Notes.
    actions:
      find: { tool: find, effect: read }
`;

beforeAll(async () => {
  await Promise.all([tickets.start(), notes.start()]);
  scene = await ToolScene.real(file());
});

beforeEach(async () => {
  for (const [name, server] of Object.entries({ tickets, notes })) {
    server.restart();
    server.pages = { first: { tools: [FIND, FIND_ALL] } };
    server.call = () => ({ content: [{ type: 'text', text: `of ${name}` }] });
    scene.listed.set(name, [FIND, FIND_ALL]);
  }
  ana = await scene.user('tickets');
  ben = await scene.user('notes');
});

afterAll(async () => {
  await scene?.steward.stop();
  await Promise.all([tickets.stop(), notes.stop()]);
});

const call = async ({ token }: ToolUser, action: string) => (await callAction(scene.steward, action, { query: 'a' }, { token })).data;
const called = (server: McpSource) => server.callsOf('/mcp').flatMap(({ body }) => (body?.method === 'tools/call' ? body.params.name : []));
/** The next look finds that the tools of both have to be read. */
const due = () =>
  scene.steward.sql('update source_accounts set list_after = now(), list_failures = 0 where id = any($1)', [
    [ana.accounts.tickets, ben.accounts.notes],
  ]);
const stateOf = async ({ token, accounts }: ToolUser, source: 'tickets' | 'notes') =>
  (await sourceTools(scene.steward, token, accounts[source] ?? '')).find?.state;

describe('two sources with tools of the same names', () => {
  it('are each asked for their own, also by a name of 128 characters', async () => {
    expect(await call(ana, 'tickets.find')).toEqual({ text: 'of tickets' });
    expect(await call(ana, 'tickets.all')).toEqual({ text: 'of tickets' });
    expect(await call(ben, 'notes.find')).toEqual({ text: 'of notes' });
    await expect(call(ben, 'tickets.find')).rejects.toMatchObject({ code: 'not_found' });
    expect([called(tickets), called(notes)]).toEqual([['find', LONG], ['find']]);
    const { body } = await scene.steward.call('/tools', { token: ana.token });
    expect(body.tools.map(({ name }: { name: string }) => name)).toEqual(['tickets_find', 'tickets_all']);
  });
});

describe('a server that does not answer to its list', () => {
  it('delays neither the list of another, nor what users request', async () => {
    const release = tickets.hold('/mcp');
    notes.pages = { first: { tools: [{ ...FIND, title: 'Changed' }] } };
    await due();
    const reading = scene.steward.tick();
    await eventually(() => tickets.callsOf('/mcp').length > 0);
    await eventually(async () => (await stateOf(ben, 'notes')) === 'held');
    expect(await stateOf(ana, 'tickets')).toBe('allowed');
    for (const path of ['/tools', '/integrations', '/auth/sources/accounts']) {
      expect((await scene.steward.call(path, { token: ana.token })).status, path).toBe(200);
    }
    expect(called(tickets)).toEqual([]);
    release();
    await reading;
    expect(await call(ana, 'tickets.find')).toEqual({ text: 'of tickets' });
  });
});

describe('a list', () => {
  const page = (response: ServerResponse) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>secret words</h1>');
  const many = Array.from({ length: 10_000 }, (_, index) => ({ ...FIND, name: `find_${index}` }));

  it.each<[string, () => void]>([
    ['of 10,000 tools', () => (tickets.list = () => ({ tools: many }))],
    ['without end', () => (tickets.list = () => ({ tools: [], nextCursor: 'again' }))],
    ['that is a page', () => tickets.on('/mcp', page)],
    ['that is none', () => (tickets.list = () => ({ tools: 'secret words' as never }))],
    ['that is refused', () => tickets.on('/mcp', (response) => void response.writeHead(500).end())],
  ])('%s changes nothing, and is read again later', async (_what, answer) => {
    answer();
    await due();
    await scene.steward.tick();
    const row = `select list_failures as failures, list_after > now() + interval '30 seconds' as "isLater" from source_accounts where id = $1`;
    await eventually(async () => {
      expect(await scene.steward.sql(row, [ana.accounts.tickets])).toEqual([{ failures: 1, isLater: true }]);
      return true;
    });
    expect(await stateOf(ana, 'tickets')).toBe('allowed');
    expect(scene.steward.logs.join('')).not.toContain('secret words');
    tickets.restart();
    tickets.call = () => ({ content: [{ type: 'text', text: 'of tickets' }] });
    expect(await call(ana, 'tickets.find')).toEqual({ text: 'of tickets' });
  });

  it('with two tools of the same name has neither, and all others', async () => {
    tickets.pages = { first: { tools: [FIND, { ...FIND, title: 'Other' }, FIND_ALL] } };
    await due();
    await scene.steward.tick();
    await eventually(async () => (await stateOf(ana, 'tickets')) === 'gone');
    await expect(call(ana, 'tickets.find')).rejects.toMatchObject({ code: 'forbidden', details: { state: 'gone' } });
    expect(await call(ana, 'tickets.all')).toEqual({ text: 'of tickets' });
  });
});
