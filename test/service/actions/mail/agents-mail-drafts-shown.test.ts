import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../../../src/errors.ts';
import { type ApiScene, startApiScene } from '../../../support/scenes/api-scene.ts';
import { type MailUser, mailUser } from '../../../support/scenes/mail.ts';

let scene: ApiScene;
let user: MailUser;

beforeAll(async () => {
  scene = await startApiScene();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.api.reset();
  const { token, email } = await scene.connect();
  user = mailUser(scene.steward, token, email);
});

type Field = [name: string, value: string];
interface Part {
  type?: string;
  text?: string;
  fileName?: string;
}

const part = ({ type = 'text/plain', text = 'Hello', fileName }: Part, headers: readonly Field[] = []) => ({
  mimeType: type,
  headers: headers.map(([name, value]) => ({ name, value })),
  body: { size: text.length, data: Buffer.from(text).toString('base64url') },
  ...(fileName !== undefined && { filename: fileName }),
});

/** What comes of the call about a draft with these header fields and parts. */
async function refusal(headers: readonly Field[], parts: readonly Part[] = [{}], action = 'mail.draft_send'): Promise<AppError> {
  const subject: Field[] = headers.some(([name]) => name === 'Subject') ? [] : [['Subject', 'Plan']];
  const all: Field[] = [['To', 'ana@example.org'], ...subject, ...headers];
  const payload = { ...part({ type: 'multipart/mixed', text: '' }, all), parts: parts.map((one) => part(one)) };
  const message = { id: 'm1', threadId: 't1', labelIds: ['DRAFT'], internalDate: '1767225600000', payload };
  scene.api.on('/gmail/v1/users/me/drafts/r1', { body: { id: 'r1', message } });
  return user.refusal(action, { id: 'r1' });
}

async function question(...about: Parameters<typeof refusal>): Promise<string> {
  const { code, details } = await refusal(...about);
  expect(code).toBe('approval_required');
  return String(details?.summary);
}

const html = (text: string): Part[] => [{ type: 'text/html', text }];
const TO = 'to ana@example.org';
const DRAFT = 'the draft “Plan”, with the text “Hello”';

describe('the question about a draft shows of its header', () => {
  it.each<[string, Field, string]>([
    ['another sender', ['From', 'ben@example.net'], '; from ben@example.net: '],
    ['who sends for someone', ['Sender', 'ben@example.net'], '; sent by ben@example.net: '],
    ['who gets the replies', ['Reply-To', 'ben@example.net'], '; replies to ben@example.net: '],
    ['a group', ['Cc', 'Zebra: ben@example.net;'], ', with the header field “Cc” “Zebra: ben@example.net;”'],
    ['a comment', ['Cc', 'ben@example.net (Zebra)'], ', with the header field “Cc” “ben@example.net (Zebra)”'],
    ['what isn’t an address', ['Cc', 'Zebra <'], ', with the header field “Cc” “Zebra <”'],
    ['a long name', ['Cc', `"${'x'.repeat(100)} Zebra" <ben@example.net>`], 'x Zebra'],
    ['an encoded address', ['Mail-Reply-To', '=?utf-8?Q?ben=40example.net?='], ', with the header field “Mail-Reply-To” “ben@example.net”'],
    ...['Mail-Followup-To', 'Disposition-Notification-To', 'Return-Receipt-To', 'Errors-To', 'Resent-To', 'To '].map(
      (name): [string, Field, string] => [name, [name, 'ben@example.net'], `“${name}” “ben@example.net”`],
    ),
    [
      'List-Unsubscribe',
      ['List-Unsubscribe', '<https://example.net/>'],
      ', with the header field “List-Unsubscribe” “<https://example.net/>”',
    ],
  ])('%s', async (_what, field, expected) => {
    expect(await question([field])).toContain(expected);
    expect(await question([field], [{}], 'mail.draft_delete')).toContain(expected);
  });

  it('the name under which the account sends', async () => {
    const from: Field = ['From', `"Zebra Bank" <${user.email}>`];
    expect(await question([from])).toBe(`Send ${TO}; from “Zebra Bank” <${user.email}>: ${DRAFT}`);
  });

  it('nothing of the fields that every message has', async () => {
    const ids: Field[] = [
      ['From', user.email],
      ['Message-ID', '<a@example.net>'],
      ['References', '<b@example.net>'],
      ['In-Reply-To', '<b@example.net>'],
      ['Content-Type', 'multipart/mixed; boundary="a@b"'],
      ['Date', 'Thu, 1 Jan 2026 00:00:00 +0000'],
      ['X-Mailer', 'Program'],
    ];
    expect(await question(ids)).toBe(`Send ${TO}: ${DRAFT}`);
  });

  it('the fields after hundreds of others', async () => {
    const others = Array.from({ length: 600 }, (_, index): Field => [`X-${index}`, 'x']);
    expect(await question([...others, ['Bcc', 'ben@example.net']])).toContain('bcc ben@example.net');
  });

  it('a subject and the names of files to their end', async () => {
    const [subject, fileName] = [`${'Lunch '.repeat(200)}zebra`, `${'x'.repeat(240)}zebra.txt`];
    const summary = await question([['Subject', subject]], [{}, { fileName }]);
    expect(summary).toContain(`the draft “${subject}”`);
    expect(summary).toContain(`“${fileName}” (“text/plain”, 5 bytes)`);
  });

  it('a second subject', async () => {
    const subjects: Field[] = [
      ['Subject', 'Plan'],
      ['subject', 'Zebra'],
    ];
    expect(await question(subjects)).toBe(`Send ${TO}: ${DRAFT}, with the header field “subject” “Zebra”`);
  });
});

describe('the question about a draft shows of its text', () => {
  it('what is in its HTML besides the text that is displayed', async () => {
    const summary = await question(
      [],
      html('<p title="By noon.">Hello</p><!--[if mso]>Wire 900.<![endif]--><img src="https://example.net/a" alt="To Eve.">'),
    );
    expect(summary).toContain('with the text “Hello Also in its HTML: By noon.; Wire 900.; https://example.net/a; To Eve.”');
  });

  it('each text once', async () => {
    const summary = await question(
      [],
      [{}, { text: 'Hello ' }, ...html('<p>Hello</p>'), ...html('<p title=a>Hello</p>'), ...html('<p title=a>Bye</p>')],
    );
    expect(summary).toContain('with the text “Hello Also in its HTML: a Bye”');
  });

  it('a part after two long ones that are alike', async () => {
    const text = 'x'.repeat(15_000);
    expect(await question([], [{ text }, { text }, { text: 'Wire 900.' }])).toContain('Wire 900.');
  });
});

describe('no one is asked about a draft that can’t be shown in full', () => {
  it.each<[string, Field[], Part[]]>([
    ['its HTML is too long to be read', [], html(`<!--${' '.repeat(300_000)}--><p>Wire 900.</p>`)],
    [
      'its HTML is too long to be read together',
      [],
      [...html(`<!--${' '.repeat(299_000)}-->`), ...html(`<!--${' '.repeat(2_000)}--><p>Wire 900.</p>`)],
    ],
    ['its text is too long', [], [{ text: 'x'.repeat(20_001) }]],
    ['it holds too much besides its text', [], html(`<p title="${'x'.repeat(20_000)}">Hello</p>`)],
    ['a link is too long', [], html(`<a href="https://example.net/${'x'.repeat(20_000)}">Hello</a>`)],
    ['its subject is too long', [['Subject', 'x'.repeat(20_001)]], [{}]],
    ['its subject ends after many encoded words', [['Subject', `${'=?utf-8?Q??= '.repeat(8_000)}Wire 900.`]], [{}]],
    ['a header field is too long', [['List-Unsubscribe', `<https://example.net/${'x'.repeat(20_000)}>`]], [{}]],
    ['the name of a file is cut', [], [{}, { fileName: `${'x'.repeat(255)}zebra.txt` }]],
    ['all together is too much', [['List-Unsubscribe', `<https://example.net/${'x'.repeat(11_000)}>`]], [{ text: 'x'.repeat(10_000) }]],
  ])('because %s', async (_why, headers, parts) => {
    expect(await refusal(headers, parts)).toMatchObject({ code: 'too_large', message: expect.stringMatching(/^id: /) });
  });
});
