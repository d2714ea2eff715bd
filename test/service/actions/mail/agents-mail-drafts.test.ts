import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../../../src/errors.ts';
import { type MailUser, mailApi, newMailUser } from '../../../support/scenes/mail.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';

let steward: TestSteward;
let user: MailUser;
let api: Awaited<ReturnType<typeof mailApi>>;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  user = await newMailUser(steward);
  api = await mailApi(steward, user);
});

const MAIL = {
  to: ['Ana <ana@example.org>'],
  cc: ['ben@example.org'],
  bcc: ['cy@example.org'],
  subject: 'Plan',
  body: 'At noon?',
  attachments: [{ name: 'plan.txt', text: 'the plan' }],
};

const person = (address: string) => expect.objectContaining({ kind: 'person', address });
const call = (action: string, input: object) => callAction(steward, action, input, { token: user.token });

/** A stored message, parsed by another library than the one that composed it. */
async function stored(id: string) {
  const { body } = await api(`messages/${id}?format=raw`);
  return PostalMime.parse(Buffer.from(body.raw, 'base64url'));
}

async function question(action: string, input: object): Promise<any> {
  const error = await user.refusal(action, input);
  expect(error.code).toBe('approval_required');
  return error.details;
}

async function decide(approvalId: string, input?: object): Promise<any> {
  const decision = { user: await steward.context.sessions.authenticate(user.token), surface: 'socket', approvalId, approved: true };
  return steward.context.executor
    .approve({ ...decision, ...(input && { input }), signal: new AbortController().signal })
    .catch((error: AppError) => error);
}

const drafts = async () => (await api('drafts')).body.drafts ?? [];

/** Replaces a draft's message, as its user does in the mail service. */
async function edit(id: string, headers: string, text = 'At noon?', type = 'text/plain'): Promise<void> {
  const raw = Buffer.from(`${headers}\r\nContent-Type: ${type}; charset=utf-8\r\n\r\n${text}`).toString('base64url');
  expect((await api(`drafts/${id}`, { message: { raw } }, 'PUT')).status).toBe(200);
}

describe('mail.drafts', () => {
  it('lists the drafts, newest first, by page and by words, as others’ text', async () => {
    const first = await user.run('mail.draft', MAIL);
    const second = await user.run('mail.draft', { to: ['dee@example.org'], subject: 'Other "words"', body: 'Tom & Jerry' });
    const { data, meta } = (await call('mail.drafts', { max: 1 })) as any;
    expect(data.items).toEqual([
      {
        id: second.id,
        message: second.message,
        thread: second.thread,
        to: 'dee@example.org',
        subject: 'Other "words"',
        date: expect.any(String),
        snippet: 'Tom & Jerry',
      },
    ]);
    expect(meta.labels).toMatchObject({ integrity: 'others', sources: [{ item: second.message, fields: expect.any(Array) }] });
    const { items, next } = await user.run('mail.drafts', { max: 1, page: data.next });
    expect(items).toMatchObject([{ id: first.id, to: 'Ana <ana@example.org>', cc: 'ben@example.org', bcc: 'cy@example.org' }]);
    expect(next).toBeUndefined();
    expect((await user.run('mail.drafts', { query: 'noon' })).items.map(({ id }: any) => id)).toEqual([first.id]);
    expect((await call('mail.read', { message: first.message })).meta.labels).toMatchObject({ integrity: 'others' });
  });

  it('is empty without drafts', async () => {
    expect(await user.run('mail.drafts')).toEqual({ items: [] });
  });
});

describe('mail.draft_update', () => {
  it('changes only what is given, and sends nothing', async () => {
    const { id, message } = await user.run('mail.draft', MAIL);
    const changed = await user.run('mail.draft_update', { id, cc: [], subject: 'Größe' });
    expect(changed.id).toBe(id);
    expect(changed.message).not.toBe(message);
    const mail = await stored(changed.message);
    expect(mail).toMatchObject({
      subject: 'Größe',
      to: [{ name: 'Ana', address: 'ana@example.org' }],
      bcc: [{ address: 'cy@example.org' }],
    });
    expect(mail.cc).toBeUndefined();
    expect(mail.text?.trimEnd()).toBe('At noon?');
    expect(mail.attachments.map(({ filename, content }) => [filename, Buffer.from(content as ArrayBuffer).toString()])).toEqual([
      ['plan.txt', 'the plan'],
    ]);
    const again = await user.run('mail.draft_update', { id, body: 'At one?', to: ['dee@example.org'] });
    expect(await stored(again.message)).toMatchObject({ subject: 'Größe', to: [{ address: 'dee@example.org' }], text: 'At one?\n' });
    expect(await drafts()).toHaveLength(1);
  });

  it('keeps a reply in its thread', async () => {
    const reply_to = await user.find('from:sarah');
    const { id, thread } = await user.run('mail.draft', { to: ['a@example.org'], body: 'x', reply_to });
    const { message } = await user
      .run('mail.read', { message: reply_to })
      .then(async () => user.run('mail.draft_update', { id, body: 'y' }));
    const mail = await stored(message);
    expect(mail.inReplyTo).toBe((await stored(reply_to)).messageId);
    expect((await user.run('mail.read', { message })).thread).toBe(thread);
  });

  it('keeps formatting unless the text changes, and names that hold commas', async () => {
    const { id } = await user.run('mail.draft', MAIL);
    const html = '<p>At <b>noon</b>?</p>';
    const to = 'To: =?utf-8?Q?M=C3=BCller=2C_Ana?= <ana@example.org>, "Lee, Bo" <bo@example.org>';
    await edit(id, `${to}\r\nSubject: Rich`, html, 'text/html');
    const { message } = await user.run('mail.draft_update', { id, subject: 'Richer' });
    const mail = await stored(message);
    expect(mail.html?.trim()).toBe(html);
    expect(mail.to).toEqual([
      { name: 'Müller, Ana', address: 'ana@example.org' },
      { name: 'Lee, Bo', address: 'bo@example.org' },
    ]);
    expect((await stored((await user.run('mail.draft_update', { id, body: 'Plain' })).message)).html).toBeUndefined();
  });

  it('rejects no change, and a draft that doesn’t exist', async () => {
    const { id } = await user.run('mail.draft', MAIL);
    expect(await user.refusal('mail.draft_update', { id })).toMatchObject({ code: 'invalid_request' });
    expect(await user.refusal('mail.draft_update', { id: 'r-1', body: 'x' })).toMatchObject({ code: 'not_found' });
  });
});

describe('mail.draft_send', () => {
  it('asks with recipients, subject, text and files as the provider has them, and sends exactly that', async () => {
    const { id, message } = await user.run('mail.draft', MAIL);
    const { summary, audience, approvalId } = await question('mail.draft_send', { id });
    // The provider adds the name.
    const from = `from “${(await stored(message)).from?.name}” <${user.email}>`;
    expect(summary).toBe(
      `Send to “Ana” <ana@example.org>; cc ben@example.org; bcc cy@example.org; ${from}: the draft “Plan”, with the text “At noon?”, with “plan.txt” (“text/plain”, 8 bytes)`,
    );
    expect(audience).toEqual([person('ana@example.org'), person('ben@example.org'), person('cy@example.org')]);
    const { data } = await decide(approvalId);
    expect(await stored(data.id)).toMatchObject({ subject: 'Plan', text: 'At noon?\n' });
    expect(await drafts()).toEqual([]);
  });

  it('quotes what the draft says', async () => {
    const { id } = await user.run('mail.draft', { ...MAIL, body: 'Hi”, inviting nobody\n\u202eSend to: me\n' });
    const { summary } = await question('mail.draft_send', { id });
    expect(summary).toContain("with the text “Hi', inviting nobody Send to: me”, with");
  });

  it.each([
    ['a recipient', 'To: ana@example.org, eve@example.net\r\nSubject: Plan', 'At noon?'],
    ['the text', 'To: Ana <ana@example.org>\r\nCc: ben@example.org\r\nBcc: cy@example.org\r\nSubject: Plan', 'At one?'],
    ['nothing that is seen', 'To: Ana <ana@example.org>\r\nCc: ben@example.org\r\nBcc: cy@example.org\r\nSubject: Plan', 'At noon?'],
  ])('isn’t sent if someone edits it after the question: %s', async (_what, headers, text) => {
    const { id } = await user.run('mail.draft', { ...MAIL, attachments: [] });
    const { approvalId } = await question('mail.draft_send', { id });
    await edit(id, headers, text);
    expect(await decide(approvalId)).toMatchObject({ code: 'conflict' });
    expect(await drafts()).toHaveLength(1);
    const again = await question('mail.draft_send', { id });
    expect(again.approvalId).not.toBe(approvalId);
    expect((await decide(again.approvalId)).data.id).toEqual(expect.any(String));
    expect(await drafts()).toEqual([]);
  });

  it.each([
    ['a group', 'To: friends: ana@example.org, eve@example.net;', ['ana@example.org', 'eve@example.net'], false],
    ['an address in a name', 'To: "ana@example.org" <eve@example.net>', ['eve@example.net'], false],
    ['an address as another’s name', 'To: ana@example.org <eve@example.net>', ['eve@example.net'], true],
    ['an encoded address', 'To: =?utf-8?Q?<ana@example.org>,?= <eve@example.net>', ['eve@example.net'], false],
    ['two fields', 'To: ana@example.org\r\nTo: eve@example.net', ['ana@example.org', 'eve@example.net'], false],
    ['what can’t be read', 'To: ana@example.org, "x y"@example.net <', ['ana@example.org'], true],
  ])('tells every recipient: %s', async (_what, headers, known, isUnknown) => {
    const { id } = await user.run('mail.draft', MAIL);
    await edit(id, `${headers}\r\nSubject: Plan`);
    const { audience, summary } = await question('mail.draft_send', { id });
    const addresses = audience.flatMap(({ address }: any) => address ?? []);
    expect(addresses).toEqual(expect.arrayContaining(known));
    expect(audience.some(({ kind }: any) => kind === 'unknown')).toBe(isUnknown);
    expect(summary.includes('; possibly others; from “')).toBe(isUnknown);
  });

  it('shows a long text to its end, on the page too', async () => {
    const { id } = await user.run('mail.draft', { ...MAIL, body: `${'Lorem ipsum. '.repeat(1_000)}And wire 900 to Eve.` });
    const { summary } = await question('mail.draft_send', { id });
    expect(summary).toContain('Lorem ipsum. And wire 900 to Eve.”, with “plan.txt”');
    const long = await user.run('mail.draft', { ...MAIL, body: `${'Lorem ipsum. '.repeat(2_000)}And wire 900 to Eve.` });
    expect(await user.refusal('mail.draft_send', { id: long.id })).toMatchObject({ code: 'too_large' });
  });

  it('shows each alternative, and what HTML hides', async () => {
    const { id } = await user.run('mail.draft', MAIL);
    const part = (type: string, text: string) => `--b\r\nContent-Type: text/${type}; charset=utf-8\r\n\r\n${text}\r\n`;
    const html =
      '<p>Wire 900.</p><div style="display:none">To Eve.</div><textarea>By noon.</textarea><a href="https://evil.example/x">Ok</a>';
    const body = `${part('plain', 'Hello.')}${part('html', html)}--b--\r\n`;
    const headers = 'To: ana@example.org\r\nReply-To: "Ana <ana@example.org>" <eve@example.net>\r\nSubject: Plan';
    const raw = Buffer.from(`${headers}\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n${body}`).toString('base64url');
    expect((await api(`drafts/${id}`, { message: { raw } }, 'PUT')).status).toBe(200);
    const { summary } = await question('mail.draft_send', { id });
    for (const text of ['Hello.', 'Wire 900.', 'To Eve.', 'By noon.', 'https://evil.example/x']) expect(summary).toContain(text);
    expect(summary).toContain('; replies to “Ana <ana@example.org>” <eve@example.net>: the draft “Plan”');
  });

  it('is shown before it is sent in place of another one', async () => {
    const [first, second] = [await user.run('mail.draft', MAIL), await user.run('mail.draft', { ...MAIL, body: 'Send money.' })];
    const { approvalId } = await question('mail.draft_send', { id: first.id });
    const error = await decide(approvalId, { id: second.id });
    expect(error).toMatchObject({ code: 'approval_required', details: { approvalId, summary: expect.stringContaining('“Send money.”') } });
    expect(await drafts()).toHaveLength(2);
    expect((await decide(approvalId)).data.id).toEqual(expect.any(String));
    expect((await drafts()).map(({ id }: { id: string }) => id)).toEqual([first.id]);
  });

  it('doesn’t ask about a draft that doesn’t exist, or goes to nobody', async () => {
    expect(await user.refusal('mail.draft_send', { id: 'r-1' })).toMatchObject({ code: 'not_found' });
    const { id } = await user.run('mail.draft', MAIL);
    await edit(id, 'Subject: Plan');
    expect(await user.refusal('mail.draft_send', { id })).toMatchObject({ code: 'invalid_request' });
  });
});

describe('mail.draft_delete', () => {
  it('asks, naming the draft, and deletes it', async () => {
    const { id } = await user.run('mail.draft', MAIL);
    const { summary, approvalId } = await question('mail.draft_delete', { id });
    expect(summary).toMatch(
      /^Delete permanently, without sending it to “Ana” <ana@example\.org>.*: the draft “Plan”, with the text “At noon\?”/,
    );
    await edit(id, 'To: ana@example.org\r\nSubject: Plan', 'At one?');
    expect(await decide(approvalId)).toMatchObject({ code: 'conflict' });
    const again = await question('mail.draft_delete', { id });
    expect((await decide(again.approvalId)).data).toEqual({ deleted: id });
    expect(await drafts()).toEqual([]);
  });
});
