import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { eventPage } from '../../../src/actions/calendar/calendar-pages.ts';
import { slidesPart } from '../../../src/actions/presentations/slides-part.ts';
import { cellRows } from '../../../src/actions/spreadsheets/cell-rows.ts';
import { workBegun } from '../../../src/off-thread/off-thread.ts';
import { list } from '../../../src/providers/transport/response-list.ts';
import { checked } from '../../../src/providers/transport/responses.ts';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { type ApiScene, startApiScene } from '../../support/scenes/api-scene.ts';
import { respond } from '../../support/servers/scripted-server.ts';
import { callAction } from '../../support/users/agents.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const FILE = `version: 1
defaults:
  policy: { approval: never, rate: 1000/min }
agents:
  mail: { provider: workspace, description: Mail., scopes: [mail.modify, mail.send] }
  calendar: { provider: workspace, description: Dates., scopes: [calendar.events.owned] }
  drive: { provider: workspace, description: Files., scopes: [drive] }
  documents: { provider: workspace, description: Texts., scopes: [documents] }
  spreadsheets: { provider: workspace, description: Sheets., scopes: [spreadsheets.readonly] }
  presentations: { provider: workspace, description: Slides., scopes: [presentations.readonly] }
  own:
    provider: workspace
    description: Declared.
    scopes: [drive]
    actions:
      names: { call: drive.files.list, description: Names., effect: read, with: { pageSize: 50 }, project: 'files[].name' }
      others: { call: drive.files.list, description: Others., effect: read, project: 'files[?$.files[0].name == name].name' }
      whole: { call: drive.files.list, description: All., effect: read, with: { pageSize: 50 } }
`;

const MAIN_THREAD_CHARACTERS = 256 * 1024;
const b64 = (text: string) => Buffer.from(text).toString('base64url');
const repeat = <Item>(count: number, make: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => make(index));

let scene: ApiScene;
let user: ConnectedGrant;
/** Longest text parsed on this thread, the service's main one. */
let parsed = 0;
let begun = 0;

beforeAll(async () => {
  scene = await startApiScene({ INTEGRATIONS_FILE: ownIntegrations(FILE) });
  user = await scene.connect();
});

afterAll(() => scene.stop());

beforeEach(() => {
  scene.api.reset();
  parsed = 0;
  begun = workBegun();
  const parse = JSON.parse;
  vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    parsed = Math.max(parsed, String(text).length);
    return parse(text, reviver);
  });
});

afterEach(() => vi.restoreAllMocks());

const run = async (action: string, input: object): Promise<any> =>
  (await callAction(scene.steward, action, input, { token: user.token })).data;

const message = (payload: object) => ({ id: 'm1', threadId: 't1', labelIds: [], internalDate: '1767225600000', payload });
const bodyOf = (text: string, mimeType: string) => ({ mimeType, headers: [], body: { size: 1, data: b64(text) } });
const FILE_ANSWER = { id: 'f1', name: 'notes', mimeType: 'text/plain' };
const slide = (content: string) => ({ pageElements: [{ shape: { text: { textElements: [{ textRun: { content } }] } } }] });
const paragraph = (content: string) => ({ paragraph: { elements: [{ textRun: { content: `${content}\n`, textStyle: {} } }] } });
const guests = repeat(200, (index) => ({ email: `guest-${index}@example.org`, displayName: 'Guest', responseStatus: 'accepted' }));
const event = (index: number, change: object = {}) => ({
  id: `e${index}`,
  summary: `Meeting ${index}`,
  start: { dateTime: '2026-03-02T10:00:00Z' },
  end: { dateTime: '2026-03-02T11:00:00Z' },
  attendees: guests,
  ...change,
});
const documentOf = (content: unknown[]) => ({
  documentId: 'd1',
  title: 'Long',
  tabs: [{ tabProperties: { tabId: 't.0', title: 'Tab' }, documentTab: { body: { content } } }],
});
const rows = repeat(900, (row) => repeat(1_000, (column) => (column % 7 === 0 ? '' : `cell ${row}`)));

describe('a large response', () => {
  it.each<[string, object, string, unknown, (data: any) => void]>([
    [
      'spreadsheets.read',
      { id: 's1', range: 'A1:ALL', max: 1000 },
      '/v4/spreadsheets/s1/values/A1%3AALL1001',
      { range: 'Sheet1!A1:ALL1001', values: rows, note: null },
      ({ ranges: [{ rows: shown, next }] }) => {
        expect(shown[0].slice(0, 3)).toEqual([null, 'cell 0', 'cell 0']);
        expect(next).toBe(`Sheet1!A${shown.length + 1}:ALL`);
      },
    ],
    [
      'presentations.read',
      { id: 'p1' },
      '/v1/presentations/p1',
      { title: 'Long', slides: repeat(20_000, (index) => slide(`slide ${index}`)) },
      ({ slides, count, next }) => {
        expect(slides[10]).toEqual({ number: 11, text: 'slide 10' });
        expect([count, next]).toEqual([20_000, slides.length + 1]);
      },
    ],
    [
      'documents.read',
      { id: 'd1', offset: 40_000 },
      '/v1/documents/d1',
      documentOf(repeat(20_000, (index) => paragraph(`line ${index}`))),
      ({ tabs: [{ text }], next_offset: next }) => {
        expect(text).toMatch(/\n\nline \d+\n\nline \d+/);
        expect(next).toBe(80_000);
      },
    ],
    [
      'calendar.list',
      { from: '2026-03-01', to: '2026-03-03', zone: 'UTC' },
      '/calendar/v3/calendars/primary/events',
      { timeZone: 'UTC', items: repeat(50, (index) => event(index)) },
      ({ items }) => {
        expect(items).toHaveLength(50);
        expect(items[49]).toMatchObject({ title: 'Meeting 49', attendees_omitted: true });
      },
    ],
    [
      'mail.read',
      { message: 'm1' },
      '/gmail/v1/users/me/messages/m1',
      message(bodyOf('many words '.repeat(500_000), 'text/plain')),
      ({ messages: [{ text }], next_offset: next }) => expect([text.length, next]).toEqual([20_000, 20_000]),
    ],
    [
      'own.names',
      {},
      '/drive/v3/files',
      { files: repeat(40_000, (index) => ({ id: `f${index}`, name: `file ${index}`, trashed: null })) },
      (names) => expect(names.slice(0, 2)).toEqual(['file 0', 'file 1']),
    ],
    [
      'own.whole',
      {},
      '/drive/v3/files',
      { files: repeat(40_000, (index) => ({ id: `f${index}`, name: `file ${index}`, trashed: null })) },
      ({ files }) => expect(files[1]).toEqual({ id: 'f1', name: 'file 1' }),
    ],
  ])('of %s is parsed off the main thread, with the same result as a small one', async (action, input, path, body, check) => {
    scene.api.on(path, { body });
    check(await run(action, input));
    expect(workBegun() - begun).toBeGreaterThan(0);
    expect(parsed).toBeLessThanOrEqual(MAIN_THREAD_CHARACTERS + 1_000);
  });

  it('that was truncated is marked', async () => {
    scene.api.on('/drive/v3/files', { body: { files: repeat(40_000, (index) => ({ name: `file ${index}` })) } });
    expect(await callAction(scene.steward, 'own.names', {}, { token: user.token })).toMatchObject({ meta: { truncated: true } });
  });

  it('of bytes is decoded off the main thread, part by part', async () => {
    const text = repeat(60_000, (index) => `line ${index} with “quotes”\r\n`).join('');
    scene.api.on('/drive/v3/files/f1', (response, { query }) =>
      respond(response, query.get('alt') === 'media' ? { body: text, headers: { 'content-type': 'text/plain' } } : { body: FILE_ANSWER }),
    );
    const { text: part, next_offset: next } = await run('drive.read', { id: 'f1', offset: 40_000 });
    expect(part).toBe(text.replaceAll('\r\n', '\n').slice(40_000, 80_000));
    expect([next, workBegun() - begun]).toEqual([80_000, 1]);
  });

  it('has its HTML converted off the main thread, unlike a small one', async () => {
    scene.api.on('/gmail/v1/users/me/messages/m1', { body: message(bodyOf('<p>Hello', 'text/html')) });
    expect((await run('mail.read', { message: 'm1' })).messages[0].text).toBe('Hello');
    expect(workBegun() - begun).toBe(0);
    // Small enough to be parsed here: the conversion takes the time.
    scene.api.on('/gmail/v1/users/me/messages/m1', { body: message(bodyOf('<p>a'.repeat(20_000), 'text/html')) });
    expect((await run('mail.read', { message: 'm1' })).messages[0].text.startsWith('a\n\na\n\na')).toBe(true);
    expect(workBegun() - begun).toBe(1);
  });

  it('is processed off the main thread if each item is compared with all others, however short it is', async () => {
    scene.api.on('/drive/v3/files', { body: { files: [{ name: 'one' }, { name: 'two' }] } });
    expect(await run('own.others', {})).toEqual(['one']);
    expect(workBegun() - begun).toBe(1);
  });

  it('is rejected if a small one is expected', async () => {
    scene.api.on('/gmail/v1/users/me/labels', { body: { labels: [{ id: 'x', name: 'x'.repeat(3_000_000) }] } });
    await expect(run('mail.labels', {})).rejects.toMatchObject({ code: 'too_large' });
    scene.api.on('/gmail/v1/users/me/labels', { body: { labels: repeat(60_000, (index) => ({ id: `l${index}`, name: 'x' })) } });
    await expect(run('mail.labels', {})).rejects.toMatchObject({ code: 'too_large' });
    expect(parsed).toBeLessThanOrEqual(MAIN_THREAD_CHARACTERS + 1_000);
  });

  it('with an error status is that error', async () => {
    scene.api.on('/drive/v3/files/f1', { status: 404, body: '<p>'.repeat(1_000_000) });
    await expect(run('drive.info', { id: 'f1' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is returned to each of many calls of one user', async () => {
    scene.api.on('/v4/spreadsheets/s1/values/A1%3AALL1001', { body: { range: 'Sheet1!A1:ALL1001', values: rows.slice(0, 100) } });
    const responses = await Promise.all(repeat(12, () => run('spreadsheets.read', { id: 's1', range: 'A1:ALL', max: 1000 })));
    expect(responses.every(({ ranges: [{ rows: shown }] }) => shown[0][1] === 'cell 0')).toBe(true);
    expect(parsed).toBeLessThanOrEqual(MAIN_THREAD_CHARACTERS + 1_000);
  });
});

describe('an invalid response', () => {
  it.each<[string, string, object, string, string]>([
    [
      'cells of another type',
      'spreadsheets.read',
      { id: 's1', range: 'A1:Z' },
      '/v4/spreadsheets/s1/values/A1%3AZ201',
      `{"range":"A1:Z201","values":[[${'{},'.repeat(500_000)}{}]]}`,
    ],
    [
      'invalid rows',
      'spreadsheets.read',
      { id: 's1', range: 'A1:Z' },
      '/v4/spreadsheets/s1/values/A1%3AZ201',
      `{"range":"A1:Z201","values":[${'1,'.repeat(5_000_000)}1]}`,
    ],
    [
      'millions of empty elements',
      'presentations.read',
      { id: 'p1' },
      '/v1/presentations/p1',
      `{"title":"x","slides":[{"pageElements":[${'{},'.repeat(3_000_000)}{}]}]}`,
    ],
    ['invalid files', 'drive.search', {}, '/drive/v3/files', `{"files":[${'1,'.repeat(30_000)}1]}`],
    ['invalid labels', 'mail.labels', {}, '/gmail/v1/users/me/labels', `{"labels":[${'0,'.repeat(100_000)}0]}`],
    [
      'invalid headers',
      'mail.read',
      { message: 'm1' },
      '/gmail/v1/users/me/messages/m1',
      JSON.stringify(message({ headers: Array(900_000).fill(0) })),
    ],
    [
      'invalid paragraphs',
      'documents.read',
      { id: 'd1' },
      '/v1/documents/d1',
      JSON.stringify(documentOf([{ paragraph: { elements: Array(900_000).fill(0) } }])),
    ],
  ])('is rejected at its first problem: %s', async (_, action, input, path, body) => {
    scene.api.on(path, { body });
    const before = scene.steward.logs.length;
    const error = await run(action, input).catch((thrown: unknown) => thrown);
    expect(['provider_error', 'too_large']).toContain((error as { code: string }).code);
    expect(scene.steward.logs.slice(before).join('').length).toBeLessThan(20_000);
    expect(parsed).toBeLessThanOrEqual(MAIN_THREAD_CHARACTERS + 1_000);
  });

  it('is checked only up to the first invalid item', () => {
    const touched: number[] = [];
    const watched = new Proxy(
      repeat<unknown>(100_000, (index) => (index < 3 ? 'ok' : index)),
      {
        get(target, name, receiver) {
          if (/^\d+$/.test(String(name))) touched.push(Number(name));
          return Reflect.get(target, name, receiver);
        },
      },
    );
    expect(() => checked(z.object({ items: list(z.string()) }), { items: watched })).toThrow(
      expect.objectContaining({ code: 'provider_error' }),
    );
    expect(Math.max(...touched)).toBe(3);
  });

  /** A list that counts how many of its items were read. */
  function counted<Item>(items: Item[]): { items: Item[]; looked: () => number } {
    const seen = new Set<string | symbol>();
    const proxy = new Proxy(items, {
      get(target, name, receiver) {
        if (typeof name === 'string' && /^\d+$/.test(name)) seen.add(name);
        return Reflect.get(target, name, receiver);
      },
    });
    return { items: proxy, looked: () => seen.size };
  }

  it('of more events than requested is read only as far as requested, with its zones', async () => {
    const { items, looked } = counted(
      repeat(20_000, (index) =>
        event(index, { attendees: [], start: { dateTime: '2026-03-02T10:00:00Z', timeZone: `Nowhere/Z${index}` } }),
      ),
    );
    const page = await eventPage.run({ response: { items }, args: { from: 0, to: Infinity, zone: undefined, max: 50 } });
    expect(page.items).toHaveLength(50);
    expect(page.items[0]).not.toHaveProperty('zone');
    expect(looked()).toBe(50);
  });

  it('is not read beyond the rows that are shown', async () => {
    const { items, looked } = counted(repeat(50_000, () => ['x'.repeat(2_000)]));
    const { rows: shown } = await cellRows.run({ response: { range: 'A1:A50000', values: items }, args: { max: 1_000, maxBytes: 20_000 } });
    expect(shown).toHaveLength(9);
    expect(looked()).toBeLessThanOrEqual(1_000);
  });

  it('of nested groups is read up to 5,000 elements', async () => {
    let inside: object[] = repeat(3_000, () => ({ description: 'deep' }));
    for (let depth = 0; depth < 15; depth += 1) inside = [{ elementGroup: { children: inside } }, ...repeat(3_000, () => ({}))];
    const { items, looked } = counted(repeat(50_000, () => ({ shape: {} })));
    const response = {
      title: 'x',
      slides: [{ pageElements: [{ elementGroup: { children: inside } }, { elementGroup: { children: items } }] }],
    };
    const { slides } = await slidesPart.run({ response, args: { numbers: undefined, from: 1, offset: 0, capBytes: 256_000 } });
    expect(slides[0]).toMatchObject({ truncated: true });
    expect(looked()).toBeLessThanOrEqual(5_000);
  });
});
