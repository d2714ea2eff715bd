import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type MailUser, mailApi, newMailUser, startMail } from '../../../support/scenes/mail.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';

let steward: TestSteward;
let user: MailUser;

beforeAll(async () => {
  steward = await startMail();
});

afterAll(() => steward.stop());

beforeEach(async () => {
  await steward.control('faults/clear', {});
  user = await newMailUser(steward);
});

const GMAIL = '/api/gmail/v1/users/me';
const SEND = `${GMAIL}/messages/send`;

async function calls(path: string): Promise<number> {
  return (await steward.control('state')).calls.workspace[path] ?? 0;
}

/** The provider's message, parsed by another library than the one that composed it. */
async function stored(id: string) {
  const api = await mailApi(steward, user);
  const { body } = await api(`messages/${id}?format=raw`);
  return PostalMime.parse(Buffer.from(body.raw, 'base64url'));
}

describe('mail.send', () => {
  it('names the answered message in the approval of a reply', async () => {
    const asking = await startSteward();
    try {
      const other = await newMailUser(asking);
      const reply_to = await other.find('from:sarah');
      const { details } = await other.refusal('mail.send', { to: ['a@example.org'], body: 'x', reply_to });
      expect(details?.summary).toMatch(new RegExp(`^Send to a@example\\.org: a reply “Re: [^”]+” to message ${reply_to}$`));
    } finally {
      await asking.stop();
    }
  });

  it('sends a message from the account, in the provider’s sent mail', async () => {
    const { id, thread } = await user.run('mail.send', {
      to: ['Ana Müller <ana.mueller@example.org>'],
      subject: 'Hello',
      body: 'One line.',
    });
    expect(thread).toBe(id);
    const mail = await stored(id);
    expect(mail).toMatchObject({
      subject: 'Hello',
      from: { address: user.email },
      to: [{ name: 'Ana Müller', address: 'ana.mueller@example.org' }],
    });
    expect(mail.text?.trimEnd()).toBe('One line.');
    expect((await user.run('mail.read', { message: id })).messages[0].labels).toEqual(['SENT']);
  });

  it('encodes subject, names, text and file names in any script', async () => {
    const input = {
      to: ['"Müller, Ana" <ana.mueller@example.org>', '李 梅 <mei.li@example.net>'],
      subject: 'Größe – 見積もり 🎉 Übersicht für die zweite Jahreshälfte, ausführlich',
      body: 'Grüße aus Köln\n\n日本語のテキスト\n.\nFrom here on: 🎉\n',
      attachments: [
        { name: 'Übersicht März – 見積もり.csv', text: 'größe;1\n' },
        { name: 'blob.bin', base64: Buffer.from([0, 255, 10, 13]).toString('base64') },
      ],
    };
    const { id } = await user.run('mail.send', input);
    const mail = await stored(id);
    expect(mail.subject).toBe(input.subject);
    expect(mail.to).toEqual([
      { name: 'Müller, Ana', address: 'ana.mueller@example.org' },
      { name: '李 梅', address: 'mei.li@example.net' },
    ]);
    expect(mail.text?.replaceAll('\r\n', '\n').trimEnd()).toBe(input.body.trimEnd());
    expect(mail.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
      ['Übersicht März – 見積もり.csv', 'text/csv'],
      ['blob.bin', 'application/octet-stream'],
    ]);
    const read = (await user.run('mail.read', { message: id })).messages[0];
    expect(read.subject).toBe(input.subject);
    expect(read.text.trimEnd()).toBe(input.body.trimEnd());
    expect(read.attachments[0].name).toBe('Übersicht März – 見積もり.csv');
    expect(await user.run('mail.attachment', { message: id, attachment: read.attachments[0].id })).toMatchObject({ text: 'größe;1\n' });
    expect(await user.run('mail.attachment', { message: id, attachment: read.attachments[1].id })).toMatchObject({ base64: 'AP8KDQ==' });
  });

  it('keeps long lines whole', async () => {
    const body = `${'word '.repeat(300)}end`;
    const { id } = await user.run('mail.send', { to: ['a@example.org'], subject: 'Long', body });
    expect((await user.run('mail.read', { message: id })).messages[0].text.trimEnd()).toBe(body);
  });

  it('sends Cc and Bcc', async () => {
    const { id } = await user.run('mail.send', {
      to: 'a@example.org',
      cc: ['b@example.org'],
      bcc: ['Sam <c@example.org>'],
      subject: 's',
      body: '',
    });
    const mail = await stored(id);
    expect([mail.to, mail.cc, mail.bcc].map((list) => list?.map(({ address }) => address))).toEqual([
      ['a@example.org'],
      ['b@example.org'],
      ['c@example.org'],
    ]);
  });

  it('writes a message without text or files', async () => {
    const { id } = await user.run('mail.send', { to: ['a@example.org'], subject: 'Empty', body: '', cc: [], attachments: [] });
    expect((await user.run('mail.read', { message: id })).messages[0]).toMatchObject({ subject: 'Empty', text: '', attachments: [] });
  });

  it.each([
    ['503', { kind: 'status', status: 503 }],
    ['500', { kind: 'status', status: 500 }],
    ['429', { kind: 'status', status: 429, error: 'rateLimitExceeded' }],
    ['403 rateLimitExceeded', { kind: 'status', status: 403, error: 'rateLimitExceeded' }],
    ['a page of HTML', { kind: 'html' }],
    ['half of a response', { kind: 'malformed' }],
  ])('is sent once, and does not succeed, if the provider responds with %s', async (_what, fault) => {
    const before = await calls(SEND);
    await steward.control('faults', { part: 'workspace', path: SEND, ...fault });
    await user.refusal('mail.send', { to: ['a@example.org'], subject: 'Once', body: 'only' });
    expect(await calls(SEND)).toBe(before + 1);
  });
});

describe('a reply', () => {
  it('joins the thread, with the whole chain of references and the subject of the thread', async () => {
    const { items } = await user.run('mail.search', { query: 'subject:"Lunch on Tuesday"' });
    const { thread } = items[0];
    const chain = [(await stored(items[0].id)).messageId];
    let latest = items[0].id;
    for (const text of ['First.', 'Second.', 'Third.']) {
      const sent = await user.approved('mail.send', { to: ['sarah.oconnor@example.net'], body: text, reply_to: latest });
      expect(sent.thread).toBe(thread);
      const mail = await stored(sent.id);
      expect(mail.subject).toBe('Re: Lunch on Tuesday?');
      expect(mail.inReplyTo).toBe(chain.at(-1));
      expect(mail.references?.split(/\s+/)).toEqual(chain);
      // The provider has replaced its Message-ID.
      chain.push(mail.messageId);
      latest = sent.id;
    }
    const { messages } = await user.run('mail.read', { thread });
    expect(messages.map(({ text }: { text: string }) => text.trim()).slice(1)).toEqual(['First.', 'Second.', 'Third.']);
  });

  it('continues a thread that others started, whatever the subject', async () => {
    const message = await user.find('subject:Übergabe');
    const before = await stored(message);
    const { id, thread } = await user.approved('mail.send', {
      to: ['b.lefevre@example.com'],
      subject: 'Something else',
      body: 'Danke!',
      reply_to: message,
    });
    const mail = await stored(id);
    expect(mail.subject).toBe('Re: Übergabe der Wohnung – Terminvorschlag');
    expect(mail.references?.split(/\s+/)).toEqual([...(before.references?.split(/\s+/) ?? []), before.messageId]);
    expect((await user.run('mail.read', { thread })).messages).toHaveLength(4);
  });

  it('is not sent if the original message is unknown', async () => {
    const before = await calls(SEND);
    for (const reply_to of ['19ffffffffffffff', 'r-123']) {
      const error = await user.refusal('mail.send', { to: ['a@example.org'], body: 'x', reply_to });
      expect(error).toMatchObject({ code: 'not_found', message: expect.stringMatching(/^reply_to: /) });
    }
    expect(await calls(SEND)).toBe(before);
  });
});

describe('mail.draft', () => {
  it('stores a draft and sends nothing', async () => {
    const before = await calls(SEND);
    const { id, message, thread } = await user.run('mail.draft', {
      to: ['a@example.org'],
      bcc: ['b@example.org'],
      subject: 'Entwurf ä',
      body: 'später',
    });
    expect(thread).toBe(message);
    expect((await user.run('mail.read', { message })).messages[0]).toMatchObject({
      labels: ['DRAFT'],
      subject: 'Entwurf ä',
      bcc: 'b@example.org',
    });
    const api = await mailApi(steward, user);
    expect((await api('drafts')).body.drafts).toEqual([{ id, message: { id: message, threadId: thread } }]);
    expect(await calls(SEND)).toBe(before);
  });

  it('drafts a reply into its thread', async () => {
    const { items } = await user.run('mail.search', { query: 'subject:"Lunch on Tuesday"' });
    const { message, thread } = await user.run('mail.draft', { to: ['sarah.oconnor@example.net'], body: 'Gladly.', reply_to: items[0].id });
    expect(thread).toBe(items[0].thread);
    expect(await stored(message)).toMatchObject({ subject: 'Re: Lunch on Tuesday?', inReplyTo: (await stored(items[0].id)).messageId });
  });
});

const GOOD = { to: ['a@example.org'], subject: 's', body: 'b' };
const file = (change: object) => ({ ...GOOD, attachments: [{ name: 'a.txt', text: 'x', ...change }] });

describe('input that would change the message’s structure', () => {
  it.each([
    ['to.0', 'a line break in an address', { ...GOOD, to: ['a@example.org\r\nBcc: evil@example.net'] }],
    ['to', 'a line break in a lone address', { ...GOOD, to: 'a@example.org\nBcc: evil@example.net' }],
    ['cc.1', 'a line break in a name', { ...GOOD, cc: ['b@example.org', 'Bob\r\nX: y <a@example.org>'] }],
    ['bcc.0', 'NUL in a name', { ...GOOD, bcc: ['Bob\u0000 <a@example.org>'] }],
    ['to.0', 'two addresses in one', { ...GOOD, to: ['a@example.org, evil@example.net'] }],
    ['to.0', 'an address inside a name', { ...GOOD, to: ['<evil@example.net> <a@example.org>'] }],
    ['to.0', 'a group', { ...GOOD, to: ['friends: a@example.org, b@example.org;'] }],
    ['to.0', 'no address', { ...GOOD, to: ['Bob'] }],
    ['to.0', 'an address that is none', { ...GOOD, to: [{ address: 'a@example.org' }] }],
    ['to.0', 'a direction mark in a name', { ...GOOD, to: ['Bob\u202egro.elpmaxe <a@example.org>'] }],
    ['to', 'no recipient', { ...GOOD, to: [] }],
    ['to', 'no recipients at all', { subject: 's', body: 'b' }],
    [
      'to',
      '101 recipients',
      { ...GOOD, to: Array.from({ length: 60 }, () => 'a@example.org'), bcc: Array.from({ length: 41 }, () => 'b@example.org') },
    ],
    ['cc', '101 copies', { ...GOOD, cc: Array.from({ length: 101 }, () => 'a@example.org') }],
    ['subject', 'CR LF in the subject', { ...GOOD, subject: 'Hi\r\nBcc: evil@example.net' }],
    ['subject', 'LF in the subject', { ...GOOD, subject: 'Hi\nX-Evil: 1' }],
    ['subject', 'CR in the subject', { ...GOOD, subject: 'Hi\rX-Evil: 1' }],
    ['subject', 'NEL in the subject', { ...GOOD, subject: 'Hi\u0085X-Evil: 1' }],
    ['subject', 'a line separator in the subject', { ...GOOD, subject: 'Hi\u2028X-Evil: 1' }],
    ['subject', 'an encoded word in the subject', { ...GOOD, subject: '=?utf-8?B?SGkNCkJjYzogYUBiLmM=?=' }],
    ['subject', 'half a character', { ...GOOD, subject: 'Hi \ud83c' }],
    ['subject', 'no subject', { to: ['a@example.org'], body: 'b' }],
    ['body', 'NUL in the body', { ...GOOD, body: 'a\u0000b' }],
    ['body', 'a body that is no text', { ...GOOD, body: { path: '/etc/passwd' } }],
    ['from: is unknown', 'a sender', { ...GOOD, from: 'boss@example.com' }],
    ['headers: is unknown', 'headers', { ...GOOD, headers: { Bcc: 'evil@example.net' } }],
    ['attachments.0.name', 'a line break in a file name', file({ name: 'a\r\nContent-Type: text/html' })],
    ['attachments.0.name', 'a path', file({ name: '../../etc/passwd' })],
    ['attachments.0.name', 'a direction mark in a file name', file({ name: 'fdp\u202eexe.pdf' })],
    ['attachments.0.mime', 'a line break in a media type', file({ mime: 'text/plain\r\nX: y' })],
    ['attachments.0.mime', 'a parameter in a media type', file({ mime: 'text/plain; boundary=x' })],
    ['attachments.0.mime', 'a multipart', file({ mime: 'multipart/mixed' })],
    ['attachments.0', 'a file of this machine', file({ path: '/etc/passwd' })],
    ['attachments.0', 'an address to fetch', file({ href: 'http://127.0.0.1/' })],
    ['attachments.0.text', 'two contents', file({ base64: 'eA==' })],
    ['attachments.0.base64', 'what is no base64', file({ text: undefined, base64: 'no base64!' })],
    ['reply_to', 'a path as id', { ...GOOD, reply_to: '../../x' }],
  ])('is rejected with its field (%s): %s', async (field, _what, input) => {
    const before = [await calls(SEND), await calls(`${GMAIL}/drafts`)];
    for (const action of ['mail.send', 'mail.draft']) {
      const error = await user.refusal(action, input);
      expect(error.code).toBe('invalid_request');
      expect(error.message).toContain(field);
    }
    expect([await calls(SEND), await calls(`${GMAIL}/drafts`)]).toEqual(before);
  });
});
