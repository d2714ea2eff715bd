import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WorkspaceEmulator } from '../../../support/emulators/workspace-emulator.ts';
import { type MailUser, mailUser, startMail } from '../../../support/scenes/mail.ts';
import { ScriptedServer } from '../../../support/servers/scripted-server.ts';
import type { TestSteward } from '../../../support/steward.ts';
import { connectGrant } from '../../../support/users/refreshing.ts';

const ROOT = '/gmail/v1/users/me';
const EVIL = 'evil@evil.example';

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

/** The message as mail.read, mail.search and mail.drafts show it, whose provider answers with these header fields. */
async function shownBy(...fields: [name: string, value: string][]) {
  const headers = [...fields, ['Subject', 's'] as const].map(([name, value]) => ({ name, value }));
  const payload = { mimeType: 'text/plain', headers, body: { size: 1, data: 'eA' } };
  const message = { id: 'm1', threadId: 't1', labelIds: ['INBOX'], internalDate: '1764150000000', payload };
  api.on(`${ROOT}/messages/m1`, { body: message });
  api.on(`${ROOT}/messages`, { body: { messages: [{ id: 'm1', threadId: 't1' }] } });
  api.on(`${ROOT}/drafts`, { body: { drafts: [{ id: 'r1', message: { id: 'm1', threadId: 't1' } }] } });
  const { messages } = await user.run('mail.read', { message: 'm1' });
  const found = await user.run('mail.search');
  const drafts = await user.run('mail.drafts');
  return { read: messages[0], found: found.items[0], draft: drafts.items[0] };
}

describe('addresses in results', () => {
  it.each([
    ['an encoded comma', '=?utf-8?q?Doe=2C_John?= <john@example.com>', '"Doe, John" <john@example.com>'],
    ['an encoded address', `=?utf-8?q?Boss_=3Cboss=40corp.example=3E=2C?= <${EVIL}>`, `"Boss <boss@corp.example>," <${EVIL}>`],
    ['an encoded address in base64', `=?utf-8?b?Y2ZvQGNvcnAuZXhhbXBsZSwg?= <${EVIL}>`, `"cfo@corp.example," <${EVIL}>`],
    ['an encoded address as the name', `=?utf-8?q?boss=40corp.example?= <${EVIL}>`, `"boss@corp.example" <${EVIL}>`],
    ['an encoded quotation mark', `=?utf-8?q?=22_=3Cboss=40corp.example=3E?= <${EVIL}>`, `"\\" <boss@corp.example>" <${EVIL}>`],
    ['an encoded line break', `=?utf-8?q?a=0D=0ATo=3A_b?= <${EVIL}>`, `"a  To: b" <${EVIL}>`],
    ['an encoded name of another script', '=?utf-8?q?J=C3=BCrgen?= <j@example.com>', 'Jürgen <j@example.com>'],
    ['a quoted address', `"boss@corp.example" <${EVIL}>`, `"boss@corp.example" <${EVIL}>`],
    ['no address', 'Mail Delivery', '"Mail Delivery"'],
    ['nothing', '', ''],
  ])('are syntax only where the sender wrote syntax: %s', async (_what, value, expected) => {
    const { read, found, draft } = await shownBy(['From', value], ['To', value], ['Cc', value], ['Bcc', value], ['Reply-To', value]);
    expect(read).toMatchObject({ from: expected, to: expected, cc: expected, bcc: expected, reply_to: expected });
    expect(found.from).toBe(expected);
    expect(draft).toMatchObject({ to: expected, cc: expected, bcc: expected });
  });

  it('are whole in a long list, whose rest is counted where other messages are shown, too', async () => {
    const people = Array.from({ length: 70 }, (_, index) => `Person Number ${index} <person.number.${index}@department.example.com>`);
    const { read, draft } = await shownBy(['From', EVIL], ['To', people.join(', ')], ['Cc', people.join(',\r\n ')]);
    for (const list of [read.to, read.cc]) expect(list.split(', ')).toEqual(people);
    for (const list of [draft.to, draft.cc]) {
      const shown = list.split(', ');
      const more = Number(/^and (\d+) more$/.exec(shown.pop())?.[1]);
      expect(shown).toEqual(people.slice(0, shown.length));
      expect(shown.length + more).toBe(70);
      expect(shown.length).toBeGreaterThan(20);
    }
  });

  it('are counted even where a list is too long to read', async () => {
    const { read } = await shownBy(['From', EVIL], ['To', `${'a@example.com, '.repeat(10_000)}victim@example.com.evil`]);
    expect(read.to).toMatch(/^(a@example\.com, )+and others$/);
  });

  it.each([
    ['a long name', 'Boss '.repeat(1_000)],
    ['a long quoted name', `"${'Boss, '.repeat(1_000)}"`],
    ['a long encoded name', `=?utf-8?q?${'=F0=9F=98=80'.repeat(400)}?=`],
    ['a long comment', `Boss (${'x'.repeat(5_000)})`],
  ])('are there behind %s', async (_what, name) => {
    const { read, found, draft } = await shownBy(['From', `${name} <${EVIL}>`], ['To', `${name} <${EVIL}>`]);
    for (const text of [read.from, read.to, found.from, draft.to]) {
      expect(text).toMatch(new RegExp(`<${EVIL}>$`));
      expect(text.length).toBeLessThan(250);
      expect(text.isWellFormed()).toBe(true);
    }
  });

  it('are those of every field of a name', async () => {
    const { read } = await shownBy(['From', 'a@example.com'], ['From', EVIL], ['To', 'b@example.com'], ['To', 'c@example.com']);
    expect(read).toMatchObject({ from: `a@example.com, ${EVIL}`, to: 'b@example.com, c@example.com' });
  });
});
