import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../support/scenes/flows.ts';
import { type MailUser, mailApi, newMailUser, startMail } from '../support/scenes/mail.ts';
import type { TestSteward } from '../support/steward.ts';

type Api = Awaited<ReturnType<typeof mailApi>>;

let steward: TestSteward;
let user: MailUser;
let api: Api;

beforeAll(async () => {
  steward = await startMail();
});

afterAll(() => steward.stop());

async function newMailbox(): Promise<void> {
  user = await newMailUser(steward);
  api = await mailApi(steward, user);
}

async function ids(q: string, rest = ''): Promise<string[]> {
  const { body } = await api(`messages?q=${encodeURIComponent(q)}${rest}`);
  return (body.messages ?? []).map(({ id }: { id: string }) => id);
}

async function subjects(q: string): Promise<string[]> {
  const found = await ids(q);
  const responses = await Promise.all(found.map((id) => api(`messages/${id}?format=metadata&metadataHeaders=subject`)));
  return responses.map(({ body }) => body.payload.headers[0].value);
}

function raw(headers: Record<string, string>, text = 'Hello'): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${lines.join('')}\r\n${text}`).toString('base64url');
}

/** The newest message of a search, complete. */
async function newest(q: string) {
  const [id] = await ids(q);
  return (await api(`messages/${id}`)).body;
}

const header = (message: any, name: string): string =>
  message.payload.headers.find((one: { name: string }) => one.name.toLowerCase() === name.toLowerCase())?.value;

describe('the mailbox', () => {
  beforeEach(newMailbox);

  it('is the same for an account in every sandbox, and differs between accounts', async () => {
    const list = async (of: Api) => (await of('messages?maxResults=500&includeSpamTrash=true')).body.messages;
    const own = await list(api);
    const other = await list(await mailApi(steward, await newMailUser(steward)));
    expect(other).toHaveLength(own.length);
    expect(other[0].id).not.toBe(own[0].id);
    const second = await startMail();
    try {
      await connect(second, { email: user.email });
      expect((await list(await mailApi(second, user))).map(({ id }: { id: string }) => id).toSorted()).toEqual(
        own.map(({ id }: { id: string }) => id).toSorted(),
      );
    } finally {
      await second.stop();
    }
  });

  it('has at least forty threads, with replies that refer to one another', async () => {
    const { body } = await api('profile');
    expect(body).toMatchObject({ emailAddress: user.email, messagesTotal: expect.any(Number), historyId: expect.any(String) });
    expect(body.threadsTotal).toBeGreaterThanOrEqual(40);
    const { threadId } = await newest('subject:"Aurora launch"');
    const { messages } = (await api(`threads/${threadId}`)).body;
    expect(messages).toHaveLength(6);
    const chain = messages.map((one: unknown) => header(one, 'Message-ID'));
    for (const [index, one] of messages.entries()) {
      expect(header(one, 'References')?.split(/\s+/) ?? []).toEqual(chain.slice(0, index));
      expect(header(one, 'In-Reply-To')).toBe(chain[index - 1]);
    }
  });

  it('keeps changes over a restart', async () => {
    const [id = ''] = await ids('Lunch');
    await api(`messages/${id}/trash`, {});
    await steward.control('state');
    steward = await steward.restart();
    api = await mailApi(steward, user);
    expect(await ids('Lunch')).toEqual([]);
    expect(await ids('Lunch in:trash')).toEqual([id]);
  });
});

describe('messages.list', () => {
  beforeAll(newMailbox);

  it.each([
    ['from:brigitte', ['Re: Übergabe der Wohnung – Terminvorschlag', 'Übergabe der Wohnung – Terminvorschlag']],
    ['from:b.lefevre@example.com subject:Übergabe -has:attachment', ['Übergabe der Wohnung – Terminvorschlag']],
    ['to:billing', ['Re: Question about the invoice from May', 'Question about the invoice from May']],
    ['subject:lunch', ['Lunch on Tuesday?']],
    ['"by the canal"', ['Lunch on Tuesday?']],
    ['"the by canal"', []],
    ['is:starred has:attachment', ['Budget for the offsite']],
    ['filename:budget.csv', ['Budget for the offsite']],
    ['label:projects-aurora from:tomas', ['Minutes of the backlog review']],
    ['label:família from:school', ['Réunion de parents']],
    ['in:spam', ['You have WON!!!']],
    ['in:trash', ['Old flyer']],
    ['flyer', []],
    ['flyer in:anywhere', ['Old flyer']],
    ['in:inbox is:unread subject:(check-in)', ['Check-in is open']],
    ['newer_than:2d from:code', ['[aurora/api] Build #481 failed', '[aurora/api] Pull request #77 merged']],
    ['older_than:24d', ['Police 88-1203']],
    ['before:2001/01/01', []],
    ['after:2001/01/01 subject:Quittung', ['Quittung über 14,60 €']],
    ['uber quittung', ['Quittung über 14,60 €']],
    ['nosuchoperator:x', []],
  ])('understands %s', async (q, expected) => {
    expect(await subjects(q)).toEqual(expected);
  });

  it('pages, and omits an empty list', async () => {
    const first = (await api('messages?maxResults=20')).body;
    expect(first.messages).toHaveLength(20);
    expect(first.resultSizeEstimate).toBeGreaterThan(50);
    const second = (await api(`messages?maxResults=20&pageToken=${first.nextPageToken}`)).body;
    expect(second.messages[0].id).not.toBe(first.messages[19].id);
    expect((await api('messages?q=nosuchword')).body).toEqual({ resultSizeEstimate: 0 });
    expect((await api('messages?pageToken=x')).status).toBe(400);
  });

  it('selects by labels', async () => {
    expect(await ids('', '&labelIds=INBOX&labelIds=UNREAD&maxResults=500')).toEqual(await ids('in:inbox is:unread', '&maxResults=500'));
  });
});

describe('messages.get', () => {
  beforeAll(newMailbox);

  it('returns decoded headers, text in UTF-8 and attachments with changing ids', async () => {
    const message = await newest('subject:Übergabe has:attachment');
    expect(header(message, 'Subject')).toBe('Re: Übergabe der Wohnung – Terminvorschlag');
    expect(header(message, 'From')).toBe('Brigitte Lefèvre <b.lefevre@example.com>');
    const { parts } = message.payload;
    expect(Buffer.from(parts[0].body.data, 'base64url').toString()).toBe('Sehr schön. Das Protokoll hängt an.');
    expect(parts[1]).toMatchObject({ partId: '1', filename: 'Übergabeprotokoll März.pdf', body: { attachmentId: expect.any(String) } });
    const again = (await api(`messages/${message.id}`)).body.payload.parts[1].body.attachmentId;
    expect(again).not.toBe(parts[1].body.attachmentId);
    for (const id of [again, parts[1].body.attachmentId]) {
      const { body } = await api(`messages/${message.id}/attachments/${id}`);
      expect(Buffer.from(body.data, 'base64url').subarray(0, 5).toString()).toBe('%PDF-');
    }
  });

  it('returns the original charset beside the text in UTF-8', async () => {
    const message = await newest('from:brigitte -has:attachment');
    expect(header(message, 'Content-Type')).toContain('iso-8859-1');
    expect(Buffer.from(message.payload.body.data, 'base64url').toString()).toContain('Mit freundlichen Grüßen');
  });

  it('supports the formats metadata, minimal and raw', async () => {
    const [id] = await ids('subject:Übergabe has:attachment');
    const metadata = (await api(`messages/${id}?format=metadata&metadataHeaders=SUBJECT`)).body;
    expect(metadata.payload.headers).toEqual([{ name: 'Subject', value: 'Re: Übergabe der Wohnung – Terminvorschlag' }]);
    expect((await api(`messages/${id}?format=minimal`)).body).not.toHaveProperty('payload');
    const { body } = await api(`messages/${id}?format=raw`);
    expect(Buffer.from(body.raw, 'base64url').toString()).toMatch(/\r\nSubject: =\?UTF-8\?B\?/);
  });

  it('returns only the requested fields', async () => {
    const [id] = await ids('Lunch');
    expect(Object.keys((await api(`messages/${id}?fields=id,payload/headers`)).body)).toEqual(['id', 'payload']);
  });
});

describe('rejections', () => {
  beforeAll(newMailbox);

  it.each([
    ['an unknown message', 'messages/19ffffffffffffff', 404, 'notFound'],
    ['an invalid id', 'messages/xyz', 400, 'invalidArgument'],
    ['an unknown thread', 'threads/19ffffffffffffff', 404, 'notFound'],
    ['an unknown draft', 'drafts/r1', 404, 'notFound'],
    ['an unknown format', 'messages/19ffffffffffffff?format=pdf', 400, 'invalidArgument'],
    ['another mailbox', '../other@example.com/profile', 403, 'forbidden'],
  ])('have the provider’s format: %s', async (_what, path, status, reason) => {
    const response = await api(path);
    expect(response.status).toBe(status);
    expect(response.body.error).toMatchObject({ code: status, errors: [{ reason }] });
  });

  it('begin when the minute’s units are used: 5 for a list, 20 for a message, 40 for a thread, 100 for sending', async () => {
    const { id, threadId } = await newest('Lunch');
    const fresh = async (units: number, work: () => Promise<{ status: number; body: any }>) => {
      await steward.control('clock', { advance_ms: 60_000 });
      await steward.control('workspace/quota', { api: 'gmail', units_per_minute: units });
      return work();
    };
    const send = () => api('messages/send', { raw: raw({ To: 'a@example.org', Subject: 'x' }) });
    for (const [units, work] of [
      [5, () => api('messages')],
      [20, () => api(`messages/${id}`)],
      [40, () => api(`threads/${threadId}`)],
      [100, send],
    ] as const) {
      expect((await fresh(units - 1, work)).body.error).toMatchObject({ code: 403, errors: [{ reason: 'rateLimitExceeded' }] });
      expect((await fresh(units, work)).status).toBe(200);
    }
    await steward.control('workspace/quota', { api: 'gmail', units_per_minute: 6000 });
    await steward.control('clock', { advance_ms: -8 * 60_000 });
  });
});

describe('messages.insert and import', () => {
  beforeEach(newMailbox);

  const received = {
    From: 'Eve <eve@example.net>',
    'Message-ID': '<1@example.net>',
    Date: 'Mon, 4 May 2026 10:00:00 +0200',
    Subject: 'Old',
  };

  it('store a message of others as it is', async () => {
    const { body } = await api('messages', { raw: raw(received), labelIds: ['INBOX', 'UNREAD'] });
    expect(body).toEqual({ id: expect.any(String), threadId: body.id, labelIds: ['INBOX', 'UNREAD'] });
    const stored = (await api(`messages/${body.id}`)).body;
    for (const [name, value] of Object.entries(received)) expect(header(stored, name)).toBe(value);
    expect(await ids('from:eve is:unread in:inbox')).toEqual([body.id]);
  });

  it.each([
    ['messages', false],
    ['messages?internalDateSource=dateHeader', true],
    ['messages/import', true],
    ['messages/import?internalDateSource=receivedTime', false],
  ])('date it: %s', async (path, byHeader) => {
    const { body } = await api(path, { raw: raw(received) });
    expect((await api(`messages/${body.id}`)).body.internalDate === String(Date.parse(received.Date))).toBe(byHeader);
  });

  it('reject an unknown label', async () => {
    expect((await api('messages', { raw: raw(received), labelIds: ['Label_99'] })).status).toBe(400);
  });
});

describe('an attached message', () => {
  beforeAll(newMailbox);

  it('is an attachment, with its own fields and parts below it', async () => {
    const inner = 'From: c@example.com\r\nSubject: Invoice\r\nContent-Type: text/plain\r\n\r\nPay 42';
    const outer = { 'Content-Type': 'multipart/digest; boundary=b' };
    const { body } = await api('messages', { raw: raw(outer, `--b\r\n\r\n${inner}\r\n--b--`) });
    const [part] = (await api(`messages/${body.id}`)).body.payload.parts;
    expect(part).toMatchObject({ partId: '0', mimeType: 'message/rfc822', body: { attachmentId: expect.any(String), size: inner.length } });
    expect(part.parts).toEqual([
      {
        ...{ partId: '0.0', mimeType: 'text/plain', filename: '' },
        headers: expect.arrayContaining([{ name: 'Subject', value: 'Invoice' }]),
        body: { size: 6, data: Buffer.from('Pay 42').toString('base64url') },
      },
    ]);
    const { data } = (await api(`messages/${body.id}/attachments/${part.body.attachmentId}`)).body;
    expect(Buffer.from(data, 'base64url').toString()).toBe(inner);
  });
});

describe('messages.send', () => {
  beforeEach(newMailbox);

  it('stores the message as sent by the account, with a Message-ID of the provider', async () => {
    const sent = {
      To: 'a@example.org',
      From: 'Boss <boss@example.com>',
      Subject: '=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
      'Message-ID': '<mine@example.org>',
    };
    const { body } = await api('messages/send', { raw: raw(sent) });
    expect(body).toEqual({ id: expect.any(String), threadId: body.id, labelIds: ['SENT'] });
    const message = await newest('in:sent Grüße');
    expect(message.id).toBe(body.id);
    expect(header(message, 'From')).toContain(user.email);
    expect(header(message, 'Message-ID')).not.toBe('<mine@example.org>');
    expect(header(message, 'Date')).toBeDefined();
    expect(Buffer.from(message.payload.body.data, 'base64url').toString()).toBe('Hello');
  });

  it.each([
    ['all three agree', { subject: 'Re: Lunch on Tuesday?', references: true }, true],
    ['the subject differs', { subject: 'Dinner', references: true }, false],
    ['there are no references', { subject: 'Re: Lunch on Tuesday?', references: false }, false],
  ])('joins a thread only if id, subject and references match: %s', async (_what, { subject, references }, joins) => {
    const lunch = await newest('Lunch');
    const headers = { To: 'a@example.org', Subject: subject, ...(references && { References: header(lunch, 'Message-ID') }) };
    const { body } = await api('messages/send', { raw: raw(headers), threadId: lunch.threadId });
    expect(body.threadId === lunch.threadId).toBe(joins);
  });

  it.each([
    ['no recipient', { raw: raw({ Subject: 'x' }) }, 400],
    ['no message', {}, 400],
    ['an unknown thread', { raw: raw({ To: 'a@example.org' }), threadId: '19ffffffffffffff' }, 404],
  ])('rejects %s', async (_what, body, status) => {
    expect((await api('messages/send', body)).status).toBe(status);
  });
});

describe('a draft', () => {
  beforeEach(newMailbox);

  it('gets a message with another id by each edit, and can be deleted', async () => {
    const { body: draft } = await api('drafts', { message: { raw: raw({ To: 'a@example.org', Subject: 'Draft' }) } });
    const { body: edited } = await api(`drafts/${draft.id}`, { message: { raw: raw({ To: 'b@example.org' }) } }, 'PUT');
    expect(edited.id).toBe(draft.id);
    expect(edited.message.id).not.toBe(draft.message.id);
    expect((await api(`messages/${draft.message.id}`)).status).toBe(404);
    expect(header((await api(`drafts/${draft.id}`)).body.message, 'To')).toBe('b@example.org');
    expect((await api(`drafts/${draft.id}`, undefined, 'DELETE')).status).toBe(204);
    expect((await api(`messages/${edited.message.id}`)).status).toBe(404);
    for (const [body, method] of [
      [{ message: { raw: raw({ To: 'b@example.org' }) } }, 'PUT'],
      [undefined, 'DELETE'],
    ] as const) {
      expect((await api(`drafts/${draft.id}`, body, method)).status).toBe(404);
    }
  });
});

describe('drafts', () => {
  beforeEach(newMailbox);

  it('are stored, listed, read and sent', async () => {
    const { body: draft } = await api('drafts', { message: { raw: raw({ To: 'a@example.org', Subject: 'Draft' }) } });
    expect((await api('drafts')).body.drafts).toEqual([
      { id: draft.id, message: { id: draft.message.id, threadId: draft.message.threadId } },
    ]);
    expect(header((await api(`drafts/${draft.id}`)).body.message, 'Subject')).toBe('Draft');
    const { body: sent } = await api('drafts/send', { id: draft.id });
    expect(sent).toMatchObject({ threadId: draft.message.threadId, labelIds: ['SENT'] });
    expect((await api('drafts')).body.drafts).toBeUndefined();
    expect((await api(`messages/${draft.message.id}`)).status).toBe(404);
  });
});

describe('changing messages', () => {
  beforeEach(newMailbox);

  it('batchModify changes all messages or none', async () => {
    const [lunch = '', parcel = ''] = [...(await ids('Lunch')), ...(await ids('from:parcel'))];
    expect((await api('messages/batchModify', { ids: [lunch, '19ffffffffffffff'], removeLabelIds: ['UNREAD'] })).status).toBe(404);
    expect((await api('messages/batchModify', { ids: [lunch], addLabelIds: ['Label_99'] })).status).toBe(400);
    expect(await ids('Lunch is:unread')).toEqual([lunch]);
    expect((await api('messages/batchModify', { ids: [lunch, parcel], addLabelIds: ['Label_1'], removeLabelIds: ['UNREAD'] })).status).toBe(
      204,
    );
    expect((await ids('label:travel -is:unread')).toSorted()).toEqual(expect.arrayContaining([lunch, parcel].toSorted()));
  });

  it.each([
    ['no label', {}, 'No label add or removes specified'],
    ['one label both ways', { addLabelIds: ['STARRED'], removeLabelIds: ['STARRED'] }, 'Cannot both add and remove the same label'],
    ['more than 100 labels', { addLabelIds: Array(101).fill('Label_1') }, 'Too many labels'],
  ])('modify and batchModify reject %s', async (_what, change, message) => {
    const [id = ''] = await ids('Lunch');
    for (const response of [await api(`messages/${id}/modify`, change), await api('messages/batchModify', { ids: [id], ...change })]) {
      expect({ status: response.status, error: response.body.error }).toMatchObject({ status: 400, error: { message } });
    }
  });

  it('modify, trash and untrash return the changed message', async () => {
    const [id = ''] = await ids('Lunch');
    expect((await api(`messages/${id}/modify`, { addLabelIds: ['STARRED'] })).body.labelIds).toContain('STARRED');
    expect((await api(`messages/${id}/trash`, {})).body.labelIds).toEqual(expect.not.arrayContaining(['INBOX']));
    expect((await api(`messages/${id}/untrash`, {})).body.labelIds).toEqual(expect.not.arrayContaining(['TRASH']));
    expect((await api(`messages/${id}/modify`, { addLabelIds: ['SENT'] })).status).toBe(400);
  });

  it('threads.trash takes the whole thread', async () => {
    const { threadId } = await newest('subject:"Aurora launch"');
    await api(`threads/${threadId}/trash`, {});
    expect(await ids('subject:"Aurora launch" in:trash')).toHaveLength(6);
    expect((await api('threads?q=subject:Aurora launch in:trash')).body.threads).toEqual([{ id: threadId, historyId: expect.any(String) }]);
  });
});
