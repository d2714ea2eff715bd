import { expect, it } from 'vitest';
import { doesWords, triggerWords } from '../../../public/language/en/automation-words.js';
import { Formatter } from '../../../public/language/formatter.js';

type Trigger = Parameters<typeof triggerWords>[0];

const formatter = new Formatter({ language: 'en', timeZone: 'Europe/Berlin' });
const nameOf = (id: string) => ({ a: 'ana@example.com', b: 'First Platypus Bank' })[id];
const words = (trigger: Trigger) => triggerWords(trigger, { formatter, nameOf });

const schedule = { type: 'schedule', time_zone: 'Europe/Berlin', at: '08:00' } as const;

it.each([
  [{ every: 'weekday' }, 'every weekday at 08:00 (Berlin time)'],
  [{ every: 'day', time_zone: 'America/New_York' }, 'every day at 08:00 (New York time)'],
  [{ every: 'week', on: 'monday' }, 'every Monday at 08:00 (Berlin time)'],
  [{ every: 'month', on: 1 }, 'on day 1 of each month at 08:00 (Berlin time)'],
  [{ every: 'month', on: 31 }, 'on day 31, or the last one, of each month at 08:00 (Berlin time)'],
  [{ every: 'hour', at: '00:15', time_zone: 'UTC' }, 'every hour at 15 past (UTC)'],
])('says of a schedule when it is due: %j', (part, said) => {
  expect(words({ ...schedule, ...part })).toBe(said);
});

it.each([
  [{ event: 'mail.received', account: 'a' }, 'when a mail arrives in ana@example.com'],
  [{ event: 'mail.received', filter: { from: '@acme.example' } }, 'when a mail from @acme.example arrives'],
  [
    { event: 'mail.received', account: 'a', filter: { from: 'x@y.example', subject: 'invoice', has_attachment: true } },
    'when a mail from x@y.example with “invoice” in its subject and an attachment arrives in ana@example.com',
  ],
  [{ event: 'calendar.changed', filter: { title: 'Review' } }, 'when an event with “Review” in its title changes'],
  [{ event: 'calendar.starting', minutes_before: 20 }, '20 minutes before a meeting'],
  [{ event: 'calendar.starting', minutes_before: 1 }, '1 minute before a meeting'],
  [{ event: 'calendar.starting', minutes_before: 90 }, '1 h 30 min before a meeting'],
  [{ event: 'drive.changed', filter: { name: 'Budget' } }, 'when a file with “Budget” in its name changes'],
  [{ event: 'bank.transaction', account: 'b', filter: { amount_over: 1500 } }, 'when a payment over 1,500 is made at First Platypus Bank'],
  [{ event: 'bank.transaction', filter: { direction: 'in', merchant: 'Acme' } }, 'when a payment from “Acme” arrives'],
  [{ event: 'account.status', account: null }, 'when an account has to be connected again, or works again'],
  [{ event: 'mail.received', account: 'gone' }, 'when a mail arrives'],
])('says of an event what has to happen: %j', (part, said) => {
  expect(words({ type: 'event', ...part })).toBe(said);
});

it('lets the reader make texts of others safe', () => {
  const trigger = { type: 'event', event: 'mail.received', filter: { subject: 'a”b' } } as const;
  expect(triggerWords(trigger, { formatter, quoted: (text) => text.replaceAll('”', "'") })).toBe(
    "when a mail with “a'b” in its subject arrives",
  );
});

it('says what is done', () => {
  expect(doesWords({ type: 'notify' }, undefined)).toBe('tells you');
  expect(doesWords({ type: 'action' }, 'Send a mail')).toBe('runs “Send a mail” with fixed details');
});
