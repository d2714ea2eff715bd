import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { declaredSummary } from '../../../src/actions/shared/declared-summary.ts';
import { connect, linkBank } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { callAction } from '../../support/users/agents.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const GUIDE = readFileSync(new URL('../../../docs/integrations.md', import.meta.url), 'utf8');
const EXAMPLES = [...GUIDE.matchAll(/```yaml\n(version: 1\n[\s\S]*?)```/g)].map(([, example = '']) => example);

/** The actions of the tests, beside the guide's examples. */
const FILE = `version: 1
agents:
  files:
    provider: workspace
    description: Files.
    scopes: [drive, spreadsheets.readonly, presentations.readonly]
    actions:
      find: { use: drive.search }
      sheet:
        call: sheets.spreadsheets.values.get
        description: A range.
        effect: read
        input:
          type: object
          required: [id]
          properties:
            id: { type: string }
            range: { type: string, pattern: '^[A-Za-z0-9!:]+$', default: 'Budget!A1:C2' }
        with: { spreadsheetId: $input.id, range: $input.range, fields: 'range,values' }
        project: values
      tally:
        call: drive.files.list
        description: Names.
        effect: read
        input:
          type: object
          properties:
            max: { type: integer, minimum: 1, maximum: 50 }
            when: { type: string, format: date-time }
            of: { $ref: '#/definitions/of' }
          definitions:
            of: { type: object, required: [kind], additionalProperties: false, properties: { kind: { enum: [a, b] } } }
        with: { pageSize: $input.max, pageToken: $input.when, q: $input.of }
      small:
        call: drive.files.list
        description: Cut.
        effect: read
        with: { pageSize: 50 }
        cap: 1kB
      sorted:
        call: drive.about.get
        description: An expression that the answer doesn't fit.
        effect: read
        with: { fields: user }
        project: sort(user.emailAddress)
      rename:
        call: drive.files.update
        description: Rename.
        effect: write
        input: { type: object, required: [id, name], properties: { id: { type: string }, name: { type: string } } }
        with: { fileId: $input.id, name: $input.name, fields: name }
      retitle:
        call: drive.files.update
        description: Rename, with an expression that the answer doesn't fit.
        effect: write
        input: { type: object, required: [id, name], properties: { id: { type: string }, name: { type: string } } }
        with: { fileId: $input.id, name: $input.name, fields: name }
        project: sort(name)
      make:
        call: drive.files.create
        description: Create.
        effect: write
        with: { name: x, fields: id }
      erase:
        call: drive.files.delete
        description: Delete.
        effect: destructive
        input: { type: object, required: [id], properties: { id: { type: string } } }
        with: { fileId: $input.id }
      asked:
        call: drive.files.get
        description: Only some files.
        effect: read
        input: { type: object, required: [id], properties: { id: { type: string } } }
        with: { fileId: $input.id, fields: id }
        policy: { allow: { id: ['1*'] } }
      slides:
        call: slides.presentations.get
        description: Slides.
        effect: read
        input: { type: object, required: [id], properties: { id: { type: string } } }
        with: { presentationId: $input.id, fields: title }
      nullable:
        call: drive.files.list
        description: Null is nothing.
        effect: read
        input:
          type: object
          properties:
            q: { type: [string, 'null'] }
            page: { type: [string, 'null'], default: null }
        with: { q: $input.q, pageToken: $input.page, pageSize: 50 }
        project: length(files)
        policy: { allow: { q: ["name contains 'Household budget'"] } }
      unplayed:
        call: drive.revisions.list
        description: What the sandbox has no answer for.
        effect: read
        input: { type: object, required: [id], properties: { id: { type: string } } }
        with: { fileId: $input.id }
  diary:
    provider: workspace
    description: Events.
    scopes: [calendar.events.owned]
    actions:
      add: { use: calendar.create }
      place:
        call: calendar.events.patch
        description: Null clears.
        effect: write
        input: { type: object, required: [id, place], properties: { id: { type: string }, place: { type: [string, 'null'] } } }
        with: { calendarId: primary, eventId: $input.id, location: $input.place, visibility: private }
  bank:
    provider: bank
    description: Numbers.
    products: [transactions, auth]
    actions:
      numbers: { call: auth/get, description: Numbers., effect: read, project: numbers }
      accounts: { call: accounts/get, description: Accounts., effect: read, project: 'accounts[].name' }
`;

let folder: string;
let file: string;
let steward: TestSteward;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-declared-'));
  file = join(folder, 'integrations.yaml');
  writeFileSync(file, FILE);
  steward = await startSteward({ INTEGRATIONS_FILE: file });
  await connect(steward);
  await linkBank(steward, await steward.signIn());
});

afterAll(async () => {
  await steward.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function put(content: string): Promise<void> {
  writeFileSync(file, content);
  const response = await steward.updateIntegrations();
  expect(response.status).toBe(200);
}

async function run(action: string, input: unknown = {}): Promise<any> {
  return (await callAction(steward, action, input)).data;
}

async function idOf(name: string): Promise<string> {
  // A document that mentions it may be newer.
  const { items } = await run('files.find', { query: name });
  return items.find((item: { name: string }) => item.name.startsWith(name)).id;
}

describe('a declared action', () => {
  beforeEach(async () => {
    if (readFileSync(file, 'utf8') !== FILE) await put(FILE);
  });

  it('calls the method with the input, and returns the projected response', async () => {
    const id = await idOf('Household budget');
    expect(await run('files.sheet', { id })).toEqual([
      ['Month', 'From', 'Rent'],
      ['January', expect.any(String), expect.any(String)],
    ]);
    expect(await run('files.sheet', { id, range: 'Budget!A2:A3' })).toEqual([['January'], ['February']]);
  });

  it.each<[string, string, unknown, string]>([
    ['is required', 'files.sheet', {}, 'id: is required'],
    ['is not known', 'files.sheet', { id: 'x', spreadsheetId: 'y' }, 'spreadsheetId: is not known'],
    ['has another type', 'files.sheet', { id: 5 }, 'id: must be string'],
    ['does not fit its pattern', 'files.sheet', { id: 'x', range: '../x' }, 'range: must match pattern "^[A-Za-z0-9!:]+$"'],
    ['is longer than a pattern allows', 'files.sheet', { id: 'x', range: 'A'.repeat(300) }, 'range: must have at most 256 characters'],
    ['is too large', 'files.tally', { max: 51 }, 'max: must be at most 50'],
    ['has no such format', 'files.tally', { when: 'tomorrow' }, 'when: must be a date and time such as 2026-05-04T09:00:00+02:00'],
    ['is none of the choices', 'files.tally', { of: { kind: 'c' } }, 'of.kind: must be one of a, b'],
    ['is not known, further in', 'files.tally', { of: { kind: 'a', key: 'x' } }, 'of.key: is not known'],
    ['is not an object', 'files.sheet', [], 'input: must be an object'],
  ])('rejects an input that %s, and names the field', async (_title, action, input, message) => {
    await expect(callAction(steward, action, input)).rejects.toMatchObject({ code: 'invalid_request', message });
  });

  it.each(['', '.', '..'])('rejects “%s” as a path parameter', async (id) => {
    const message = 'spreadsheetId: must not be empty';
    await expect(callAction(steward, 'files.sheet', { id })).rejects.toMatchObject({ code: 'invalid_request', message });
  });

  it.each(['../../drive/v3/files', 'x?alt=media', 'x%2F..%2Fy', 'x#y'])('keeps the id “%s” in its path segment', async (id) => {
    const before = (await steward.control('state')).calls.workspace;
    await expect(callAction(steward, 'files.sheet', { id })).rejects.toMatchObject({
      code: expect.stringMatching(/^(invalid_request|not_found)$/),
    });
    const after = (await steward.control('state')).calls.workspace;
    const reached = Object.keys(after).filter((path) => path.startsWith('/api/') && after[path] !== before[path]);
    expect(reached.filter((path) => !path.startsWith('/api/v4/spreadsheets/'))).toEqual([]);
    expect(reached.every((path) => path.split('/').length === 7)).toBe(true);
  });

  it.each([
    ['files.sheet', 'spreadsheetId', ['a/b', 'a?b', 'a#b', '/']],
    ['files.slides', 'presentationId', ['a/pages/b', 'a/pages/b/thumbnail', 'a?alt=media', 'a#b', 'a%2Fpages%2Fb']],
  ])('sends no request if an id would change the path: %s', async (action, field, ids) => {
    const before = (await steward.control('state')).calls.workspace;
    const message = `${field}: must not contain /, ? or #, because it is part of a URL path`;
    for (const id of ids) await expect(callAction(steward, action, { id })).rejects.toMatchObject({ code: 'invalid_request', message });
    expect((await steward.control('state')).calls.workspace).toEqual(before);
  });

  it('does not put further properties of a loose schema into its address', async () => {
    await expect(callAction(steward, 'files.tally', { of: { kind: 'a' } })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'q: must be a string (in quotes if it looks like a number)',
    });
  });

  it('accepts null if its input does: omitted from an address, and clearing a field in a body', async () => {
    const q = "name contains 'Household budget'";
    expect(await run('files.nullable', { q })).toBe(1);
    const all = await run('files.nullable', {});
    expect(all).toBeGreaterThan(1);
    expect(await run('files.nullable', { q: null, page: null })).toBe(all);
    await expect(callAction(steward, 'files.nullable', { q: 'trashed = true' })).rejects.toMatchObject({ code: 'forbidden' });
    const { id } = await run('diary.add', { title: 'Null', start: '2027-05-04T09:00:00Z', end: '2027-05-04T10:00:00Z' });
    expect(await run('diary.place', { id, place: 'Room 1' })).toMatchObject({ location: 'Room 1' });
    expect(await run('diary.place', { id, place: null })).not.toHaveProperty('location');
  });

  it('reports a method that the sandbox lacks, and still an unknown id', async () => {
    const message = 'The sandbox doesn’t play this method; at the real provider it can be called.';
    await expect(callAction(steward, 'files.unplayed', { id: 'x' })).rejects.toMatchObject({ code: 'provider_error', message });
    await expect(callAction(steward, 'files.asked', { id: '1none' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is truncated to its limit', async () => {
    const { data, meta } = await callAction(steward, 'files.small');
    expect(meta.truncated).toBe(true);
    expect(JSON.stringify(data).length).toBeLessThanOrEqual(1_000);
  });

  it('whose response does not match its projection is a provider_error, without the response', async () => {
    const error = await callAction(steward, 'files.sorted').catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'provider_error', message: 'The response has another shape than this action expects.' });
    expect(steward.logs.join('')).not.toContain('sort()');
  });

  it.each(['html', 'malformed'])('rejects a %s response with status 200', async (kind) => {
    await steward.control('faults', { part: 'workspace', path: '/api/drive', kind });
    const call = callAction(steward, 'files.small');
    await expect(call).rejects.toMatchObject({ code: 'provider_error', message: 'The provider’s response could not be read.' });
    await steward.control('faults/clear', {});
  });

  it('that changes data is sent once', async () => {
    const id = await idOf('Household budget');
    expect(await run('files.rename', { id, name: 'Budget, renamed' })).toEqual({ name: 'Budget, renamed' });
    expect(await run('files.rename', { id, name: 'Household budget 2026' })).toEqual({ name: 'Household budget 2026' });
    const path = '/api/drive/v3/files';
    const before = (await steward.control('state')).calls.workspace[path];
    await steward.control('faults', { part: 'workspace', path, kind: 'status', status: 503 });
    await expect(callAction(steward, 'files.make')).rejects.toMatchObject({ code: 'outcome_unknown' });
    await steward.control('faults/clear', {});
    expect((await steward.control('state')).calls.workspace[path]).toBe(before + 1);
  });

  it('that has changed data reports it, although its response does not match its projection', async () => {
    const id = await idOf('Household budget');
    expect(await run('files.retitle', { id, name: 'Household budget 2026' })).toBe(null);
  });

  it('that is destructive requires approval, which says what will happen', async () => {
    const id = await idOf('Household budget');
    const error = await callAction(steward, 'files.erase', { id }).catch((thrown) => thrown);
    expect(error).toMatchObject({
      code: 'approval_required',
      details: { summary: `Delete — fileId: “${id}”`, input: { id } },
    });
    await expect(callAction(steward, 'files.erase', { id: 'file-1' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each<[string, unknown, string]>([
    [
      'its description and arguments',
      { to: { name: 'Ana "x", sendUpdates: "none' }, n: [1, true] },
      "Post — description: { name: “Ana 'x', sendUpdates: 'none” }, recurrence: [1, true]",
    ],
    ['the length of a truncated text', { n: ['x'.repeat(1_234)] }, `Post — recurrence: [“${'x'.repeat(200)}”… (1,234 characters)]`],
    ['no direction marks', { n: ['a\u202eb'] }, 'Post — recurrence: [“a b”]'],
  ])('shows the approving user %s', (_title, input, summary) => {
    const { to, n } = input as { to?: unknown; n?: unknown };
    expect(declaredSummary('Post.', { ...(to !== undefined && { description: to }), recurrence: n })).toBe(summary);
  });

  it('shows the size of a raw message', () => {
    const raw = Buffer.from('x'.repeat(1_500)).toString('base64url');
    expect(declaredSummary('Send', { message: { raw } })).toBe('Send — message: { raw: a raw message of 1,500 bytes }');
    expect(declaredSummary('Empty the trash.', {})).toBe('Empty the trash');
  });

  it('respects its allow-lists', async () => {
    await expect(callAction(steward, 'files.asked', { id: 'root' })).rejects.toMatchObject({ code: 'forbidden' });
    expect(await run('files.asked', { id: await idOf('Household budget') })).toEqual({ id: expect.stringMatching(/^1/) });
  });

  it('of the bank returns data, and never full account numbers', async () => {
    expect(await run('bank.accounts')).toEqual(expect.arrayContaining([expect.any(String)]));
    const numbers = await run('bank.numbers');
    expect(numbers.ach[0]).toMatchObject({ account_id: expect.any(String), account: expect.stringMatching(/^••••\d{4}$/) });
    expect(JSON.stringify(numbers)).not.toMatch(/"\d{6,}"/);
  });
});

describe('a reload', () => {
  it('makes a new action callable immediately, and removes a deleted one', async () => {
    await put(FILE);
    const brief = await idOf('Harbour brief');
    await put(EXAMPLES.find((example) => example.includes('gmail.users.messages.list\n')) ?? '');
    expect(await run('mail.unread')).toEqual({ ids: expect.arrayContaining([expect.any(String)]), next: null });
    // The first call starts the aggregator's fetch.
    const latest = await eventually(() => run('bank.latest', { from: '2020-01-01', to: '2030-01-01' }));
    expect(latest[0]).toEqual({ day: expect.any(String), name: expect.any(String), amount: expect.any(Number), currency: 'USD' });
    const comments = await run('drive.comments', { file: brief });
    expect(comments).toEqual({
      items: [
        { id: expect.any(String), author: { displayName: 'Ana Müller' }, content: expect.any(String) },
        { id: expect.any(String), author: { displayName: 'Ana Müller' }, content: expect.any(String), resolved: true },
      ],
      next: null,
    });
    await expect(callAction(steward, 'drive.comments', { file: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(callAction(steward, 'files.sheet', { id: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    await put(EXAMPLES.find((example) => example.includes('calendar.events.insert')) ?? '');
    const made = await run('calendar.focus', { from: '2026-12-01T09:00:00+01:00', to: '2026-12-01T10:00:00+01:00' });
    expect(made).toEqual({ id: expect.any(String), link: expect.any(String) });
  });

  it('notifies listeners of the revision in force, if it has changed', async () => {
    await put(FILE);
    const told: string[] = [];
    steward.context.integrations.onChange(({ revision }) => void told.push(revision));
    await put(`${FILE}# another\n`);
    await put(`${FILE}# another\n`);
    expect(told).toEqual([steward.context.integrations.current.revision]);
  });

  it('does not change the configuration of a call in progress', async () => {
    const declared = (field: string) => `version: 1
agents:
  a:
    provider: workspace
    description: A.
    scopes: [calendar.events.owned]
    actions:
      zone: { call: calendar.events.list, description: Z., effect: read, with: { calendarId: primary, maxResults: 1 }, project: '{${field}: timeZone}' }
`;
    const path = '/api/calendar/v3/calendars/primary/events';
    await put(declared('before'));
    const client = await SocketClient.signedIn(steward.url, await steward.signIn());
    const seen = (await steward.control('state')).calls.workspace[path] ?? 0;
    await steward.control('faults', { part: 'workspace', path, kind: 'hang' });
    const running = client.request({ type: 'call', action: 'a.zone' });
    await eventually(async () => (await steward.control('state')).calls.workspace[path] > seen);
    await put(declared('after'));
    // The aborted read is retried.
    await steward.control('faults/clear', {});
    expect((await running).data).toEqual({ before: 'Europe/Berlin' });
    expect(await run('a.zone')).toEqual({ after: 'Europe/Berlin' });
    await client.close();
  });

  it('of a file with a diagnostic keeps the old actions', async () => {
    await put(FILE);
    writeFileSync(file, FILE.replace('sheets.spreadsheets.values.get', 'sheets.spreadsheets.values.update'));
    expect((await steward.updateIntegrations()).status).toBe(422);
    expect(steward.logs.join('')).toContain('"line":10,"column":15,"path":"agents.files.actions.sheet.call"');
    expect(await run('bank.accounts')).toEqual(expect.any(Array));
    await put(FILE);
  });
});
