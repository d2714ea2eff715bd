import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callGoogle } from '../support/emulators/workspace-content.ts';
import { connect } from '../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

const MAIL = '/gmail/v1/users/me';
const EVENTS = '/calendar/v3/calendars/primary/events';
const DRIVE = '/drive/v3';
const DAY_MS = 24 * 3_600_000;
let steward: TestSteward;
let email: string;
let accounts = 0;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
/** New data for each test. */
beforeEach(async () => {
  accounts += 1;
  email = `changes${accounts}@example.com`;
  await connect(steward, { email });
  await steward.control('workspace/quota', { api: 'calendar', units_per_minute: 100_000 });
});

const call = (verb: string, path: string, body?: unknown) => callGoogle(steward, verb, path, body, email);
const get = async (path: string) => (await call('GET', path)).body;
const endTokens = (api: string) => steward.control('workspace/end-tokens', { email, api });
const errorOf = ({ status, body }: { status: number; body: any }) => ({ status, reason: body.error.errors[0].reason });

describe('users.history.list', () => {
  const raw = (subject: string) =>
    Buffer.from(`From: a@b.example\r\nTo: c@d.example\r\nSubject: ${subject}\r\n\r\nHi`).toString('base64url');
  const arrive = async (subject: string): Promise<{ id: string; threadId: string }> =>
    (await call('POST', `${MAIL}/messages`, { raw: raw(subject), labelIds: ['INBOX', 'UNREAD'] })).body;
  const position = async (): Promise<string> => (await get(`${MAIL}/profile`)).historyId;
  const since = (start: string, more = '') => call('GET', `${MAIL}/history?startHistoryId=${start}${more}`);

  it('lists what changed after a history id, oldest first, with the current one', async () => {
    const start = await position();
    expect((await since(start)).body).toEqual({ historyId: start });
    const { id, threadId } = await arrive('one');
    await call('POST', `${MAIL}/messages/${id}/modify`, { addLabelIds: ['STARRED'], removeLabelIds: ['UNREAD'] });
    const { body } = await since(start);
    const message = { id, threadId, labelIds: ['INBOX', 'STARRED'] };
    expect(body.history).toEqual([
      { id: expect.any(String), messages: [{ id, threadId }], messagesAdded: [{ message }] },
      {
        id: body.historyId,
        messages: [{ id, threadId }],
        labelsAdded: [{ message, labelIds: ['STARRED'] }],
        labelsRemoved: [{ message, labelIds: ['UNREAD'] }],
      },
    ]);
    expect(body.historyId).toBe(await position());
    expect((await since(body.historyId)).body).toEqual({ historyId: body.historyId });
  });

  it('limits to kinds and a label, and pages', async () => {
    const start = await position();
    const { id } = await arrive('one');
    await call('POST', `${MAIL}/messages/${id}/trash`);
    await arrive('two');
    await call('POST', `${MAIL}/drafts`, { message: { raw: raw('three') } });
    const added = '&historyTypes=messageAdded';
    const subjects = async (more: string) => {
      const { history = [] } = (await since(start, more)).body;
      return history.flatMap(({ messagesAdded }: any) => messagesAdded.map(({ message }: any) => message.labelIds.join()));
    };
    expect(await subjects(added)).toEqual(['UNREAD,TRASH', 'INBOX,UNREAD', 'DRAFT']);
    expect(await subjects(`${added}&labelId=INBOX`)).toEqual(['INBOX,UNREAD']);
    const first = (await since(start, `${added}&maxResults=2`)).body;
    expect(first.history).toHaveLength(2);
    const second = (await since(start, `${added}&maxResults=2&pageToken=${first.nextPageToken}`)).body;
    expect(second.history).toHaveLength(1);
    expect(second.nextPageToken).toBeUndefined();
  });

  it('tells of deletions', async () => {
    const { body: draft } = await call('POST', `${MAIL}/drafts`, { message: { raw: raw('draft') } });
    const start = await position();
    await call('DELETE', `${MAIL}/drafts/${draft.id}`);
    const { history } = (await since(start, '&historyTypes=messageDeleted')).body;
    expect(history[0].messagesDeleted[0].message).toMatchObject({ id: draft.message.id });
  });

  it('is 404 for an id that is too old, that never was, or that a control has ended', async () => {
    const start = await position();
    expect(errorOf(await since('1'))).toEqual({ status: 404, reason: 'notFound' });
    expect(errorOf(await since('999999999'))).toEqual({ status: 404, reason: 'notFound' });
    expect((await call('GET', `${MAIL}/history`)).status).toBe(400);
    expect((await since(start, '&historyTypes=nothing')).status).toBe(400);
    await endTokens('gmail');
    expect(errorOf(await since(start))).toEqual({ status: 404, reason: 'notFound' });
    expect((await since(await position())).status).toBe(200);
  });

  it('keeps records for a week', async () => {
    await steward.control('workspace', { token_life_seconds: 30 * 24 * 3_600 });
    email = 'week@example.com';
    await connect(steward, { email });
    const start = await position();
    await arrive('one');
    const between = await position();
    await steward.control('clock', { advance_ms: 8 * DAY_MS });
    await arrive('two');
    const responses = [await since(start), await since(between)];
    await steward.control('clock', { advance_ms: -8 * DAY_MS });
    await steward.control('workspace', { token_life_seconds: 3_599 });
    expect(responses.map(({ status }) => status)).toEqual([404, 200]);
    expect(responses[1]?.body.history).toHaveLength(1);
  });
});

describe('events.list with a sync token', () => {
  const SYNC = `${EVENTS}?singleEvents=true&maxResults=2500`;
  const timed = (summary: string, more: object = {}) => ({
    summary,
    start: { dateTime: '2030-03-01T09:00:00Z', timeZone: 'UTC' },
    end: { dateTime: '2030-03-01T10:00:00Z', timeZone: 'UTC' },
    ...more,
  });
  const token = async (list = SYNC): Promise<string> => (await get(list)).nextSyncToken;
  const since = (syncToken: string, more = '', most = 2500) =>
    call('GET', `${EVENTS}?singleEvents=true&maxResults=${most}&syncToken=${encodeURIComponent(syncToken)}${more}`);
  const insert = async (body: object): Promise<string> => (await call('POST', `${EVENTS}?sendUpdates=none`, body)).body.id;

  it('lists the events that were created, changed and deleted, and gives the next token', async () => {
    const kept = await insert(timed('kept'));
    const deleted = await insert(timed('deleted'));
    const start = await token();
    expect((await since(start)).body).toMatchObject({ items: [], nextSyncToken: expect.any(String) });
    const created = await insert(timed('created'));
    await call('PATCH', `${EVENTS}/${kept}`, { summary: 'changed' });
    await call('DELETE', `${EVENTS}/${deleted}`);
    const { items, nextSyncToken } = (await since(start)).body;
    expect(items.map(({ id, status }: any) => [id, status])).toEqual([
      [kept, 'confirmed'],
      [deleted, 'cancelled'],
      [created, 'confirmed'],
    ]);
    expect((await since(nextSyncToken)).body.items).toEqual([]);
  });

  it('loses no change that is made between two pages', async () => {
    const start = await token();
    const one = await insert(timed('one'));
    await insert(timed('two'));
    const first = (await since(start, '', 1)).body;
    await call('PATCH', `${EVENTS}/${one}`, { summary: 'changed' });
    const last = (await since(start, `&pageToken=${encodeURIComponent(first.nextPageToken)}`, 1)).body;
    expect((await since(last.nextSyncToken)).body.items.map(({ id }: any) => id)).toEqual([one]);
  });

  it('lists each event of a changed series, and what is left of its exceptions', async () => {
    const series = await insert(timed('series', { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }));
    const start = await token(`${EVENTS}?singleEvents=true&maxResults=2500&timeMin=2030-01-01T00:00:00Z&timeMax=2031-01-01T00:00:00Z`);
    await call('PATCH', `${EVENTS}/${series}`, { summary: 'renamed' });
    const { items, nextSyncToken } = (await since(start)).body;
    expect(items.map(({ summary }: any) => summary)).toEqual(['renamed', 'renamed', 'renamed']);
    await call('PATCH', `${EVENTS}/${items[2].id}`, { summary: 'exception' });
    const third = (await since(nextSyncToken)).body;
    expect(third.items.map(({ id }: any) => id)).toEqual([items[2].id]);
    await call('PATCH', `${EVENTS}/${series}`, { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] });
    const shorter = (await since(third.nextSyncToken)).body.items;
    expect(shorter.find(({ id }: any) => id === items[2].id)).toMatchObject({ status: 'cancelled' });
  });

  it.each([
    'timeMin=2030-01-01T00:00:00Z',
    'timeMax=2030-01-01T00:00:00Z',
    'updatedMin=2030-01-01T00:00:00Z',
    'orderBy=updated',
    'q=x',
    'iCalUID=x',
    'privateExtendedProperty=a%3Db',
    'sharedExtendedProperty=a%3Db',
    'showDeleted=false',
  ])('refuses %s beside it', async (parameter) => {
    expect(errorOf(await since(await token(), `&${parameter}`))).toEqual({ status: 400, reason: 'badRequest' });
  });

  it('gives no token of a list that is ordered or searched', async () => {
    expect(await token(`${SYNC}&orderBy=updated`)).toBeUndefined();
    expect(await token(`${SYNC}&q=x`)).toBeUndefined();
  });

  it('is 410 once a control has ended it, and 400 for what is no token', async () => {
    const start = await token();
    expect(errorOf(await since('x'))).toEqual({ status: 400, reason: 'invalid' });
    await endTokens('calendar');
    const ended = await since(start);
    expect(errorOf(ended)).toEqual({ status: 410, reason: 'fullSyncRequired' });
    expect(ended.body.error.errors[0].domain).toBe('calendar');
    expect((await since(await token())).status).toBe(200);
  });

  it('lists by updatedMin, with deleted events, but not from long ago', async () => {
    const id = await insert(timed('gone'));
    await call('DELETE', `${EVENTS}/${id}`);
    const { body } = await call('GET', `${EVENTS}/${id}`);
    const at = Date.parse(body.updated);
    const from = (time: number) => call('GET', `${EVENTS}?updatedMin=${new Date(time).toISOString()}`);
    expect((await from(at)).body.items.map((one: any) => one.id)).toContain(id);
    expect((await from(at + DAY_MS)).body.items).toEqual([]);
    expect(errorOf(await from(at - 60 * DAY_MS))).toEqual({ status: 410, reason: 'updatedMinTooLongAgo' });
  });
});

describe('changes.list', () => {
  const start = async (): Promise<string> => (await get(`${DRIVE}/changes/startPageToken`)).startPageToken;
  const since = (token: string, more = '') => call('GET', `${DRIVE}/changes?pageToken=${token}${more}`);
  const create = async (name: string): Promise<string> => (await call('POST', `${DRIVE}/files`, { name, mimeType: 'text/plain' })).body.id;

  it('lists the files that changed, went to the trash, or are gone, each once', async () => {
    const gone = await create('gone');
    const token = await start();
    expect((await since(token)).body).toEqual({ kind: 'drive#changeList', newStartPageToken: token, changes: [] });
    const kept = await create('kept');
    await call('PATCH', `${DRIVE}/files/${kept}`, { name: 'renamed', trashed: true });
    await call('DELETE', `${DRIVE}/files/${gone}`);
    const { body } = await since(token, '&fields=newStartPageToken,changes(fileId,removed,changeType,file(name,trashed))');
    expect(body.changes).toEqual([
      { fileId: kept, removed: false, changeType: 'file', file: { name: 'renamed', trashed: true } },
      { fileId: gone, removed: true, changeType: 'file' },
    ]);
    expect((await since(token, '&includeRemoved=false')).body.changes).toHaveLength(1);
    expect((await since(body.newStartPageToken)).body.changes).toEqual([]);
  });

  it('lists a document whose text changed, and pages', async () => {
    const token = await start();
    const { documentId } = (await call('POST', '/v1/documents', { title: 'Minutes' })).body;
    const other = await create('other');
    const edit = { requests: [{ insertText: { text: 'x', location: { index: 1 } } }] };
    await call('POST', `/v1/documents/${documentId}:batchUpdate`, edit);
    const first = (await since(token, '&pageSize=1')).body;
    expect(first.changes.map(({ fileId }: any) => fileId)).toEqual([other]);
    expect(first.newStartPageToken).toBeUndefined();
    const second = (await since(first.nextPageToken, '&pageSize=1')).body;
    expect(second.changes.map(({ fileId }: any) => fileId)).toEqual([documentId]);
    expect(second.newStartPageToken).toBe(await start());
  });

  it('refuses a token that is missing, unknown, or that a control has ended', async () => {
    const token = await start();
    expect((await call('GET', `${DRIVE}/changes`)).status).toBe(400);
    expect(errorOf(await since('999999'))).toEqual({ status: 400, reason: 'invalid' });
    await endTokens('drive');
    expect(errorOf(await since(token))).toEqual({ status: 400, reason: 'invalid' });
    expect((await since(await start())).status).toBe(200);
  });
});

it('the changes need the scopes of their APIs, and survive a restart', async () => {
  const untick = ['https://www.googleapis.com/auth/drive', 'https://www.googleapis.com/auth/gmail.modify'];
  const token = await get(`${DRIVE}/changes/startPageToken`);
  await call('POST', `${DRIVE}/files`, { name: 'kept' });
  steward = await steward.restart();
  expect((await call('GET', `${DRIVE}/changes?pageToken=${token.startPageToken}`)).body.changes).toHaveLength(1);
  email = 'unticked@example.com';
  await connect(steward, { email, untick });
  for (const path of [`${MAIL}/history?startHistoryId=1000`, `${DRIVE}/changes?pageToken=1000`, `${DRIVE}/changes/startPageToken`]) {
    expect((await call('GET', path)).status).toBe(403);
  }
});
