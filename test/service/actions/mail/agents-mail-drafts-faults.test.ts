import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WorkspaceEmulator } from '../../../support/emulators/workspace-emulator.ts';
import { type MailUser, mailUser, startMail } from '../../../support/scenes/mail.ts';
import { respond, ScriptedServer } from '../../../support/servers/scripted-server.ts';
import type { TestSteward } from '../../../support/steward.ts';
import { connectGrant } from '../../../support/users/refreshing.ts';

let provider: WorkspaceEmulator;
let api: ScriptedServer;
/** Its operator lets drafts go to example.org, without a question. */
let steward: TestSteward;
let user: MailUser;

beforeAll(async () => {
  provider = await new WorkspaceEmulator().start();
  api = await new ScriptedServer().start();
  const env = { ...provider.env, GOOGLE_API_URL: api.url };
  steward = await startMail(env, '{ approval: never, allow: { to: ["*@example.org"] } }');
});
afterAll(async () => {
  await steward.stop();
  await provider.stop();
  await api.stop();
});
beforeEach(async () => {
  api.reset();
  const { token, email } = await connectGrant(steward, provider, steward.sql);
  user = mailUser(steward, token, email);
});

const ROOT = '/gmail/v1/users/me';
const HUGE = 'x'.repeat(13_000_000);
const DRAFT = `${ROOT}/drafts/r1`;

const header = (name: string, value: string) => ({ name, value });
const payload = (...headers: object[]) => ({
  mimeType: 'text/plain',
  headers,
  body: { size: 5, data: Buffer.from('Noon?').toString('base64url') },
});
const message = (content: unknown, more: object = {}) => ({
  id: 'm1',
  threadId: 't1',
  labelIds: ['DRAFT'],
  internalDate: '1767225600000',
  payload: content,
  ...more,
});
const draftTo = (...to: string[]) => ({
  id: 'r1',
  message: message(payload(...to.map((one) => header('To', one)), header('Subject', 'Plan'))),
});
const sent = () => api.calls.filter(({ path }) => path === `${ROOT}/drafts/send`).length;
const requests = (method: string) => api.calls.filter((call) => call.method === method).length;

const INVALID: [string, unknown][] = [
  ['null', 'null'],
  ['no message', { id: 'r1' }],
  ['a message that is null', { id: 'r1', message: null }],
  ['a message without an id', { id: 'r1', message: { ...message(payload()), id: undefined } }],
  ['a payload that is a list', { id: 'r1', message: message([]) }],
  ['headers that are null', { id: 'r1', message: message({ ...payload(), headers: [null] }) }],
  ['a page of HTML', '<!doctype html>'],
];

describe('a stored draft that can’t be read', () => {
  it.each(INVALID)('is neither sent, changed nor asked about: %s', async (_what, body) => {
    api.on(DRAFT, { body });
    for (const [action, input] of [
      ['mail.draft_send', { id: 'r1' }],
      ['mail.draft_update', { id: 'r1', body: 'x' }],
    ] as const) {
      expect(await user.refusal(action, input)).toMatchObject({ code: 'provider_error' });
    }
    expect(requests('POST') + requests('PUT')).toBe(0);
  });

  it('is neither if its response is too large', async () => {
    api.on(DRAFT, { body: { id: 'r1', message: message(payload(header('To', HUGE))) } });
    for (const action of ['mail.draft_send', 'mail.draft_delete']) {
      expect(await user.refusal(action, { id: 'r1' })).toMatchObject({ code: 'too_large' });
    }
    expect(requests('POST') + requests('DELETE')).toBe(0);
  });

  it('is not cut where it is too long to read', async () => {
    const text = 'x'.repeat(250_000);
    const long = { ...payload(header('To', 'ana@example.org')), body: { size: 1, data: Buffer.from(text).toString('base64url') } };
    const raw = Buffer.from(`To: ana@example.org\r\n\r\n${text}`).toString('base64url');
    api.on(DRAFT, (response, { method, query }) => {
      const stored = query.get('format') === 'raw' ? { id: 'm1', raw } : message(long);
      respond(response, { body: method === 'PUT' ? draftTo() : { id: 'r1', message: stored } });
    });
    expect(await user.run('mail.draft_update', { id: 'r1', subject: 'x' })).toMatchObject({ id: 'r1' });
    const put = api.calls.find(({ method }) => method === 'PUT');
    expect(Buffer.from(put?.body.message.raw, 'base64url').toString()).toBe(`To: ana@example.org\r\nSubject: x\r\n\r\n${text}`);
  });

  it('fails a list of drafts', async () => {
    for (const body of ['null', { drafts: {} }, { drafts: [{ id: 'r1' }] }, { drafts: [null] }, HUGE]) {
      api.on(`${ROOT}/drafts`, { body });
      expect(['provider_error', 'too_large']).toContain((await user.refusal('mail.drafts')).code);
    }
  });

  it('is listed as failed beside the others', async () => {
    const drafts = ['1', '2'].map((one) => ({ id: `r${one}`, message: { id: `m${one}` } }));
    api.on(`${ROOT}/drafts`, { body: { drafts } });
    api.on(`${ROOT}/messages/m1`, { body: message(payload(header('To', 'a\u202eb\n<a@example.org>'))) });
    api.on(`${ROOT}/messages/m2`, { body: { id: 'm2' } });
    const { items, failed } = await user.run('mail.drafts');
    expect(items).toMatchObject([{ id: 'r1', message: 'm1' }]);
    expect(items[0].to).not.toMatch(/\n/);
    expect(failed).toMatchObject([{ id: 'r2', error: { code: 'provider_error' } }]);
  });
});

describe('the recipients of a draft, as the allow-list has them', () => {
  it.each([
    ['covered', ['Ana <ana@example.org>, ben@EXAMPLE.org'], true],
    ['another one', ['ana@example.org, eve@example.net'], false],
    ['another one in a second field', ['ana@example.org', 'eve@example.net'], false],
    ['another one in a group', ['friends: eve@example.net;'], false],
    ['a name that isn’t the address', ['"ana@example.org" <eve@example.net>'], false],
    ['what can’t be read', ['ana@example.org, "x y"@example.org <'], false],
  ])('are checked though nothing is asked: %s', async (_what, to, isSent) => {
    api.on(DRAFT, { body: draftTo(...to) });
    api.on(`${ROOT}/drafts/send`, { body: { id: 'm2', threadId: 't1' } });
    if (isSent) expect(await user.run('mail.draft_send', { id: 'r1' })).toEqual({ id: 'm2', thread: 't1' });
    else expect(await user.refusal('mail.draft_send', { id: 'r1' })).toMatchObject({ code: 'forbidden', details: { list: 'to' } });
    expect(sent()).toBe(isSent ? 1 : 0);
  });

  it('may not change between the check and the sending', async () => {
    let reads = 0;
    api.on(DRAFT, (response) => {
      reads += 1;
      respond(response, { body: draftTo(reads === 1 ? 'ana@example.org' : 'eve@example.net') });
    });
    expect(await user.refusal('mail.draft_send', { id: 'r1' })).toMatchObject({ code: 'conflict' });
    expect(sent()).toBe(0);
  });
});

describe('a file that can’t be read', () => {
  const FILE = '/drive/v3/files/f1';
  const known = { id: 'f1', name: 'a.bin', mimeType: 'application/octet-stream', size: '3', modifiedTime: '2026-01-01T00:00:00Z' };
  const mail = { to: ['ana@example.org'], subject: 's', body: 'b', files: ['f1'] };

  it.each([
    ['null', { body: 'null' }],
    ['no name', { body: { id: 'f1' } }],
    ['a failure', { status: 500, body: 'oops' }],
    ['12 MB', { body: { ...known, description: HUGE } }],
    ['a size beyond the limit', { body: { ...known, size: '10485761' } }],
  ])('is neither asked about nor sent: %s', async (_what, response) => {
    api.on(FILE, response);
    for (const action of ['mail.send', 'mail.draft']) {
      expect(['provider_error', 'too_large']).toContain((await user.refusal(action, mail)).code);
    }
    expect(requests('POST')).toBe(0);
  });

  it('is not sent if it is larger than the provider says', async () => {
    api.on(FILE, (response, { query }) => respond(response, { body: query.get('alt') === 'media' ? HUGE : known }));
    expect(await user.refusal('mail.draft', mail)).toMatchObject({ code: 'too_large' });
    api.on(FILE, { body: { ...known, mimeType: 'application/vnd.google-apps.document' } });
    api.on(`${FILE}/export`, { status: 403, body: { error: { code: 403, errors: [{ reason: 'exportSizeLimitExceeded' }] } } });
    expect(await user.refusal('mail.draft', mail)).toMatchObject({ code: 'too_large' });
    expect(requests('POST')).toBe(0);
  });
});

describe('an attachment that can’t be saved', () => {
  const file = { partId: '1', filename: 'a.bin', mimeType: 'application/octet-stream', body: { attachmentId: 'x', size: 3 } };

  it.each([
    ['null', 'null'],
    ['no data', {}],
    ['an empty one', { data: '' }],
    ['12 MB', { data: HUGE }],
  ])('creates no file: %s', async (_what, body) => {
    api.on(`${ROOT}/messages/m1`, { body: message({ mimeType: 'multipart/mixed', parts: [file] }) });
    api.on(`${ROOT}/messages/m1/attachments/x`, { body });
    const { code } = await user.refusal('mail.save_attachment', { message: 'm1', attachment: '1' });
    expect(['provider_error', 'invalid_request', 'too_large']).toContain(code);
    expect(requests('POST')).toBe(0);
  });
});
