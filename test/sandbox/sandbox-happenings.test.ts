import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callGoogle } from '../support/emulators/workspace-content.ts';
import { connect } from '../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

const MAIL = '/gmail/v1/users/me';
const EVENTS = '/calendar/v3/calendars/primary/events';
const email = 'happens@example.com';
let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
  await connect(steward, { email });
});
afterAll(() => steward.stop());

const get = async (path: string) => (await callGoogle(steward, 'GET', path, undefined, email)).body;

describe('POST /sandbox/control/mail', () => {
  const arrive = async (fields: object) => get(`${MAIL}/messages/${(await steward.control('mail', fields)).id}`);
  const headerOf = (message: any, name: string) => message.payload.headers.find((one: any) => one.name === name)?.value;

  it('lets a plausible mail arrive in the inbox of the account that is connected', async () => {
    const { historyId } = await get(`${MAIL}/profile`);
    const message = await arrive({});
    expect(message.labelIds).toEqual(['INBOX', 'UNREAD']);
    expect(headerOf(message, 'From')).toMatch(/^[\w ]+ <\S+@example\.com>$/);
    expect(headerOf(message, 'To')).toContain(email);
    const { history } = await get(`${MAIL}/history?startHistoryId=${historyId}&historyTypes=messageAdded&labelId=INBOX`);
    expect(history.map(({ messagesAdded }: any) => messagesAdded[0].message.id)).toEqual([message.id]);
  });

  it('takes its sender, text and headers, several at once, and an invoice with its attachment', async () => {
    const fields = {
      email,
      from: 'tom@partner.example',
      from_name: 'Tom',
      subject: 'Größe',
      text: 'Hi',
      headers: { 'Auto-Submitted': 'auto-replied' },
    };
    const message = await arrive(fields);
    expect(['From', 'Subject', 'Auto-Submitted'].map((name) => headerOf(message, name))).toEqual([
      'Tom <tom@partner.example>',
      'Größe',
      'auto-replied',
    ]);
    expect(message.snippet).toBe('Hi');
    const before = (await get(`${MAIL}/profile`)).messagesTotal;
    await steward.control('mail', { email, times: 3 });
    expect((await get(`${MAIL}/profile`)).messagesTotal).toBe(before + 3);
    expect(JSON.stringify((await arrive({ email, template: 'invoice' })).payload)).toContain('invoice-2207.txt');
    expect(headerOf(await arrive({ email, template: 'newsletter' }), 'List-Id')).toContain('garden-notes');
  });

  it.each([{ from: 'nobody' }, { headers: { 'X-A': 'a\r\nBcc: b@c.example' } }, { subject: 'a\nb' }, { times: 0 }, { unknown: 1 }])(
    'rejects %j',
    async (fields) => {
      await expect(steward.control('mail', fields)).rejects.toThrow('400');
    },
  );
});

it('POST /sandbox/control/event: an event of others is created, moved and cancelled', async () => {
  const { id } = await steward.control('event', { email, starts_in_minutes: 20, title: 'Standup' });
  const created = await get(`${EVENTS}/${id}`);
  expect(created).toMatchObject({ summary: 'Standup', organizer: { email: 'carla@partner.example' } });
  expect(Date.parse(created.start.dateTime) - steward.clock.now()).toBeLessThanOrEqual(20 * 60_000);
  expect((await steward.control('event', { email, change: 'move' })).id).toBe(id);
  const moved = await get(`${EVENTS}/${id}`);
  expect(Date.parse(moved.start.dateTime) - Date.parse(created.start.dateTime)).toBe(3_600_000);
  expect(moved.etag).not.toBe(created.etag);
  await steward.control('event', { email, change: 'cancel', event_id: id });
  expect((await get(`${EVENTS}/${id}`)).status).toBe('cancelled');
  await expect(steward.control('event', { email, change: 'move', event_id: 'none' })).rejects.toThrow('404');
});

it('POST /sandbox/control/drive: a file of others is shared, edited and trashed, and says who did it', async () => {
  const { startPageToken } = await get('/drive/v3/changes/startPageToken');
  const { id, name } = await steward.control('drive', { email });
  await steward.control('drive', { email, change: 'edit', name, by: 'ana.mueller@example.org' });
  const file = await get(`/drive/v3/files/${id}?fields=lastModifyingUser(emailAddress,me),trashed`);
  expect(file).toEqual({ lastModifyingUser: { emailAddress: 'ana.mueller@example.org', me: false }, trashed: false });
  await steward.control('drive', { email, change: 'trash', name });
  const { changes } = await get(`/drive/v3/changes?pageToken=${startPageToken}&fields=changes(fileId,file(trashed))`);
  expect(changes).toEqual([{ fileId: id, file: { trashed: true } }]);
  await expect(steward.control('drive', { email, change: 'edit', name: 'no such file' })).rejects.toThrow('404');
});

describe('/sandbox/events', () => {
  const press = (fields: Record<string, string>, origin?: string) =>
    steward.call('/sandbox/events', { form: fields, ...(origin !== undefined && { headers: { origin } }) });

  it('has a button for each, which works without a script, and says what it did', async () => {
    const page = (await steward.call('/sandbox/events')).text;
    const names = [...page.matchAll(/name="button" value="(\w+)"/g)].map(([, name = '']) => name);
    expect(names).toEqual(expect.arrayContaining(['mail', 'invoice', 'move', 'payment', 'hour', 'tomorrow']));
    expect(page).toContain(email);
    expect(page).not.toContain('<script');
    const { messagesTotal } = await get(`${MAIL}/profile`);
    const pressed = await press({ button: 'mail', email, from: '', subject: 'Pressed', text: '' });
    expect([pressed.status, pressed.headers.get('location')]).toEqual([303, '/sandbox/events?done=mail']);
    expect((await steward.call('/sandbox/events?done=mail')).text).toContain('Let a mail arrive.');
    expect((await get(`${MAIL}/profile`)).messagesTotal).toBe(messagesTotal + 1);
  });

  it('shows what is wrong, and takes nothing of other pages', async () => {
    expect((await press({ button: 'payment', email })).status).toBe(404);
    expect((await press({ button: 'mail', email, from: 'nobody' })).status).toBe(400);
    expect((await press({ button: 'explode', email })).status).toBe(400);
    expect((await press({ button: 'mail', email }, 'https://attacker.example')).status).toBe(403);
  });
});
