import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtInTools } from '../../../scripts/generate/tools-of-file.ts';
import { CorpusScene, type SourcesUser } from '../../support/scenes/corpus-scene.ts';
import { connect, linkBank } from '../../support/scenes/flows.ts';
import type { McpClient } from '../../support/users/mcp-client.ts';

const SHOWS_PAGES = { capabilities: { elicitation: { url: {} } } };

let scene: CorpusScene;
let ana: SourcesUser;
let client: McpClient;

beforeAll(async () => {
  scene = await CorpusScene.start();
  ana = await scene.connect();
  client = await scene.client(ana);
});
afterAll(() => scene?.stop());
beforeEach(() => scene.reset());

const namesOf = ({ message }: { message: any }): string[] => message.result.tools.map(({ name }: any) => name);
const find = async (query: string, by = client) => (await by.call('find_tools', { query })).message.result.structuredContent;
const called = async (name: string, input: unknown, by = client, options = {}) =>
  (await by.call('call_tool', { name, arguments: input }, options)).message.result;

describe('tools/list of 500 tools of 20 sources', () => {
  it('has two in their place, in at most 30 kB', async () => {
    const { message } = await client.request('tools/list');
    expect(namesOf({ message })).toEqual(['find_tools', 'call_tool', 'approval_result']);
    expect(Buffer.byteLength(JSON.stringify(message.result.tools))).toBeLessThanOrEqual(30_000);
    const [finds, calls] = message.result.tools;
    expect(finds.annotations).toEqual({ readOnlyHint: true, openWorldHint: true });
    expect(finds.description).toContain('- music: Songs, playlists and players');
    expect(calls).toMatchObject({ annotations: { readOnlyHint: false, destructiveHint: true } });
  });

  it('has at most 30 kB with everything else connected', async () => {
    const user = await scene.connect();
    await connect(scene.steward, { token: user.token });
    await linkBank(scene.steward, user.token);
    const { message } = await (await scene.client(user)).request('tools/list');
    expect(namesOf({ message })).toEqual(expect.arrayContaining(['mail_send', 'calendar_create', 'bank_transactions', 'find_tools']));
    // All but the proposal of automations, which is found like them.
    expect(message.result.tools).toHaveLength((await builtInTools()).length - 1 + 3);
    expect(Buffer.byteLength(JSON.stringify(message.result.tools))).toBeLessThanOrEqual(30_000);
  });

  it('has those of a short list itself', async () => {
    const short = await scene.client(ana, { actions: ['helpdesk.list_tickets', 'helpdesk.get_ticket'] });
    expect(namesOf(await short.request('tools/list'))).toEqual(['helpdesk_list_tickets', 'helpdesk_get_ticket', 'approval_result']);
  });
});

describe('find_tools', () => {
  it('gives at most eight whole definitions, the best first', async () => {
    const { tools } = await find('reply to a customer’s ticket');
    expect(tools).toHaveLength(8);
    expect(tools[0]).toEqual({
      name: 'helpdesk_reply_to_ticket',
      description: 'Sends the customer an answer.',
      inputSchema: {
        type: 'object',
        properties: {
          ticket: { type: 'string', description: 'Number' },
          body: { type: 'string' },
          status: { type: 'string', enum: ['open', 'pending', 'solved'] },
        },
        required: ['ticket', 'body'],
      },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    });
  });

  it('names only what the client may call', async () => {
    const reader = await scene.client(ana, { access: 'read' });
    const names = (await find('delete an issue, add a comment to an issue', reader)).tools.map(({ name }: any) => name);
    expect(names).toContain('tracker_list_comments');
    expect(names).not.toContain('tracker_delete_issue');
    expect(names).not.toContain('tracker_add_comment');
    const stranger = await scene.connect();
    await scene.steward.sql('delete from source_accounts where user_id = $1', [stranger.userId]);
    expect(await find('delete an issue', await scene.client(stranger))).toEqual({ tools: [], hint: expect.any(String) });
  });

  it('says that nothing fits, and needs a query', async () => {
    expect(await find('zzzz qqqq')).toEqual({ tools: [], hint: expect.stringContaining('No tool fits') });
    for (const input of [{}, { query: '' }, { query: 7 }]) {
      const { isError, structuredContent } = (await client.call('find_tools', input)).message.result;
      expect(isError).toBe(true);
      expect(structuredContent.error).toEqual({ code: 'invalid_request', message: 'query: is missing.' });
    }
  });
});

describe('call_tool', () => {
  it('runs the tool, and is that action’s call in the audit log', async () => {
    const user = await scene.connect();
    const result = await called('helpdesk_reply_to_ticket', { ticket: '7', body: 'Soon.' }, await scene.client(user));
    expect(result.structuredContent).toMatchObject({ data: { did: 'reply_to_ticket' }, meta: { account: 'Sources' } });
    expect(scene.ran).toEqual([{ action: 'helpdesk.reply_to_ticket', input: { ticket: '7', body: 'Soon.' } }]);
    expect(await scene.trail(user)).toEqual([
      'http * token_created',
      'mcp helpdesk.reply_to_ticket started',
      'mcp helpdesk.reply_to_ticket allowed',
    ]);
  });

  it('takes arguments that a model wrote as a text', async () => {
    expect((await called('helpdesk_get_ticket', '{"ticket":"7"}')).structuredContent.data).toEqual({ did: 'get_ticket' });
    for (const input of ['{', '7', '['.repeat(60_000), [], 7]) {
      expect((await called('helpdesk_get_ticket', input)).structuredContent.error).toMatchObject({
        code: 'invalid_request',
        message: 'arguments: has to be an object.',
      });
    }
  });

  it('calls nothing that is no action', async () => {
    for (const name of ['call_tool', 'find_tools', 'approval_result', 'helpdesk.get_ticket', 'nothing', 'x'.repeat(10_000)]) {
      const { isError, structuredContent } = await called(name, {});
      expect(isError).toBe(true);
      expect(structuredContent.error).toMatchObject({ code: 'not_found', message: expect.stringContaining('There is no tool') });
    }
    expect((await client.call('call_tool', {})).message.result.structuredContent.error.message).toBe('name: is missing.');
  });

  it('is bound by the grant, the policy and the rate of the tool', async () => {
    const reader = await scene.client(ana, { access: 'read' });
    expect((await called('tracker_delete_issue', { issue: 'ENG-1' }, reader)).structuredContent.error.code).toBe('forbidden');
    scene.setPolicy('tracker.get_issue', { rate: { calls: 1, perMs: 60_000 } });
    const [one, two] = [await called('tracker_get_issue', { issue: 'ENG-1' }), await called('tracker_get_issue', { issue: 'ENG-1' })];
    expect([one.isError, two.structuredContent.error.code]).toEqual([undefined, 'rate_limited']);
    expect((await called('tracker_get_project', { project: 'ENG' })).isError).toBeUndefined();
    expect(scene.ran.map(({ action }) => action)).toEqual(['tracker.get_issue', 'tracker.get_project']);
  });

  it('gives the schema of arguments that were wrong, for models that see texts only, too', async () => {
    const { content, structuredContent } = await called('helpdesk_reply_to_ticket', { text: 'Soon.' });
    const { details, message } = structuredContent.error;
    expect(details.schema).toMatchObject({ required: ['ticket', 'body'], properties: { status: { enum: ['open', 'pending', 'solved'] } } });
    expect(message).toContain('ticket: is missing.');
    expect(content[0].text).toContain('"required":["ticket","body"]');
  });

  it('asks the user about the tool, and approval_result tells how it ended', async () => {
    scene.setPolicy('tracker.delete_issue', { approval: 'destructive' });
    const { structuredContent } = await called('tracker_delete_issue', { issue: 'ENG-1' });
    const { approvalId } = structuredContent.error.details;
    expect(structuredContent.error.code).toBe('approval_required');
    const { body } = await scene.steward.call(`/approvals/${approvalId}`, { token: ana.token });
    expect(body).toMatchObject({ action: 'tracker.delete_issue', input: { issue: 'ENG-1' } });
    const approve = { token: ana.token, body: '{"approved":true}', headers: { 'content-type': 'application/json' } };
    expect((await scene.steward.call(`/approvals/${approvalId}`, approve)).status).toBe(200);
    expect((await client.call('approval_result', { id: approvalId })).message.result.structuredContent.data).toEqual({
      did: 'delete_issue',
    });
    expect(scene.ran).toHaveLength(1);
  });

  it('can be repeated with the answer to the question, and with none of another call', async () => {
    scene.setPolicy('tracker.delete_issue', { approval: 'destructive' });
    const asked = await called('tracker_delete_issue', { issue: 'ENG-2' }, client, SHOWS_PAGES);
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { approval: { params: { url: expect.any(String) } } } });
    const again = { ...SHOWS_PAGES, params: { requestState: asked.requestState, inputResponses: { approval: { action: 'decline' } } } };
    expect((await called('tracker_delete_issue', { issue: 'ENG-2' }, client, again)).structuredContent).toMatchObject({
      status: 'pending',
    });
    const other = await client.call('call_tool', { name: 'tracker_delete_issue', arguments: { issue: 'ENG-3' } }, again);
    expect(other.message.error.message).toContain('another call');
    expect(scene.ran).toEqual([]);
  });
});

describe('GET /tools?query=', () => {
  const get = (query: string) => scene.steward.call(`/tools?${query}`, { token: ana.token });

  it.each([
    ['mcp', (tool: any) => tool.name],
    ['openai', (tool: any) => tool.function.name],
    ['anthropic', (tool: any) => tool.name],
  ])('gives the best eight whole definitions for %s', async (format, nameOf) => {
    const { status, body } = await get(`format=${format}&strict=true&query=${encodeURIComponent('reply to a customer’s ticket')}`);
    expect(status).toBe(200);
    expect(body.tools).toHaveLength(8);
    expect(nameOf(body.tools[0])).toBe('helpdesk_reply_to_ticket');
    expect(JSON.stringify(body.tools[0])).toContain('pending');
  });

  it('gives them for Gemini in its one tool, none for what nothing fits, and all without a query', async () => {
    expect((await get('format=gemini&query=ticket')).body.tools[0].functionDeclarations).toHaveLength(8);
    expect((await get('query=zzzz')).body.tools).toEqual([]);
    // With the proposal of automations.
    expect((await get('')).body.tools).toHaveLength(501);
    for (const query of ['', '%20', 'x'.repeat(501)]) expect((await get(`query=${query}`)).status).toBe(400);
  });
});
