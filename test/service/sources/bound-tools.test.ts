import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/providers/mcp/source-settings.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';
import { newToken } from '../../support/scenes/mcp-scene.ts';
import { ToolScene, type ToolUser } from '../../support/scenes/tool-scene.ts';
import { callAction } from '../../support/users/agents.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const SEARCH: ToolDefinition = {
  name: 'search_tickets',
  description: 'Finds tickets.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words.' },
      limit: { type: 'integer', minimum: 1 },
      state: { enum: ['open', 'closed'] },
    },
    required: ['query'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: { tickets: { type: 'array', items: { type: 'object', required: ['id'] } } },
    required: ['tickets'],
  },
};
const UPDATE: ToolDefinition = { name: 'update', inputSchema: { type: 'object', properties: { id: { type: 'string' } } } };
const RUN: ToolDefinition = {
  name: 'run_action',
  inputSchema: { type: 'object', properties: { action: { type: 'string' }, params: { type: 'object' } }, required: ['action'] },
};
const WITH_ACCOUNT: ToolDefinition = {
  name: 'of_account',
  inputSchema: { type: 'object', properties: { account: { type: 'string' } }, required: ['account'] },
};

const FILE = sourceFile(
  '{ url: "https://mcp.example.com/mcp", label: Tickets }',
  'search: { tool: search_tickets, effect: read }',
  'open: { tool: search_tickets, effect: read, description: The open ones., with: { query: "*", state: open } }',
  'listed: { tool: search_tickets, effect: read, policy: { allow: { query: [one, two], nothing: [a] } } }',
  'update: { tool: update, effect: write, policy: { approval: never } }',
  'peek: { tool: update, effect: read }',
  'archive: { tool: run_action, effect: read, dispatches: action, with: { action: archive } }',
  'run: { tool: run_action, effect: destructive, dispatches: action }',
  'purge: { tool: update, effect: destructive, description: Purge a ticket., with: { mode: purge } }',
  'of: { tool: of_account, effect: read }',
);

let scene: ToolScene;
let user: ToolUser;

beforeAll(async () => {
  scene = await ToolScene.start(FILE);
});

beforeEach(async () => {
  scene.calls.length = 0;
  scene.listed.set('tickets', [SEARCH, UPDATE, RUN, WITH_ACCOUNT]);
  scene.answer = ({ tool }) => ({ text: `did ${tool}`, isError: false });
  user = await scene.user('tickets');
});

afterAll(() => scene.steward.stop());

const call = (action: string, input: object = {}, more: object = {}) =>
  callAction(scene.steward, action, input, { token: user.token, ...more });
const tools = async (token = user.token) => {
  const { body } = await scene.steward.call('/tools', { token });
  return body.tools as { name: string; description: string; inputSchema: Record<string, any>; annotations: object }[];
};
const toolNamed = async (name: string) => (await tools()).find((tool) => tool.name === name);
const change = async (...definitions: ToolDefinition[]) => {
  scene.listed.set('tickets', definitions);
  await scene.list(user, 'tickets', user.accounts.tickets ?? '');
};
const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => 'it ran',
    (error) => error,
  );

describe('an action of a source’s tool', () => {
  it('calls the tool with the arguments that its approved definition names', async () => {
    const result = await call('tickets.search', { query: 'lamp', limit: 3 });
    expect(result.data).toEqual({ text: 'did search_tickets' });
    expect(result.meta).toMatchObject({
      account: 'tickets',
      accountId: user.accounts.tickets,
      labels: { integrity: 'others', confidentiality: 'private' },
    });
    expect(scene.calls).toEqual([{ tool: 'search_tickets', args: { query: 'lamp', limit: 3 } }]);
  });

  it.each([
    [{}, /required property "query"/],
    [{ query: 3 }, /^query: /],
    [{ query: 'a', limit: 0 }, /^limit: /],
    [{ query: 'a', extra: 1 }, /^extra: is not an argument of this tool\.$/],
  ])('rejects other arguments, and says what it takes: %j', async (input, message) => {
    const error = await rejection(call('tickets.search', input));
    expect(error).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(message),
      details: { schema: SEARCH.inputSchema },
    });
    expect(scene.calls).toEqual([]);
  });

  it('counts a null that says nothing as absent', async () => {
    await call('tickets.search', { query: 'a', limit: null });
    expect(scene.calls[0]?.args).toEqual({ query: 'a' });
  });

  it('has fixed arguments that nobody can pass, and that nobody is shown', async () => {
    const { data } = await SocketClient.signedIn(scene.steward.url, user.token).then((client) => client.request({ type: 'list' }));
    const listed = data.agents[0].actions.find(({ name }: { name: string }) => name === 'tickets.open');
    expect(listed).toMatchObject({ description: 'The open ones.', input: { properties: { limit: {} }, required: [] } });
    expect(Object.keys(listed.input.properties)).toEqual(['limit']);
    await call('tickets.open', { limit: 2 });
    expect(scene.calls).toEqual([{ tool: 'search_tickets', args: { query: '*', state: 'open', limit: 2 } }]);
    expect(await rejection(call('tickets.open', { state: 'closed' }))).toMatchObject({
      code: 'invalid_request',
      message: 'state: is fixed by the operator.',
    });
    expect(await rejection(call('tickets.archive', { action: 'delete' }))).toMatchObject({ code: 'invalid_request' });
    expect(scene.calls).toHaveLength(1);
  });

  it('asks about a dispatcher whose argument is free', async () => {
    expect(await rejection(call('tickets.run', { action: 'list' }))).toMatchObject({
      code: 'approval_required',
      details: { summary: 'Tickets: run_action — action: “list”' },
    });
    await call('tickets.archive');
    expect(scene.calls).toEqual([{ tool: 'run_action', args: { action: 'archive' } }]);
  });

  it('has a question whose title is what it does, in words', async () => {
    const titleOf = async (action: string, input: object) => (await rejection(call(action, input))).details.display.title;
    expect(await titleOf('tickets.run', { action: 'list' })).toBe('Tickets: run action');
    expect(await titleOf('tickets.purge', { id: '1' })).toBe('Tickets: Purge a ticket');
  });

  it('can be changed in a question by a form with its own fields', async () => {
    const { details } = await rejection(call('tickets.run', { action: 'list' }));
    const { body } = await scene.steward.call(`/approvals/${details.approvalId}`, { token: user.token });
    expect(body.form).toEqual([expect.objectContaining({ path: 'action', control: 'text', value: 'list', required: true })]);
  });

  it('shows the host that is told the arguments', async () => {
    const { details } = await rejection(call('tickets.run', { action: 'list' }));
    expect(details.audience).toEqual([expect.objectContaining({ kind: 'service', host: 'mcp.example.com', name: 'Tickets' })]);
  });

  it('refuses what an allow-list does not cover, and each call whose list the tool does not have', async () => {
    expect(await rejection(call('tickets.listed', { query: 'three' }))).toMatchObject({ code: 'forbidden', details: { list: 'query' } });
    expect(await rejection(call('tickets.listed', { query: 'one' }))).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('nothing'),
    });
  });

  it('asks those of several users at once who have read something else, each with the user’s own question', async () => {
    const users: ToolUser[] = [];
    for (const _ of [0, 1, 2, 3, 4, 5]) users.push(await scene.user('tickets'));
    const read = users.filter((_, index) => index % 2 === 0);
    for (const { userId } of read) {
      await scene.steward.sql(
        `insert into context_origins (user_id, name, account_id, until) values ($1, 'user', gen_random_uuid(), now() + interval '1 hour')`,
        [userId],
      );
    }
    const outcomes = async () =>
      Promise.all(
        users.map(({ token }, index) =>
          callAction(scene.steward, 'tickets.search', { query: `of ${index}` }, { token }).then(
            ({ meta }) => meta.accountId,
            ({ code, details }) => `${code} ${details?.approvalId}`,
          ),
        ),
      );
    const first = await outcomes();
    const ofAccounts = users.map((one, index) => (index % 2 === 0 ? expect.stringMatching(/^approval_required ./) : one.accounts.tickets));
    expect(first).toEqual(ofAccounts);
    // The questions that there are: none of another user.
    expect(await outcomes()).toEqual(first);
    expect(new Set(first).size).toBe(users.length);
  });

  it('says which source has no account', async () => {
    const other = await scene.user();
    expect(await rejection(call('tickets.search', { query: 'a' }, { token: other.token }))).toMatchObject({
      code: 'not_found',
      message: 'No Tickets account is connected.',
    });
    expect(await tools(other.token)).toEqual([]);
  });

  it('selects among several accounts of its source', async () => {
    const second = await scene.connect(user, 'tickets', 'At work');
    // What another account holds is told to no source without a question, so that one account is used here.
    expect((await call('tickets.search', { query: 'a' }, { account: 'at work' })).meta.accountId).toBe(second);
    expect((await call('tickets_search', { query: 'a', account: 'At work' })).meta.accountId).toBe(second);
    expect((await toolNamed('tickets_search'))?.inputSchema.properties.account).toMatchObject({ enum: ['tickets', 'At work'] });
    // The tool's own argument of that name.
    expect((await toolNamed('tickets_of'))?.inputSchema.properties.account).toEqual({ type: 'string' });
    const other = await scene.user('tickets');
    expect((await call('tickets_of', { account: 'At work' }, { token: other.token })).meta.accountId).toBe(other.accounts.tickets);
    expect(scene.calls.at(-1)?.args).toEqual({ account: 'At work' });
  });
});

describe('a definition that its user has not approved', () => {
  it('is neither called nor listed; the other tools are; and it comes back as it was', async () => {
    await change({ ...SEARCH, description: 'Finds tickets, and sends mail.' }, UPDATE, RUN);
    expect(await rejection(call('tickets.search', { query: 'a' }))).toMatchObject({
      code: 'forbidden',
      details: { reason: 'tool_held', state: 'held', tool: 'search_tickets', account: user.accounts.tickets, source: 'tickets' },
    });
    expect((await tools()).map(({ name }) => name)).toEqual([
      'tickets_update',
      'tickets_peek',
      'tickets_archive',
      'tickets_run',
      'tickets_purge',
    ]);
    expect(scene.calls).toEqual([]);
    await change(SEARCH, UPDATE, RUN);
    await call('tickets.search', { query: 'a' });
    expect(scene.calls).toHaveLength(1);
  });

  it('is described to its user by what has changed, and to others by the names of the fields', async () => {
    const long = 'x'.repeat(5_000);
    const inputSchema = { ...SEARCH.inputSchema, properties: { query: { type: 'string', description: `Words.\u202e${long}` } } };
    await change({ ...SEARCH, title: 'New', description: 'Finds, and mails.', inputSchema });
    const { changes } = (await rejection(call('tickets.search', { query: 'a' }))).details;
    expect(changes).toEqual([
      { field: 'description', before: 'Finds tickets.', after: 'Finds, and mails.' },
      { field: 'inputSchema', before: expect.stringContaining('"limit"'), after: expect.stringMatching(/^[^\u202e]{2000}$/) },
      { field: 'title', after: 'New' },
    ]);
    const client = await newToken(scene.steward, user, {});
    const http = await rejection(call('tickets.search', { query: 'a' }, { token: client.token }));
    expect(http.details.changes).toEqual([{ field: 'description' }, { field: 'inputSchema' }, { field: 'title' }]);
    expect(http.message).toContain('(description, what it takes and title)');
    expect(JSON.stringify(http)).not.toContain('mails');
  });

  it('is held for each account alone', async () => {
    const second = await scene.connect(user, 'tickets', 'At work');
    await change({ ...SEARCH, title: 'Other' }, UPDATE);
    expect((await call('tickets.search', { query: 'a' }, { account: second })).meta.accountId).toBe(second);
    expect(await rejection(call('tickets.search', { query: 'a' }))).toMatchObject({ code: 'forbidden' });
    expect((await toolNamed('tickets_search'))?.description).toBe('Finds tickets.');
  });

  it('is gone when its server lists it no more', async () => {
    await change(UPDATE);
    expect(await rejection(call('tickets.search', { query: 'a' }))).toMatchObject({ code: 'forbidden', details: { state: 'gone' } });
  });

  it('is asked about again where a question was about another one, once its user has allowed it', async () => {
    const { details } = await rejection(call('tickets.run', { action: 'list' }));
    await change(SEARCH, UPDATE, { ...RUN, description: 'Other.' });
    const decide = () =>
      scene.steward.call(`/approvals/${details.approvalId}`, {
        method: 'POST',
        token: user.token,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ approved: true }),
      });
    const refused = await decide();
    expect(refused.status).toBe(403);
    expect(refused.body.details).toMatchObject({ reason: 'tool_held', changes: [{ field: 'description', after: 'Other.' }] });
    expect(refused.body.message).toContain('has changed since it was allowed (description)');
    const hash = (
      await (
        await scene.steward.context.sourceTools()
      ).of(user.userId, { id: user.accounts.tickets ?? '', source: 'tickets', toolsVersion: 2 })
    ).get('run_action')?.listedHash;
    await (await scene.steward.context.sourceTools()).decide(user.userId, user.accounts.tickets ?? '', 'run_action', 'allow', hash ?? '');
    const again = (await decide()).body;
    expect(again).toMatchObject({ code: 'approval_required', details: { approvalId: details.approvalId, input: { action: 'list' } } });
    expect(again.details.notices).toContain('The tool that this uses has changed since you were first asked.');
    expect(scene.calls).toEqual([]);
    const ran = (await decide()).body;
    expect(ran.data).toEqual({ text: 'did run_action' });
    expect(ran.meta).not.toHaveProperty('edited');
    expect(scene.calls).toEqual([{ tool: 'run_action', args: { action: 'list' } }]);
    expect((await decide()).body).toMatchObject({ code: 'conflict' });
  });
});

describe('what a server says of its tool', () => {
  it('makes an action stricter, never milder', async () => {
    await call('tickets.peek', { id: '1' });
    await call('tickets.update', { id: '1' }, { token: (await scene.user('tickets')).token });
    await change(SEARCH, { ...UPDATE, annotations: { destructiveHint: true, readOnlyHint: false } }, RUN);
    const approved = await scene.user('tickets');
    for (const action of ['tickets.update', 'tickets.peek']) {
      expect(await rejection(call(action, { id: '1' }, { token: approved.token }))).toMatchObject({ code: 'approval_required' });
    }
    expect(scene.calls).toHaveLength(2);
    scene.listed.set('tickets', [{ ...RUN, annotations: { readOnlyHint: true, destructiveHint: false } }]);
    const other = await scene.user('tickets');
    expect(await rejection(call('tickets.run', { action: 'a' }, { token: other.token }))).toMatchObject({ code: 'approval_required' });
  });

  it('keeps a client that may only read from what has become a change', async () => {
    scene.listed.set('tickets', [{ ...UPDATE, annotations: { readOnlyHint: false } }]);
    const other = await scene.user('tickets');
    const { token } = await newToken(scene.steward, other, { access: 'read' });
    const { status, body } = await scene.steward.call('/agents/tickets.peek', {
      method: 'POST',
      token,
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect([status, body.code]).toEqual([403, 'forbidden']);
    expect(await tools(token)).toEqual([]);
  });

  it('reaches models as plain text of limited length', async () => {
    scene.listed.set('tickets', [
      {
        ...SEARCH,
        description: `Finds\u202e ti\u200bckets.\u{e0041} ${'x'.repeat(5_000)}`,
        inputSchema: {
          type: 'object',
          properties: {
            query: { type: 'string', description: 'W\u2066ords.', default: 'a\u200bb' },
            description: { $ref: '#/$defs/text' },
          },
          $defs: { text: { type: 'string', description: `In\u200dside. ${'y'.repeat(1_000)}` } },
        },
      },
    ]);
    user = await scene.user('tickets');
    const tool = await toolNamed('tickets_search');
    expect(tool?.description).toMatch(/^Finds tickets\. x{900,}…$/);
    expect(tool?.description.length).toBe(1_000);
    expect(tool?.inputSchema.properties.query).toEqual({ type: 'string', description: 'Words.' });
    expect(tool?.inputSchema.properties.description.description).toMatch(/^Inside\. y+…$/);
    expect(tool?.inputSchema.properties.description.description.length).toBe(300);
  });
});

describe('a result', () => {
  it('that is structured is checked, and names what it is of', async () => {
    const tickets = [{ id: 7, title: 'Lamp' }, { id: 'T-8' }];
    scene.answer = () => ({ text: JSON.stringify({ tickets }, null, 2), structured: { tickets }, isError: false });
    const result = await call('tickets.search', { query: 'a' });
    expect(result.data).toEqual({ structured: { tickets } });
    expect(result.meta.labels).toMatchObject({
      integrity: 'others',
      sources: [
        { item: '7', integrity: 'others', name: 'Lamp' },
        { item: 'T-8', integrity: 'others' },
      ],
    });
  });

  it('of a read that is not as the definition says is an error; text of its own is kept', async () => {
    scene.answer = () => ({ text: 'x', structured: { tickets: 'none' }, isError: false });
    expect(await rejection(call('tickets.search', { query: 'a' }))).toMatchObject({ code: 'provider_error' });
    scene.answer = () => ({ text: 'Two found.', structured: { tickets: [] }, isError: false });
    expect((await call('tickets.search', { query: 'a' })).data).toEqual({ text: 'Two found.', structured: { tickets: [] } });
  });

  it('of a tool that failed says so, as text of others', async () => {
    scene.answer = () => ({ text: 'No such ticket.', isError: true });
    const result = await call('tickets.search', { query: 'a' });
    expect(result).toMatchObject({ data: { text: 'No such ticket.', isError: true }, meta: { labels: { integrity: 'others' } } });
  });
});
