import { describe, expect, it } from 'vitest';
import { type EventTrigger, triggerSchema } from '../../../src/automations/definition/trigger.ts';
import { originOf } from '../../../src/automations/looking/automated-mail.ts';
import type {
  AccountEvent,
  BankTransaction,
  CalendarStarting,
  DriveChanged,
  MailReceived,
} from '../../../src/automations/looking/event-types.ts';
import { receivedMessage } from '../../../src/automations/looking/mail-reader.ts';
import { matchEvent } from '../../../src/automations/looking/match-event.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const ACCOUNT = '00000000-0000-4000-8000-000000000001';

function trigger(event: string, filter?: object, rest: object = {}): EventTrigger {
  return triggerSchema.parse({ type: 'event', account: ACCOUNT, event, ...(filter && { filter }), ...rest }) as EventTrigger;
}

const happened = { occurrence: '', ids: {}, at: undefined };

function mail(given: Partial<MailReceived>): MailReceived {
  return {
    ...happened,
    ...{ event: 'mail.received', from: ['ana@example.com'], to: ['me@example.com'], subject: '' },
    ...{ hasAttachment: undefined, isAutomated: false },
    ...given,
  };
}

function payment(amount: number | null, given: Partial<BankTransaction> = {}): BankTransaction {
  return { ...happened, event: 'bank.transaction', amount, day: '2026-03-02', isNew: true, merchant: [], category: [], ...given };
}

describe('matchEvent', () => {
  const isFrom = (from: string, ...authors: string[]) => matchEvent(trigger('mail.received', { from }), mail({ from: authors }), NOW);

  it.each([
    ['ana@example.com', ['ana@example.com'], true],
    ['Ana@EXAMPLE.com', ['ana@example.com'], true],
    ['@example.com', ['bo@example.com'], true],
    ['@example.com', ['bo@sub.example.com'], false],
    ['@example.com', ['bo@notexample.com'], false],
    ['@example.com', ['@example.com@evil.example'], false],
    ['@müller.example', ['ana@xn--mller-kva.example'], true],
    ['ana@example.com', ['ana@example.com.evil.example'], false],
    ['ana@example.com', ['"ana@example.com"@evil.example'], false],
    // Of several authors all count, and one that can't be read.
    ['ana@example.com', ['ana@example.com', 'bo@evil.example'], false],
    ['ana@example.com', ['ana@example.com', ''], false],
    ['ana@example.com', [], false],
  ])('takes %s for the sender of a mail from %j: %s', (from, authors, expected) => {
    expect(isFrom(from, ...authors)).toBe(expected);
  });

  it.each([
    ['invoice', 'Your INVOICE no. 7', true],
    ['invoice march', 'March: invoices', true],
    ['invoice march', 'Invoice', false],
    ['ｉｎｖｏｉｃｅ', 'invoice', true],
    ['ﬁle', 'FILE', true],
    ['strasse', 'Straße', true],
    ['οδος', 'ΟΔΟΣ', true],
    ['invoice', '', false],
    ['.*', 'anything', false],
  ])('finds %j in the subject %j: %s', (subject, text, expected) => {
    expect(matchEvent(trigger('mail.received', { subject }), mail({ subject: text }), NOW)).toBe(expected);
  });

  it('asks for all that a filter has, and takes every mail without one', () => {
    expect(matchEvent(trigger('mail.received'), mail({ from: [], to: [] }), NOW)).toBe(true);
    const wanted = trigger('mail.received', { from: '@example.com', to: 'me@example.com', has_attachment: true });
    expect(matchEvent(wanted, mail({ hasAttachment: true }), NOW)).toBe(true);
    for (const other of [{ hasAttachment: false }, {}, { to: ['you@example.com'], hasAttachment: true }])
      expect(matchEvent(wanted, mail(other), NOW)).toBe(false);
  });

  it.each([
    [500, 'out', 500, false],
    [500, 'out', 500.01, true],
    [0.3, 'out', 0.1 + 0.2, false],
    [0.3, 'out', 0.3, false],
    [500, 'out', -600, false],
    [500, 'in', -600, true],
    [500, 'any', -600, true],
    [500, 'any', null, false],
    [undefined, 'any', null, true],
    [undefined, 'out', null, false],
    [undefined, 'out', 0, false],
    [0, 'any', 1e23, true],
  ])('over %s %s: %s is %s', (amount_over, direction, amount, expected) => {
    const filter = { direction, ...(amount_over !== undefined && { amount_over }) };
    expect(matchEvent(trigger('bank.transaction', filter), payment(amount), NOW)).toBe(expected);
  });

  it('finds merchants and categories by their words', () => {
    const event = payment(5, { merchant: ['Café Müller'], category: ['FOOD AND DRINK', 'FOOD AND DRINK COFFEE'] });
    const found = (filter: object) => matchEvent(trigger('bank.transaction', filter), event, NOW);
    expect([found({ merchant: 'CAFÉ' }), found({ category: 'coffee drink' })]).toEqual([true, true]);
    expect([found({ merchant: 'drink' }), found({ category: 'rent' })]).toEqual([false, false]);
    expect(matchEvent(trigger('bank.transaction', { merchant: 'x' }), payment(5), NOW)).toBe(false);
  });

  it('takes an event that starts within the minutes, and none that has begun', () => {
    const starts = (minutes: number): CalendarStarting => ({
      ...happened,
      event: 'calendar.starting',
      title: 'Review',
      start: NOW + minutes * 60_000,
    });
    const wanted = trigger('calendar.starting', { title: 'review' }, { minutes_before: 10 });
    expect([11, 10, 1, 0, -1].map((minutes) => matchEvent(wanted, starts(minutes), NOW))).toEqual([false, true, true, false, false]);
  });

  it('takes files by name and folder, events by title, and nothing of another kind', () => {
    const file: DriveChanged = { ...happened, event: 'drive.changed', name: 'Report.pdf', folders: ['f1'] };
    expect(matchEvent(trigger('drive.changed', { name: 'report', folder: 'f1' }), file, NOW)).toBe(true);
    expect(matchEvent(trigger('drive.changed', { folder: 'f2' }), file, NOW)).toBe(false);
    const deleted: AccountEvent = { ...happened, event: 'calendar.changed', title: undefined };
    expect(matchEvent(trigger('calendar.changed'), deleted, NOW)).toBe(true);
    expect(matchEvent(trigger('calendar.changed', { title: 'a' }), deleted, NOW)).toBe(false);
    expect(matchEvent(trigger('calendar.changed'), file, NOW)).toBe(false);
    expect(matchEvent(trigger('account.status'), { ...happened, event: 'account.status' }, NOW)).toBe(true);
  });
});

describe('originOf', () => {
  it.each([
    [[], 'person'],
    [[['Auto-Submitted', 'no']], 'person'],
    [[['Auto-Submitted', '(by hand) NO']], 'person'],
    [[['auto-submitted', 'auto-generated']], 'automated'],
    [[['Auto-Submitted', 'auto-replied; owner=x']], 'reply'],
    [
      [
        ['Auto-Submitted', 'no'],
        ['Auto-Submitted', 'auto-replied'],
      ],
      'reply',
    ],
    [[['Auto-Submitted', '']], 'automated'],
    [[['Auto-Submitted', '((((('.repeat(100_000)]], 'automated'],
    [[['List-Id', '']], 'automated'],
    [[['Precedence', ' junk ']], 'automated'],
    [[['Precedence', 'first-class']], 'person'],
    [[['X-List-Id', 'x']], 'person'],
  ])('%#: %j', (fields, expected) => {
    expect(originOf((fields as [string, string][]).map(([name, value]) => ({ name, value })))).toBe(expected);
  });
});

describe('a message of the mail service', () => {
  const read = (payload: unknown) =>
    receivedMessage.run({ response: { id: 'm', threadId: 't', internalDate: '1', payload }, args: undefined }) as any;

  it('is read with the fields that it has, whatever they hold', () => {
    const long = 'x'.repeat(12 * 1024 * 1024);
    const headers = [
      { name: 'From', value: '=?utf-8?q?bo=40evil.example?= <ana@EXAMPLE.com>' },
      { name: 'FROM', value: 'bo@example.com' },
      { name: 'Subject', value: `=?utf-8?b?${Buffer.from('Grüße').toString('base64')}?= ${long}` },
      { name: 'To', value: null },
      { name: 'Cc' },
      null,
      7,
    ];
    const { from, to, subject, origin } = read({ headers });
    expect([from, to, origin]).toEqual([['ana@example.com', 'bo@example.com'], [], 'person']);
    expect(subject.startsWith('Grüße x')).toBe(true);
    expect(subject.length).toBeLessThanOrEqual(10_000);
  });

  it.each([[undefined], [null], ['text'], [{}], [{ headers: null }], [{ headers: 'x', parts: 7 }]])('%# has none', (payload) => {
    expect(read(payload)).toMatchObject({ from: [], to: [], subject: '', origin: 'person', hasAttachment: false });
  });
});
