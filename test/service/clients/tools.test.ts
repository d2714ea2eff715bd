import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anthropicRules, geminiRules, mcpRules, openAiRules } from '../../support/emulators/vendor-rules.ts';
import { connect, newName, outcome } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const RULES = { mcp: mcpRules, openai: openAiRules, anthropic: anthropicRules, gemini: geminiRules };
const AUDITED = 'select action, decision from audit_log where user_id = (select user_id from workspace_accounts where id = $1)';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());

interface User {
  token: string;
  /** Ids of the accounts, in order. */
  accounts: string[];
}

async function newUser(emails: string[], untick: string[] = []): Promise<User> {
  const token = await steward.signIn(newName());
  const accounts: string[] = [];
  for (const email of emails) accounts.push(outcome((await connect(steward, { token, email, untick })).callback).account_id ?? '');
  return { token, accounts };
}

async function tools(token: string, query = ''): Promise<any[]> {
  const { status, body } = await steward.call(`/tools${query}`, { token });
  expect(status).toBe(200);
  return body.tools;
}

async function call(token: string, name: string, body: object, query = ''): Promise<any> {
  const response = await steward.call(`/agents/${name}${query}`, { token, body: JSON.stringify(body), headers: JSON_TYPE, method: 'POST' });
  return { ...response.body, status: response.status };
}

async function grant(user: User, more: object): Promise<string> {
  const form = JSON.stringify({ name: 'script', actions: ['*'], access: 'write', ...more });
  return (await steward.call('/tokens', { token: user.token, body: form, headers: JSON_TYPE })).body.token;
}

const names = (listed: any[]) => listed.map(({ name }) => name);

describe('GET /tools', () => {
  it('is protected', async () => {
    expect((await steward.call('/tools')).status).toBe(401);
  });

  it.each(['mcp', 'openai', 'anthropic', 'gemini'] as const)('lists tools as %s takes them, plain and strict', async (format) => {
    const { token } = await newUser(['demo@example.com', 'other@example.com']);
    for (const strict of ['false', 'true']) {
      const listed = await tools(token, `?format=${format}&strict=${strict}`);
      expect(JSON.stringify(listed)).toContain('mail_search');
      expect(RULES[format](listed)).toEqual([]);
    }
  });

  it('is for MCP by default, and rejects another format', async () => {
    const { token } = await newUser(['demo@example.com']);
    expect((await tools(token))[0]).toMatchObject({ name: expect.any(String), inputSchema: { type: 'object' }, annotations: {} });
    expect((await steward.call('/tools?format=other', { token })).status).toBe(400);
    expect((await steward.call('/tools?strict=1', { token })).status).toBe(400);
  });

  it('lists nothing before an account is connected, and only what an account has granted', async () => {
    expect(await tools(await steward.signIn(newName()))).toEqual([]);
    expect(await tools(await steward.signIn(newName()), '?format=gemini')).toEqual([]);
    const { token } = await newUser(['demo@example.com'], ['calendar.events.owned']);
    const listed = names(await tools(token));
    expect(listed).toContain('mail_send');
    expect(listed.filter((name) => name.startsWith('calendar_') || name.startsWith('bank_'))).toEqual([]);
  });

  it('lists what a personal access token permits, in the same order each time', async () => {
    const user = await newUser(['demo@example.com', 'other@example.com']);
    const reading = await grant(user, { actions: ['mail.*', 'drive.info'], access: 'read', accounts: [user.accounts[1]] });
    const listed = await tools(reading);
    expect(names(listed)).toEqual(['mail_search', 'mail_read', 'mail_attachment', 'mail_labels', 'mail_drafts', 'drive_info']);
    // Its only account.
    expect(listed[0].inputSchema.properties).not.toHaveProperty('account');
    expect(await tools(reading)).toEqual(listed);
    expect(await tools(`Bearer ${await grant(user, { actions: ['bank.*'] })}`)).toEqual([]);
  });

  it('offers the choice of several accounts, and requires it where none is the default', async () => {
    const user = await newUser(['demo@example.com', 'other@example.com', 'third@example.com']);
    const account = { type: 'string', enum: ['demo@example.com', 'other@example.com', 'third@example.com'] };
    const [tool] = await tools(user.token);
    expect(tool.inputSchema.properties.account).toEqual({ ...account, description: 'Account to use; default demo@example.com.' });
    expect(tool.inputSchema.required ?? []).not.toContain('account');
    const [limited] = await tools(await grant(user, { accounts: user.accounts.slice(1) }));
    expect(limited.inputSchema.properties.account.enum).toEqual(['other@example.com', 'third@example.com']);
    expect(limited.inputSchema.required).toContain('account');
  });
});

describe('a call by a tool’s name', () => {
  it('uses the account that its arguments name, unless the caller selects one', async () => {
    const { token } = await newUser(['demo@example.com', 'other@example.com']);
    const used = async (body: object, query = '', name = 'mail_labels') => (await call(token, name, body, query)).meta?.account;
    expect(await used({})).toBe('demo@example.com');
    for (const nothing of [null, '']) expect(await used({ account: nothing })).toBe('demo@example.com');
    expect(await used({ account: 'other@example.com' })).toBe('other@example.com');
    expect(await used({ account: 'other@example.com' }, '?account=demo@example.com')).toBe('demo@example.com');
    expect(await call(token, 'mail_labels', { account: 'no@example.com' })).toMatchObject({ status: 400, details: { choices: [{}, {}] } });
    expect(await call(token, 'mail_labels', { account: 5 })).toMatchObject({ status: 400, message: expect.stringMatching(/^account: /) });
    // Under its own name, the action has no such argument.
    expect(await call(token, 'mail.labels', { account: 'other@example.com' })).toMatchObject({ status: 400 });
    expect(await used({}, '?account=other@example.com', 'mail.labels')).toBe('other@example.com');
  });

  it('is recorded and limited as a call of the action', async () => {
    const user = await newUser(['demo@example.com']);
    const reading = await grant(user, { actions: ['mail.labels'], access: 'read' });
    expect(await call(reading, 'mail_labels', {})).toMatchObject({ status: 200 });
    expect(await call(reading, 'mail_search', {})).toMatchObject({ status: 403 });
    expect(await call(user.token, 'mail_send', { to: ['ana@example.org'], subject: 'x', body: 'y' })).toMatchObject({
      ...{ status: 409, code: 'approval_required', details: { action: 'mail.send' } },
    });
    expect(await call(user.token, 'mail_nothing', {})).toMatchObject({ status: 404 });
    const rows = await steward.sql<{ action: string }>(AUDITED, [user.accounts[0]]);
    expect(rows.map(({ action }) => action)).toEqual(expect.arrayContaining(['mail.labels', 'mail.search', 'mail.send', 'mail_nothing']));
  });

  it('works on the WebSocket, whose list names it', async () => {
    const { token } = await newUser(['demo@example.com', 'other@example.com']);
    const client = await SocketClient.signedIn(steward.url, token);
    const { data } = await client.request({ type: 'list' });
    const mail = data.agents.find(({ name }: any) => name === 'mail');
    expect(mail.actions[0]).toMatchObject({ name: 'mail.search', tool: 'mail_search' });
    const input = { max: 1, account: 'other@example.com' };
    expect(await client.request({ type: 'call', action: 'mail_search', input })).toMatchObject({ meta: { account: 'other@example.com' } });
    expect(await client.request({ type: 'call', action: 'mail_labels' })).toMatchObject({ meta: { account: 'demo@example.com' } });
    await client.close();
  });

  it('takes what a model in OpenAI’s strict mode sends', async () => {
    const { token } = await newUser(['demo@example.com', 'other@example.com']);
    const listed = await tools(token, '?format=openai&strict=true');
    const argumentsOf = (name: string, given: object) => {
      const { parameters } = listed.find((tool) => tool.function.name === name).function;
      return Object.fromEntries(parameters.required.map((key: string) => [key, (given as Record<string, unknown>)[key] ?? null]));
    };
    const search = argumentsOf('mail_search', { max: 1 });
    expect(search).toMatchObject({ query: null, page: null, account: null });
    expect(await call(token, 'mail_search', search)).toMatchObject({ status: 200, meta: { account: 'demo@example.com' } });
    const attachment = { name: 'a.txt', mime: null, text: 'x', base64: null };
    const draft = argumentsOf('mail_draft', { to: ['ana@example.org'], subject: 'x', body: 'y', attachments: [attachment] });
    expect(await call(token, 'mail_draft', draft)).toMatchObject({ status: 200 });
  });
});
