import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BankEmulator } from '../../support/emulators/bank-emulator.ts';
import { WorkspaceEmulator } from '../../support/emulators/workspace-emulator.ts';
import { newToken } from '../../support/scenes/mcp-scene.ts';
import { respond, type ScriptedCall, ScriptedServer } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { callAction } from '../../support/users/agents.ts';
import { McpClient } from '../../support/users/mcp-client.ts';
import { connectGrant } from '../../support/users/refreshing.ts';

/** At least a byte for each of the 20,000 tokens that a result may have. */
const MOST_BYTES = 20_000;

let steward: TestSteward;
let bank: BankEmulator;
let provider: WorkspaceEmulator;
let api: ScriptedServer;
let client: McpClient;
let idToken: string;

beforeAll(async () => {
  bank = await new BankEmulator().start();
  provider = await new WorkspaceEmulator().start();
  api = await new ScriptedServer().start();
  steward = await startSteward({ ...provider.env, ...bank.env, GOOGLE_API_URL: api.url, READS_PER_MINUTE: '600' });
  ({ token: idToken } = await connectGrant(steward, provider, steward.sql));
  expect((await steward.call('/auth/bank/set_access_token', { token: idToken, form: { public_token: 'p' } })).body).toEqual({
    success: true,
  });
  const { token } = await newToken(steward, { token: idToken });
  client = new McpClient(steward, token);
});

afterAll(async () => {
  await steward.stop();
  await provider.stop();
  await bank.stop();
  await api.stop();
});

beforeEach(() => {
  api.reset();
  bank.reset();
});

/** The result of a tool, which must not be too long for a client, in either form. */
async function call(tool: string, input: object): Promise<any> {
  const { message } = await client.call(tool, input);
  const { content, structuredContent } = message.result;
  expect(Buffer.byteLength(content[0].text)).toBeLessThanOrEqual(MOST_BYTES);
  expect(JSON.parse(content[0].text)).toEqual(structuredContent);
  return structuredContent;
}

/** All results, which the client reads one after the other as they say; none is truncated. */
async function readAll(tool: string, input: object, next: (data: any) => object | undefined): Promise<any[]> {
  const results: any[] = [];
  for (let more: object | undefined = {}; more !== undefined; ) {
    const { data, meta } = await call(tool, { ...input, ...more });
    expect(meta).not.toHaveProperty('truncated');
    results.push(data);
    expect(results.length).toBeLessThan(60);
    more = next(data);
  }
  return results;
}

const byPage = ({ next }: any) => (next === undefined ? undefined : { page: next });
const byOffset = ({ next_offset: offset }: any) => (offset === undefined ? undefined : { offset });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index));

/** Pages of a provider's list, by the parameters in which it takes the size and the token of a page. */
function list(path: string, all: readonly object[], body: (items: object[], token?: string) => object, size: string): void {
  api.on(path, (response, { query }: ScriptedCall) => {
    const from = Number(query.get('pageToken') ?? 0);
    const to = from + Number(query.get(size) ?? 100);
    respond(response, { body: body(all.slice(from, to), to < all.length ? String(to) : undefined) });
  });
}

describe('a long list of a bank over MCP', () => {
  const row = (id: string) => ({
    transaction_id: `transaction-${id}-${'x'.repeat(30)}`,
    account_id: 'a1',
    date: '2026-01-02',
    name: `Café “Zur Post” ${id} ${'é'.repeat(50)}`,
    merchant_name: `Merchant ${id}`,
    amount: 1.25,
    iso_currency_code: 'EUR',
    pending: false,
    personal_finance_category: { primary: 'FOOD_AND_DRINK', detailed: 'FOOD_AND_DRINK_COFFEE' },
  });
  const rows = numbered(500).map(row);
  const ids = rows.map(({ transaction_id: id }) => id);
  const accounts = numbered(150).map((id) => ({ account_id: `account-${id}`, name: `Account of ${id}`, type: 'depository', balances: {} }));

  it('is read in pages: transactions', async () => {
    bank.on('/transactions/get', (response, { body: { options } }) =>
      respond(response, {
        body: { accounts, transactions: rows.slice(options.offset, options.offset + options.count), total_transactions: 500 },
      }),
    );
    const results = await readAll('bank_transactions', { max: 500 }, byPage);
    expect(results.flatMap(({ items }) => items.map(({ id }: any) => id))).toEqual(ids);
    // Front ends have their own limit.
    const whole: any = (await callAction(steward, 'bank.transactions', { max: 500 }, { token: idToken })).data;
    expect(whole.items).toHaveLength(500);
    expect(whole.accounts).toHaveLength(150);
  });

  it('is read in pages: changes, none of which is lost or passed over', async () => {
    bank.on('/transactions/sync', (response, { body: { cursor = '0', count } }) => {
      const to = Math.min(Number(cursor) + count, 500);
      respond(response, { body: { added: rows.slice(Number(cursor), to), next_cursor: String(to), has_more: to < 500 } });
    });
    const results = await readAll('bank_changes', { max: 1000 }, ({ more, cursor }) => (more ? { cursor } : undefined));
    expect(results.flatMap(({ added }) => added.map(({ id }: any) => id))).toEqual(ids);
    expect(bank.callsOf('/transactions/sync').length).toBeLessThanOrEqual(2 * results.length);
  });

  it('is read in pages: accounts and numbers', async () => {
    const from = ({ next }: any) => (next === undefined ? undefined : { from: next });
    bank.on('/accounts/get', { body: { accounts } });
    bank.on('/auth/get', {
      body: {
        accounts,
        numbers: { ach: accounts.map(({ account_id: id }) => ({ account_id: id, account: '12345678', routing: '1234' })) },
      },
    });
    for (const tool of ['bank_balances', 'bank_numbers']) {
      const results = await readAll(tool, {}, from);
      expect(results.flatMap((one) => one.accounts.map(({ id }: any) => id))).toEqual(accounts.map(({ account_id: id }) => id));
    }
  });

  it('has as many sums as fit, and the number of the others', async () => {
    bank.on('/transactions/get', { body: { transactions: rows, total_transactions: 500 } });
    const { data, meta } = await call('bank_spending', { by: 'merchant', max: 200 });
    expect(meta).not.toHaveProperty('truncated');
    expect(data.sums.length + data.more).toBe(500);
    expect(data.totals).toMatchObject([{ count: 500, amount: 625 }]);
  });
});

describe('a long list of the workspace over MCP', () => {
  it('is read in pages: mail, and drafts', async () => {
    const all = numbered(60).map((id) => ({ id: `m${id}`, message: { id: `m${id}` } }));
    list('/gmail/v1/users/me/messages', all, (messages, nextPageToken) => ({ messages, nextPageToken }), 'maxResults');
    list('/gmail/v1/users/me/drafts', all, (drafts, nextPageToken) => ({ drafts, nextPageToken }), 'maxResults');
    const headers = [
      { name: 'From', value: `${'“Ä”'.repeat(20)} <a@example.com>` },
      {
        name: 'To',
        value: numbered(30)
          .map((one) => `person-${one}@example.com`)
          .join(', '),
      },
      { name: 'Subject', value: '件名'.repeat(100) },
    ];
    for (const { id } of all) {
      const body = { id, threadId: 't1', labelIds: [], snippet: '"é" '.repeat(60), internalDate: '1767225600000', payload: { headers } };
      api.on(`/gmail/v1/users/me/messages/${id}`, { body });
    }
    for (const tool of ['mail_search', 'mail_drafts']) {
      const results = await readAll(tool, { max: 25 }, byPage);
      expect(results.flatMap(({ items }) => items.map(({ id }: any) => id))).toEqual(all.map(({ id }) => id));
    }
  });

  it('is read in pages: files, and who has access to one', async () => {
    const files = numbered(120).map((id) => ({
      id: `file-${id}-${'x'.repeat(20)}`,
      name: `Über “${id}” ${'ü'.repeat(200)}`,
      mimeType: 'text/plain',
    }));
    list('/drive/v3/files', files, (found, nextPageToken) => ({ files: found, nextPageToken }), 'pageSize');
    const found = await readAll('drive_search', { max: 50 }, byPage);
    expect(found.flatMap(({ items }) => items.map(({ id }: any) => id))).toEqual(files.map(({ id }) => id));
    const permissions = numbered(250).map((id) => ({
      id,
      type: 'user',
      role: 'reader',
      emailAddress: `p${id}@example.com`,
      displayName: 'é'.repeat(90),
    }));
    list('/drive/v3/files/f1/permissions', permissions, (some, nextPageToken) => ({ permissions: some, nextPageToken }), 'pageSize');
    const people = await readAll('drive_permissions', { id: 'f1' }, byPage);
    expect(people.flatMap(({ items }) => items.map(({ who }: any) => who))).toEqual(permissions.map(({ emailAddress: who }) => who));
  });

  it('is read in pages: events, free time, and tabs as far as they fit', async () => {
    const start = (hour: number) => ({ dateTime: new Date(Date.UTC(2026, 4, 1, hour)).toISOString() });
    const items = numbered(200).map((id) => ({
      id: `event-${id}`,
      status: 'confirmed',
      summary: `会議 ${id} ${'長'.repeat(100)}`,
      location: 'x'.repeat(200),
      start: start(2 * Number(id)),
      end: start(2 * Number(id) + 1),
    }));
    list(
      '/calendar/v3/calendars/primary/events',
      items,
      (some, nextPageToken) => ({ timeZone: 'UTC', items: some, nextPageToken }),
      'maxResults',
    );
    const range = { from: '2026-05-01', to: '2026-05-20', zone: 'UTC' };
    const events = await readAll('calendar_list', { ...range, max: 100 }, byPage);
    expect(events.flatMap((one) => one.items.map(({ id }: any) => id))).toEqual(items.map(({ id }) => id));
    const free = await readAll('calendar_free', { ...range, minutes: 15 }, ({ next }) => (next === undefined ? undefined : { from: next }));
    expect(new Set(free.flatMap((one) => one.items.map((slot: any) => slot.start))).size).toBe(200);
    const people = { people: ['a@example.com'] };
    const attended = items.map((item) => ({ ...item, attendees: [{ email: 'a@example.com', responseStatus: 'accepted' }] }));
    const many = Array.from({ length: 3 }, () => attended).flat();
    list(
      '/calendar/v3/calendars/primary/events',
      many,
      (some, nextPageToken) => ({ timeZone: 'UTC', items: some, nextPageToken }),
      'maxResults',
    );
    const { message } = await client.call('calendar_busy', { ...people, ...range });
    expect(message.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'too_large' } } });
    const sheets = numbered(200).map((id) => ({ properties: { title: `Tab “${id}” ${'é'.repeat(100)}` } }));
    api.on('/v4/spreadsheets/s1', { body: { properties: { title: 'S' }, sheets } });
    const parts = await readAll('spreadsheets_info', { id: 's1' }, ({ next }) => (next === undefined ? undefined : { from: next }));
    expect(parts.flatMap(({ tabs }) => tabs.map(({ title }: any) => title))).toEqual(sheets.map(({ properties }) => properties.title));
  });
});

describe('a long text over MCP', () => {
  const long = Array.from({ length: 3_000 }, (_, index) => `Zeile “${index}” – 長い文\n`).join('');

  it('is read in parts: a message, and a thread', async () => {
    const message = (id: string, text: string) => ({
      id,
      threadId: 't1',
      labelIds: [],
      internalDate: '1767225600000',
      payload: {
        mimeType: 'text/plain',
        headers: [{ name: 'Content-Type', value: 'text/plain; charset=UTF-8' }],
        body: { data: Buffer.from(text).toString('base64url') },
      },
    });
    api.on('/gmail/v1/users/me/messages/m1', { body: message('m1', long) });
    const parts = await readAll('mail_read', { message: 'm1' }, byOffset);
    expect(parts.map(({ messages }) => messages[0].text).join('')).toBe(long);
    const messages = numbered(9).map((id) => message(`m${id}`, `${id} ${long.slice(0, 4_000)}`));
    api.on('/gmail/v1/users/me/threads/t1', { body: { id: 't1', messages } });
    const read = new Map<string, string>();
    for (const one of await readAll('mail_read', { thread: 't1' }, byOffset)) {
      for (const { id, text } of one.messages) read.set(id, (read.get(id) ?? '') + text);
    }
    expect([...read.keys()]).toEqual(messages.map(({ id }) => id));
    for (const [id, text] of read) expect(text).toBe(`${id.slice(1)} ${long.slice(0, 4_000)}`);
  });

  it('is read in parts: a file', async () => {
    api.on('/drive/v3/files/f1', (response, { query }) => {
      if (query.get('alt') === 'media') response.writeHead(200, { 'content-type': 'text/plain' }).end(long);
      else respond(response, { body: { id: 'f1', name: 'notes.txt', mimeType: 'text/plain' } });
    });
    const parts = await readAll('drive_read', { id: 'f1' }, byOffset);
    expect(parts.map(({ text }) => text).join('')).toBe(long);
  });

  it('is read in parts: cells, and slides', async () => {
    const values = numbered(400).map((id) => [id, 'é'.repeat(60), '長'.repeat(30)]);
    api.on('*', (response, { path }) => {
      const [, from = ''] = /A(\d+)(?::|%3A)C/.exec(path) ?? [];
      respond(response, { body: { range: `S!A${from}:C400`, values: values.slice(Number(from) - 1) } });
    });
    const follow = ({ ranges }: any) => (ranges[0].next === undefined ? undefined : { range: ranges[0].next });
    const cells = await readAll('spreadsheets_read', { id: 's1', range: 'A1:C400', max: 1000 }, follow);
    expect(cells.flatMap(({ ranges }) => ranges[0].rows.map(([id]: any) => id))).toEqual(numbered(400));
    const text = { textElements: [{ textRun: { content: '“é” '.repeat(500) } }] };
    const slides = numbered(40).map(() => ({ pageElements: [{ shape: { text } }] }));
    api.on('/v1/presentations/p1', { body: { title: 'P', slides } });
    const decks = await readAll('presentations_read', { id: 'p1' }, ({ next }) => (next === undefined ? undefined : { from: next }));
    expect(decks.flatMap((one) => one.slides.map(({ number }: any) => number))).toEqual(numbered(40).map((id) => Number(id) + 1));
  });

  it('that has no parts is cut, and the result says how to go on', async () => {
    const file = {
      id: 'f1',
      name: 'x',
      mimeType: 'text/plain',
      permissions: numbered(300).map((id) => ({ type: 'user', role: 'reader', emailAddress: `${'ü'.repeat(150)}${id}@example.com` })),
    };
    api.on('/drive/v3/files/f1', { body: file });
    const { data, meta } = await call('drive_info', { id: 'f1' });
    expect(meta).toMatchObject({ truncated: true, hint: expect.stringContaining('ask for less') });
    expect(data.id).toBe('f1');
  });

  it('says what is left out of an error’s details', async () => {
    const tabs = numbered(90).map((id) => ({ tabProperties: { tabId: `t${id}`, title: `${id} ${'é'.repeat(150)}` }, documentTab: {} }));
    api.on('/v1/documents/d1', { body: { documentId: 'd1', title: 'D', revisionId: 'r', tabs } });
    const { message } = await client.call('documents_read', { id: 'd1', tab: 'none' });
    const { details } = message.result.structuredContent.error;
    expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThanOrEqual(MOST_BYTES);
    expect(details.choices[0].id).toBe('t0');
    expect(details.left_out).toEqual([`\`choices\` after the first ${details.choices.length}`]);
    tabs.length = 60;
    for (const { tabProperties } of tabs) tabProperties.title = 'Tab';
    const { message: short } = await client.call('documents_read', { id: 'd1', tab: 'none' });
    expect(short.result.structuredContent.error.details.choices).toHaveLength(60);
    expect(short.result.structuredContent.error.details).not.toHaveProperty('left_out');
  });

  it('is no base64 that would be cut', async () => {
    api.on('/drive/v3/files/f1', { body: { id: 'f1', name: 'photo.png', mimeType: 'image/png', size: '100000' } });
    const { message } = await client.call('drive_read', { id: 'f1' });
    expect(message.result.structuredContent.error).toMatchObject({ code: 'too_large', message: expect.stringContaining('open its link') });
  });

  it('is short enough as a resource', async () => {
    api.on('/drive/v3/files/f1', (response, { query }) => {
      if (query.get('alt') === 'media') response.writeHead(200, { 'content-type': 'text/plain' }).end(long);
      else respond(response, { body: { id: 'f1', name: 'notes.txt', mimeType: 'text/plain' } });
    });
    const { message } = await client.request('resources/read', { uri: 'steward://drive/file/f1' });
    const [{ text }] = message.result.contents;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST_BYTES);
    expect(JSON.parse(text).data.next_offset).toBeGreaterThan(1_000);
  });
});
