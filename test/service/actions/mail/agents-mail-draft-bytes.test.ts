import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WorkspaceEmulator } from '../../../support/emulators/workspace-emulator.ts';
import { type MailUser, mailUser, startMail } from '../../../support/scenes/mail.ts';
import { respond, ScriptedServer } from '../../../support/servers/scripted-server.ts';
import type { TestSteward } from '../../../support/steward.ts';
import { connectGrant } from '../../../support/users/refreshing.ts';

const DRAFT = '/gmail/v1/users/me/drafts/r1';

let provider: WorkspaceEmulator;
let api: ScriptedServer;
let steward: TestSteward;
let user: MailUser;

beforeAll(async () => {
  provider = await new WorkspaceEmulator().start();
  api = await new ScriptedServer().start();
  steward = await startMail({ ...provider.env, GOOGLE_API_URL: api.url });
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

const lines = (...all: string[]) => all.join('\r\n');

const HEAD = [
  'MIME-Version: 1.0',
  'From: Billing <billing@example.com>',
  'To: =?ISO-8859-1?Q?M=FCller=2C_Ana?= <ana@example.com>,',
  '\t"Lee, Bo" <bo@example.com>',
  'Subject: =?ISO-8859-1?Q?Gr=FC=DFe?=',
  'Reply-To: desk@example.com',
  'X-Priority: 1',
  'Message-ID: <draft1@example.com>',
];
const IMAGE = lines(
  'Content-Type: image/png; name="logo.png"',
  'Content-Disposition: inline; filename="logo.png"',
  'Content-Transfer-Encoding: base64',
  'Content-ID: <ii_abc123>',
  'X-Attachment-Id: ii_abc123',
  '',
  'iVBORw0KGgo=',
);
const CSV = lines(
  'Content-Type: text/csv; charset="iso-8859-1"; name="latin.csv"',
  'Content-Disposition: attachment; filename="latin.csv"',
  'Content-Transfer-Encoding: 8bit',
  '',
  'stra\xdfe;1',
  '--no delimiter',
);
const PLAIN = lines('Content-Type: text/plain; charset="iso-8859-1"', 'Content-Transfer-Encoding: 8bit', '', 'Gr\xfc\xdfe');
const HTML = lines('Content-Type: text/html; charset="utf-8"', '', '<p>Hi</p><img src="cid:ii_abc123">');

function multipart(type: string, boundary: string, ...parts: string[]): string {
  return lines(
    `Content-Type: multipart/${type}; boundary="${boundary}"`,
    '',
    ...parts.flatMap((part) => [`--${boundary}`, part]),
    `--${boundary}--`,
    '',
  );
}

const RICH = lines(...HEAD, multipart('mixed', 'b', multipart('related', 'bb', multipart('alternative', 'bbb', PLAIN, HTML), IMAGE), CSV));
const HALVES = lines(...HEAD, multipart('mixed', 'b', HTML, IMAGE, HTML.replace('Hi', 'Second half')));

/** The message that the provider is told to store in place of this one. */
async function changed(raw: string, changes: object): Promise<string> {
  const text = { mimeType: 'text/plain', headers: [{ name: 'To', value: 'ana@example.com' }], body: { size: 1, data: 'eA' } };
  const full = { id: 'm1', threadId: 't1', labelIds: ['DRAFT'], internalDate: '1764150000000', payload: text };
  api.on(DRAFT, (response, { method, query }) => {
    const message = query.get('format') === 'raw' ? { id: 'm1', raw: Buffer.from(raw, 'latin1').toString('base64url') } : full;
    respond(response, { body: method === 'PUT' ? { id: 'r1', message: { id: 'm2', threadId: 't1' } } : { id: 'r1', message } });
  });
  await user.run('mail.draft_update', { id: 'r1', ...changes });
  const put = api.calls.find(({ method }) => method === 'PUT');
  return Buffer.from(put?.body.message.raw, 'base64url').toString('latin1');
}

describe('a stored draft that is changed', () => {
  it.each([
    ['with inline images and files', RICH],
    ['in two halves', HALVES],
    ['with bare line feeds', RICH.replaceAll('\r\n', '\n')],
    ['that ends in its header', lines(...HEAD, '')],
    ['without its last delimiter', RICH.replace('--b--\r\n', '')],
  ])('keeps each other byte: %s', async (_what, raw) => {
    const mime = await changed(raw, { subject: 'Bill 2' });
    const end = raw.includes('\r\n') ? '\r\n' : '\n';
    const was = `Subject: =?ISO-8859-1?Q?Gr=FC=DFe?=${end}`;
    expect(raw).toContain(was);
    expect(mime.trimEnd()).toBe(raw.replace(was, 'Subject: Bill 2\r\n').trimEnd());
  });

  it('keeps the other recipients as they are written, and removes what is emptied', async () => {
    const mime = await changed(RICH, { cc: ['Cy Ü <cy@example.com>'], subject: '' });
    expect(mime).toContain(`${HEAD[2]}\r\n${HEAD[3]}\r\n`);
    expect(mime).toMatch(/\r\nCc: =\?UTF-8\?[BQ]\?[^?]+\?= <cy@example\.com>\r\n/);
    expect(mime).not.toMatch(/^Subject:/m);
    expect(mime.slice(mime.indexOf('\r\n--b\r\n'))).toBe(RICH.slice(RICH.indexOf('\r\n--b\r\n')));
  });

  it('gets another text in the place of the first one, without the others', async () => {
    for (const raw of [RICH, HALVES]) {
      const mime = await changed(raw, { body: 'Größe\nnew' });
      for (const line of HEAD) expect(mime).toContain(`${line}\r\n`);
      expect(mime).toContain(IMAGE);
      if (raw === RICH) expect(mime).toContain(CSV);
      expect(mime).not.toMatch(/text\/html|multipart\/alternative|iso-8859-1"\r\n/);
      expect(mime.match(/Content-Type: text\/plain/g)).toHaveLength(1);
      expect(mime.indexOf('text/plain')).toBeLessThan(mime.indexOf('image/png'));
      api.reset();
    }
  });

  it.each([
    ['plain', lines(...HEAD, PLAIN), 'text/plain'],
    ['alternatives only', lines(...HEAD, multipart('alternative', 'b', PLAIN, HTML)), 'text/plain'],
    [
      'a file in the alternatives',
      lines(...HEAD, multipart('alternative', 'b', PLAIN, multipart('mixed', 'c', HTML, CSV))),
      'multipart/mixed',
    ],
    [
      'an image in the alternatives',
      lines(...HEAD, multipart('alternative', 'b', PLAIN, multipart('related', 'c', HTML, IMAGE))),
      'multipart/mixed',
    ],
    ['a file only', lines(...HEAD, CSV), 'multipart/mixed'],
    ['files only', lines(...HEAD, multipart('mixed', 'b', CSV, IMAGE)), 'multipart/mixed'],
  ])('gets another text and keeps its files: %s', async (_what, raw, type) => {
    const mime = await changed(raw, { body: 'new' });
    expect(mime).toMatch(new RegExp(`^Content-Type: ${type}`, 'm'));
    expect(mime.match(/Content-Type: text\/plain/g)).toHaveLength(1);
    expect(mime).toContain('new');
    expect(mime).not.toMatch(/<p>Hi|Gr\xfc/);
    expect(mime.includes('stra\xdfe;1')).toBe(raw.includes('stra\xdfe;1'));
    expect(mime.includes('Content-ID: <ii_abc123>')).toBe(raw.includes('Content-ID: <ii_abc123>'));
    for (const line of HEAD) expect(mime).toContain(`${line}\r\n`);
  });

  it('keeps a signature, and isn’t given another text under it', async () => {
    const signed = lines(...HEAD, multipart('signed; protocol="application/pgp-signature"', 'b', PLAIN, CSV));
    expect(await changed(signed, { subject: 'x' })).toContain(PLAIN);
    api.reset();
    await expect(changed(signed, { body: 'x' })).rejects.toMatchObject({ code: 'invalid_request' });
    expect(api.calls.some(({ method }) => method === 'PUT')).toBe(false);
  });

  it('isn’t changed if someone else has changed it between its reads', async () => {
    const text = { mimeType: 'text/plain', headers: [], body: { size: 1, data: 'eA' } };
    const full = { id: 'm1', threadId: 't1', labelIds: ['DRAFT'], internalDate: '1764150000000', payload: text };
    api.on(DRAFT, (response, { query }) =>
      respond(response, { body: { id: 'r1', message: query.get('format') === 'raw' ? { id: 'm2', raw: 'eA' } : full } }),
    );
    expect(await user.refusal('mail.draft_update', { id: 'r1', subject: 'x' })).toMatchObject({ code: 'conflict' });
    expect(api.calls.some(({ method }) => method === 'PUT')).toBe(false);
  });
});
