import { OAuth2Client } from 'google-auth-library';
import { gmail } from 'googleapis/build/src/apis/gmail/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callGoogleSandbox } from '../support/emulators/google-sandbox.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

describe('the sandbox’s workspace APIs, through the provider’s own SDK', () => {
  it('are reached below apiUrl by rootUrl, and reject an unknown access token like the provider', async () => {
    const auth = new OAuth2Client();
    auth.setCredentials({ access_token: 'ya29.unknown' });
    const rootUrl = `${steward.context.sandbox?.workspace.apiUrl}/`;
    const call = gmail({ version: 'v1', auth }).users.getProfile({ userId: 'me' }, { rootUrl, retry: false });
    // There is no refresh token, so the SDK returns the rejection.
    await expect(call).rejects.toMatchObject({ status: 401 });
    expect((await steward.control('state')).calls.workspace['/api/gmail/v1/users/me/profile']).toBe(1);
  });

  it('reject half of a character in a body', async () => {
    const url = `${steward.context.sandbox?.workspace.apiUrl}/calendar/v3/calendars/primary/events`;
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"summary":"\\ud83d"}' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('Invalid JSON payload') } });
  });
});

describe('the sandbox’s workspace APIs reject what the provider’s documents don’t know', () => {
  const EVENTS = '/calendar/v3/calendars/primary/events';
  const BATCH = '/v1/documents/d1:batchUpdate';
  const unknown = (name: string, at: string) => `Unknown name "${name}" at '${at}'`;
  const SEND = '/gmail/v1/users/me/messages/send';
  const SHEET = '/v4/spreadsheets/s1:batchUpdate';
  const AT_STYLE = "Invalid value at 'requests[0].updateTextStyle.fields'";
  const SLIDES = '/v1/presentations/p1:batchUpdate';

  it.each([
    ['a parameter', '/gmail/v1/users/me/messages?max=5', undefined, 'Unknown name "max"'],
    ['a parameter of another method', '/gmail/v1/users/me/profile?format=full', undefined, 'Unknown name "format"'],
    ['a value of a parameter', `${EVENTS}?orderBy=start`, undefined, "Invalid value at 'orderBy'"],
    ['a value in a list of values', `${EVENTS}?eventTypes=default&eventTypes=party`, undefined, "Invalid value at 'eventTypes'"],
    ['a number', `${EVENTS}?maxResults=ten`, undefined, "Invalid value at 'maxResults'"],
    ['a truth value', `${EVENTS}?singleEvents=yes`, undefined, "Invalid value at 'singleEvents'"],
    ['two values of one parameter', `${EVENTS}?q=a&q=b`, undefined, "Invalid value at 'q'"],
    ['a field of a body', EVENTS, { sumary: 'Lunch' }, 'Unknown name "sumary"'],
    ['a field in an object', EVENTS, { start: { day: '2026-05-01' } }, unknown('day', 'start')],
    ['a field in a list', EVENTS, { attendees: [{ mail: 'a@example.com' }] }, unknown('mail', 'attendees[0]')],
    ['a type', EVENTS, { summary: 5 }, "Invalid value at 'summary'"],
    ['one in place of a list', EVENTS, { recurrence: 'RRULE:FREQ=DAILY' }, "Invalid value at 'recurrence'"],
    ['a value of a field', EVENTS, { eventType: 'party' }, "Invalid value at 'eventType'"],
    ['a request of a batch', BATCH, { requests: [{ insertWord: {} }] }, unknown('insertWord', 'requests[0]')],
    ['a field in a request', BATCH, { requests: [{ insertText: { txt: 'a' } }] }, unknown('txt', 'requests[0].insertText')],
    ['a body where there is none', '/gmail/v1/users/me/messages/1/trash', { id: '1' }, 'Unknown name "id"'],
    ['a field of a mask', '/drive/v3/files?fields=files(id,title)', undefined, 'Invalid field selection files/title'],
    ['a mask below a text', '/gmail/v1/users/me/messages?fields=messages/id/value', undefined, 'Invalid field selection messages/id/value'],
    ['a number below the least', '/drive/v3/files?pageSize=0', undefined, "Invalid value at 'pageSize'"],
    ['a number above the most', '/drive/v3/files?pageSize=1001', undefined, "Invalid value at 'pageSize'"],
    ['a number of more than 32 bits', `${EVENTS}?maxResults=2147483648`, undefined, "Invalid value at 'maxResults'"],
    ['a negative number without sign', '/gmail/v1/users/me/messages?maxResults=-1', undefined, "Invalid value at 'maxResults'"],
    ['a time without an offset', `${EVENTS}?timeMin=2031-01-01T00:00:00`, undefined, "Invalid value at 'timeMin'"],
    ['a day that there is not', EVENTS, { start: { date: '2031-02-29' } }, "Invalid value at 'start.date'"],
    ['a time that there is not', EVENTS, { start: { dateTime: '2031-02-28T24:30:00' } }, "Invalid value at 'start.dateTime'"],
    [
      'a fraction',
      BATCH,
      { requests: [{ insertText: { location: { index: 1.5 }, text: 'a' } }] },
      "at 'requests[0].insertText.location.index'",
    ],
    ['text that is not base64', SEND, { raw: 'a!b' }, "Invalid value at 'raw'"],
    ['base64 of six bits', SEND, { raw: 'abcde' }, "Invalid value at 'raw'"],
    ['a mask of another object', BATCH, { requests: [{ updateTextStyle: { fields: 'bold,alignment' } }] }, AT_STYLE],
    ['a mask below a truth value', BATCH, { requests: [{ updateTextStyle: { fields: 'bold.on' } }] }, AT_STYLE],
    [
      'a mask with its root',
      BATCH,
      { requests: [{ updateParagraphStyle: { fields: 'paragraphStyle.alignment' } }] },
      'updateParagraphStyle.fields',
    ],
    ['an empty mask', BATCH, { requests: [{ updateParagraphStyle: { fields: '' } }] }, 'updateParagraphStyle.fields'],
    ['half a mask', BATCH, { requests: [{ updateTextStyle: { fields: 'bold,' } }] }, AT_STYLE],
    ['a mask of cells', SHEET, { requests: [{ repeatCell: { fields: 'userEnteredFormat.bold' } }] }, 'repeatCell.fields'],
    [
      'a mask of a sheet',
      SHEET,
      { requests: [{ updateSheetProperties: { fields: 'gridProperties(rows)' } }] },
      'updateSheetProperties.fields',
    ],
    ['a mask of a shape', SLIDES, { requests: [{ updateTextStyle: { fields: 'colour' } }] }, AT_STYLE],
  ])('%s', async (_what, path, json, message) => {
    const api = await callGoogleSandbox(steward);
    const { status, body } = await api(path, { json });
    expect({ status, message: body.error.message }).toEqual({ status: 400, message: expect.stringContaining(message) });
  });

  it('and members that nobody may write, as Drive does', async () => {
    const api = await callGoogleSandbox(steward);
    const { status, body } = await api('/drive/v3/files', { json: { name: 'A', size: '5' } });
    expect({ status, error: body.error.errors[0] }).toMatchObject({ status: 403, error: { reason: 'fieldNotWritable' } });
  });

  it.each([
    ['all fields, or some of them', { fields: '*' }, { fields: 'bold,link.url' }],
    ['a name in another spelling', { fields: 'foregroundColor' }, { fields: 'foreground_color' }],
  ])('but not masks that select %s', async (_what, ...updates) => {
    const api = await callGoogleSandbox(steward);
    for (const updateTextStyle of updates) {
      const { body } = await api('/v1/documents/d1:batchUpdate', { json: { requests: [{ updateTextStyle }] } });
      expect(body.error.status).toBe('NOT_FOUND');
    }
  });

  it('and the metadata of an upload', async () => {
    const api = await callGoogleSandbox(steward);
    const part = (type: string, content: string) => `--b\r\ncontent-type: ${type}\r\n\r\n${content}\r\n`;
    const bytes = `${part('application/json', '{"title":"A"}')}${part('text/plain', 'a')}--b--`;
    const { status, body } = await api('/upload/drive/v3/files?uploadType=multipart', { bytes, type: 'multipart/related; boundary=b' });
    expect({ status, message: body.error.message }).toEqual({ status: 400, message: expect.stringContaining('Unknown name "title"') });
  });
});

describe('errors of the sandbox’s workspace APIs have the form of each API', () => {
  const errorOf = async (path: string, options?: object) => (await (await callGoogleSandbox(steward))(path, options)).body.error;

  it('with reasons: Gmail, Calendar and Drive', async () => {
    expect(await errorOf('/gmail/v1/users/me/messages/1')).toEqual({
      code: 404,
      message: expect.any(String),
      errors: [{ domain: 'global', reason: 'notFound', message: expect.any(String) }],
      status: 'NOT_FOUND',
    });
    const events = '/calendar/v3/calendars/primary/events';
    const { id } = (await (await callGoogleSandbox(steward))(events)).body.items[0];
    await (await callGoogleSandbox(steward))(`${events}/${id}`, { method: 'DELETE' });
    // google.rpc.Code has no word for 410.
    const gone = { code: 410, message: expect.any(String), errors: [{ domain: 'global', reason: 'deleted', message: expect.any(String) }] };
    expect(await errorOf(`${events}/${id}`, { method: 'DELETE' })).toEqual(gone);
  });

  it('with a status: Docs, Sheets and Slides', async () => {
    for (const path of ['/v1/documents/d1', '/v4/spreadsheets/s1', '/v1/presentations/p1']) {
      expect(await errorOf(path)).toEqual({ code: 404, message: expect.any(String), status: 'NOT_FOUND' });
    }
  });

  it.each([
    ['gmail', '/gmail/v1/users/me/labels', { code: 403, errors: [{ domain: 'usageLimits', reason: 'rateLimitExceeded' }] }],
    ['sheets', '/v4/spreadsheets/s1', { code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ reason: 'RATE_LIMIT_EXCEEDED' }] }],
  ])('%s, when its quota is spent', async (api, path, error) => {
    const call = await callGoogleSandbox(steward);
    await steward.control('workspace/quota', { api, units_per_minute: 0 });
    const { status, body } = await call(path);
    expect({ status, error: body.error }).toMatchObject({ status: error.code, error });
    await steward.control('workspace/quota', { api, units_per_minute: 1_000_000 });
  });
});
