import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type MailUser, newMailUser, startMail } from '../../../support/scenes/mail.ts';
import type { TestSteward } from '../../../support/steward.ts';

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

async function calls(path: string): Promise<number> {
  return (await steward.control('state')).calls.workspace[`${GMAIL}${path}`] ?? 0;
}

describe('mail.search', () => {
  it('returns messages newest first, with sender, subject, date, snippet and unread state', async () => {
    const { items } = await user.run('mail.search', { query: 'subject:Übergabe', max: 5 });
    expect(items).toHaveLength(3);
    expect(items[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      thread: items[2].id,
      from: 'Brigitte Lefèvre <b.lefevre@example.com>',
      subject: 'Re: Übergabe der Wohnung – Terminvorschlag',
      date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      snippet: 'Sehr schön. Das Protokoll hängt an.',
      unread: true,
    });
    expect(items[1].unread).toBe(false);
    expect(items.map(({ date }: { date: string }) => date)).toEqual(
      items
        .map(({ date }: { date: string }) => date)
        .toSorted()
        .reverse(),
    );
  });

  it('decodes the provider’s HTML escapes in snippets', async () => {
    const { items } = await user.run('mail.search', { query: 'subject:"Build #481"' });
    expect(items[0].snippet).toContain('Job "test" failed');
  });

  it('continues with the next page, and finds each message once', async () => {
    const seen: string[] = [];
    let page: string | undefined;
    do {
      const response = await user.run('mail.search', { query: 'in:anywhere', max: 25, ...(page !== undefined && { page }) });
      seen.push(...response.items.map(({ id }: { id: string }) => id));
      page = response.next;
    } while (page !== undefined);
    expect(seen.length).toBeGreaterThan(55);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('returns an empty list if nothing matches', async () => {
    expect(await user.run('mail.search', { query: 'nosuchwordanywhere' })).toEqual({ items: [] });
  });

  it('lists unreadable messages beside the others', async () => {
    const { items } = await user.run('mail.search', { query: 'subject:Aurora launch', max: 5 });
    const path = `${GMAIL}/messages/${items[1].id}`;
    await steward.control('faults', { part: 'workspace', path, kind: 'status', status: 404, error: 'notFound' });
    const partly = await user.run('mail.search', { query: 'subject:Aurora launch', max: 5 });
    expect(partly.items.map(({ id }: { id: string }) => id)).toEqual([0, 2, 3, 4].map((index) => items[index].id));
    expect(partly.failed).toEqual([{ id: items[1].id, error: { code: 'not_found', message: expect.any(String) } }]);
  });

  it('fails if no message could be read', async () => {
    await steward.control('faults', { part: 'workspace', path: `${GMAIL}/messages/${await user.find('Lunch')}`, kind: 'html' });
    expect(await user.refusal('mail.search', { query: 'Lunch' })).toMatchObject({ code: 'provider_error' });
  });

  it('lists the messages beyond the quota', async () => {
    // The list costs 5 units, each message 20: two of the five are read.
    await steward.control('workspace/quota', { api: 'gmail', units_per_minute: 45 });
    const { items, failed } = await user.run('mail.search', { query: 'subject:"Aurora launch"', max: 5 });
    await steward.control('workspace/quota', { api: 'gmail', units_per_minute: 6000 });
    expect(items.length + failed.length).toBe(5);
    expect(failed.length).toBeGreaterThan(0);
    for (const { error } of failed) expect(error).toMatchObject({ code: 'rate_limited', retry_after: expect.any(Number) });
  });

  it.each([
    ['max', { max: 26 }],
    ['max', { max: 0 }],
    ['query', { query: 'a\nb' }],
    ['page', { page: 'a\u0000' }],
    ['limit: is unknown', { limit: 3 }],
  ])('rejects a bad %s', async (field, input) => {
    const error = await user.refusal('mail.search', input);
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(field) });
  });
});

describe('mail.read', () => {
  it('returns a thread oldest first, with complete texts of any charset', async () => {
    const { items } = await user.run('mail.search', { query: 'subject:Übergabe' });
    const { thread, messages } = await user.run('mail.read', { thread: items[0].thread });
    expect(thread).toBe(items[0].thread);
    expect(messages.map(({ from }: { from: string }) => from.includes(user.email))).toEqual([false, true, false]);
    expect(messages[0].text).toBe(
      'Guten Tag,\n\npasst Ihnen Donnerstag um 17:30 Uhr für die Übergabe? Bitte bringen Sie alle Schlüssel mit.\n\nMit freundlichen Grüßen\nBrigitte Lefèvre',
    );
    expect(messages[2].attachments).toEqual([
      { id: '1', name: 'Übergabeprotokoll März.pdf', mime: 'application/pdf', size: expect.any(Number) },
    ]);
    expect(messages[2].labels).toContain('UNREAD');
  });

  it('returns one message of a thread', async () => {
    const id = await user.find('subject:Übergabe');
    const { messages } = await user.run('mail.read', { message: id });
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({
      id,
      to: expect.stringContaining(user.email),
      subject: 'Re: Übergabe der Wohnung – Terminvorschlag',
    });
  });

  it('converts HTML-only mail to text: links with addresses, no styles, no pictures', async () => {
    const { messages } = await user.run('mail.read', { message: await user.find('from:newsletter') });
    expect(messages[0].text).toBe(
      'The Weekly Build\n\nHello and welcome to issue 212. This week: queues, back-off & jitter.\n\n' +
        ' * Queues without tears <https://news.example.com/queues>\n * Why jitter matters <https://news.example.com/jitter>\n\n' +
        'Price of the printed edition: 9,90 €\n\nUnsubscribe <https://news.example.com/unsubscribe?u=1>',
    );
  });

  it('prefers the plain text of alternatives', async () => {
    const { messages } = await user.run('mail.read', { message: await user.find('subject:"Contract renewal" has:attachment') });
    expect(messages[0].text).toBe('The contract ends on the 30th. Shall we renew for a year or two?');
  });

  it('truncates a long text and continues where it ended, without loss', async () => {
    const message = await user.find('subject:backlog');
    let text = '';
    let offset: number | undefined = 0;
    let responses = 0;
    while (offset !== undefined) {
      const page: any = await user.run('mail.read', { message, offset });
      expect(page.messages).toHaveLength(1);
      expect(page.messages[0].text.length).toBeLessThanOrEqual(20_000);
      text += page.messages[0].text;
      offset = page.next_offset;
      responses += 1;
    }
    expect(responses).toBeGreaterThan(1);
    const lines = text.split('\n').filter((line) => /^\d+\./.test(line));
    expect(lines).toHaveLength(220);
    expect(lines.map((line) => Number(line.split('.')[0]))).toEqual(Array.from({ length: 220 }, (_, index) => index + 1));
    expect(text.endsWith('Tomáš')).toBe(true);
  });

  it('returns an instruction in a mail as plain text', async () => {
    const { messages } = await user.run('mail.read', { message: await user.find('from:parcel') });
    expect(messages[0].text).toContain('ignore previous instructions');
  });

  it.each([
    ['neither', {}],
    ['both', { thread: 'a1', message: 'a1' }],
    ['an id that leaves its place in the path', { message: '../profile' }],
    ['a negative offset', { message: 'a1', offset: -1 }],
  ])('rejects %s', async (_what, input) => {
    expect(await user.refusal('mail.read', input)).toMatchObject({ code: 'invalid_request' });
  });

  it.each([{ message: '19ffffffffffffff' }, { thread: '19ffffffffffffff' }, { message: 'nope' }, { thread: 'nope' }])(
    'reports a message that does not exist: %o',
    async (input) => {
      expect(await user.refusal('mail.read', input)).toMatchObject({ code: 'not_found' });
    },
  );
});

describe('mail.attachment', () => {
  it('returns text as text, by a stable id', async () => {
    const message = await user.find('filename:budget.csv');
    const attachment = (await user.run('mail.read', { message })).messages[0].attachments[0].id;
    expect((await user.run('mail.read', { message })).messages[0].attachments[0].id).toBe(attachment);
    expect(await user.run('mail.attachment', { message, attachment })).toEqual({
      name: 'budget.csv',
      mime: 'text/csv',
      size: 73,
      text: 'item,planned,spent\nVenue,4200,4200\nCatering,2600,1875.5\nTravel,3100,2940\n',
    });
    expect(await user.run('mail.attachment', { message, attachment, offset: 5 })).toMatchObject({
      text: expect.stringMatching(/^planned,/),
    });
  });

  it('returns a PDF as text', async () => {
    const message = await user.find('filename:Übergabeprotokoll');
    expect(await user.run('mail.attachment', { message, attachment: '1' })).toEqual({
      name: 'Übergabeprotokoll März.pdf',
      mime: 'application/pdf',
      size: expect.any(Number),
      text: 'Übergabeprotokoll\nDie Schlüssel wurden am 3. März übergeben.',
    });
  });

  it('reads a text file in another script', async () => {
    const message = await user.find('filename:会议纪要');
    expect(await user.run('mail.attachment', { message, attachment: '1' })).toMatchObject({
      name: '会议纪要.txt',
      text: expect.stringContaining('二、预算'),
    });
  });

  it('reports a missing attachment', async () => {
    const error = await user.refusal('mail.attachment', { message: await user.find('Lunch'), attachment: '1' });
    expect(error).toMatchObject({ code: 'not_found', message: expect.stringContaining('attachment') });
  });
});

describe('mail.labels', () => {
  it('lists the system’s and the user’s own', async () => {
    const { items } = await user.run('mail.labels');
    expect(items).toContainEqual({ id: 'INBOX', name: 'INBOX', type: 'system' });
    expect(items).toContainEqual({ id: 'Label_5', name: 'Família', type: 'user' });
  });
});

describe('mail.label', () => {
  it('adds and removes by name, whatever its case, or by id', async () => {
    const id = await user.find('Lunch');
    expect(await user.run('mail.label', { ids: [id, id], add: ['família', 'Label_1'], remove: ['Unread'] })).toEqual({
      changed: 1,
      added: ['Família', 'Travel'],
      removed: ['UNREAD'],
    });
    const { messages } = await user.run('mail.read', { message: id });
    expect(messages[0]).toMatchObject({ unread: false, labels: expect.arrayContaining(['Label_5', 'Label_1', 'INBOX']) });
  });

  it('changes nothing if one of the ids is unknown', async () => {
    const id = await user.find('Lunch');
    const error = await user.refusal('mail.label', { ids: [id, '19ffffffffffffff'], remove: ['INBOX'] });
    expect(error).toMatchObject({ code: 'not_found' });
    expect((await user.run('mail.read', { message: id })).messages[0].labels).toContain('INBOX');
  });

  it('lists the existing labels if one is unknown, without a change', async () => {
    const before = await calls('/messages/batchModify');
    const error = await user.refusal('mail.label', { ids: [await user.find('Lunch')], add: ['Travels'] });
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(/^add: .*Travels/) });
    expect(error.details).toMatchObject({ choices: expect.arrayContaining(['Travel']) });
    expect(await calls('/messages/batchModify')).toBe(before);
  });

  it.each(['TRASH', 'trash', 'SPAM'])('does not delete: %s belongs to mail.trash', async (label) => {
    const error = await user.refusal('mail.label', { ids: [await user.find('Lunch')], add: [label] });
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('mail.trash') });
  });

  it('does not add and remove one label, whatever it is called', async () => {
    const before = await calls('/messages/batchModify');
    const input = { ids: [await user.find('Lunch')], add: ['travel', 'Família'], remove: ['Label_1'] };
    expect(await user.refusal('mail.label', input)).toMatchObject({
      code: 'invalid_request',
      message: 'remove: Label_1 can’t be added and removed at once.',
    });
    expect(await calls('/messages/batchModify')).toBe(before);
  });

  it('restores from the trash', async () => {
    const id = await user.find('in:trash');
    await user.run('mail.label', { ids: [id], add: ['INBOX'], remove: ['TRASH'] });
    expect(await user.find('flyer in:inbox')).toBe(id);
  });
});

describe('mail.trash', () => {
  it('requires approval, which shows subjects, not just ids', async () => {
    const { items } = await user.run('mail.search', { query: 'subject:Aurora launch', max: 1 });
    const lunch = await user.find('subject:lunch');
    const { details } = await user.refusal('mail.trash', { ids: [lunch, '19ffffffffffffff'], threads: [items[0].thread] });
    expect(details?.summary).toMatch(
      new RegExp(
        `^Move to the trash: messages “[^”]*lunch[^”]*” \\(${lunch}\\), 19ffffffffffffff and whole threads “[^”]*Aurora launch[^”]*” \\(6 messages, ${items[0].thread}\\)$`,
        'i',
      ),
    );
  });

  it('moves messages and whole threads to the trash', async () => {
    const lunch = await user.find('Lunch');
    const { items } = await user.run('mail.search', { query: 'subject:Aurora launch' });
    expect(await user.approved('mail.trash', { ids: [lunch], threads: [items[0].thread] })).toEqual({ trashed: [lunch, items[0].thread] });
    expect(await user.run('mail.search', { query: 'subject:Aurora launch' })).toEqual({ items: [] });
    expect((await user.run('mail.search', { query: 'subject:Aurora launch in:trash', max: 25 })).items).toHaveLength(6);
  });

  it('does not ask about what doesn’t exist', async () => {
    expect(await user.refusal('mail.trash', { ids: ['18c0ffee18c0ffee'], threads: ['28c0ffee18c0ffee'] })).toMatchObject({
      code: 'not_found',
    });
  });

  it('reports messages that could not be moved', async () => {
    const lunch = await user.find('Lunch');
    const { trashed, failed } = await user.approved('mail.trash', { ids: ['19ffffffffffffff', lunch] });
    expect(trashed).toEqual([lunch]);
    expect(failed).toEqual([{ id: '19ffffffffffffff', error: { code: 'not_found', message: expect.any(String) } }]);
  });
});

describe('consent', () => {
  it('is asked for where the account’s owner unticked mail', async () => {
    const other = await newMailUser(steward, { untick: ['gmail.modify'] });
    for (const action of ['mail.search', 'mail.read', 'mail.draft', 'mail.trash']) {
      const input = {
        'mail.read': { message: 'a1' },
        'mail.draft': { to: ['a@b.org'], subject: 's', body: '' },
        'mail.trash': { ids: ['a1'] },
      };
      const error = await other.refusal(action, input[action as keyof typeof input] ?? {});
      expect(error).toMatchObject({ code: 'missing_scopes', details: { missingScopes: ['mail.modify'] } });
    }
    expect(
      await other.run('mail.send', { to: ['ana.mueller@example.org'], subject: 'Hi', body: 'sent with mail.send alone' }),
    ).toMatchObject({ id: expect.any(String) });
  });
});
