import { eventLine, eventText, mailLine, mailText, money } from './answers.ts';
import { transactionLine } from './bank-intents.ts';
import type { Intent } from './intent.ts';
import { findEvent, isPronoun, referredTo } from './lookups.ts';
import { type Plan, Stopped, type World } from './plans.ts';
import { type Data, listOf, type Result, str } from './tool-results.ts';

const DAY_MS = 24 * 3_600_000;
/** Guests whose mails are looked for, and mails of each. */
const MOST_GUESTS = 3;
const MOST_MAILS = 2;
/** Mails about a meeting. */
const MOST_ABOUT = 3;
/** Unread mails of a brief. */
const MOST_UNREAD = 8;
const PAYMENT_DAYS = 30;

/** What automations are asked for most. */
export const runIntents: readonly Intent[] = [
  {
    example: 'Give me my morning brief.',
    pattern: /^(?:(?:give|write|make|prepare)(?: me)? )?(?<what>(?:my |the |a )?(?:(?:morning|daily) )?brief(?:ing)?)$/i,
    *plan(_said, world) {
      const today = dayOf(world.now);
      const [day, mails] = yield* world.attempt([
        world.call('calendar_list', { from: today, to: today }),
        world.call('mail_search', { query: 'in:inbox is:unread', max: MOST_UNREAD }),
      ]);
      const events = dataOf(day);
      return [
        section('Today', itemsOf(events), (event) => eventLine(event, world.words, events.zone), 'nothing on your calendar.'),
        section('Unread', itemsOf(dataOf(mails)), (mail) => mailLine(mail, world.words), 'no unread mail.'),
      ].join('\n\n');
    },
  },
  {
    example: 'Brief me on the event Jour fixe.',
    pattern:
      /^(?:brief me (?:on|about|for)|prepare(?: me)?(?: for)?) (?<event>(?:this|the|my next|my|that) (?:meeting|event|appointment).*?)(?:[,:] .*)?$/i,
    *plan({ event = '' }, world) {
      const known = isPronoun(event) ? referredTo(event, world, ['event'])?.item : undefined;
      const { id } = known ?? (yield* /\bmy next\b/i.test(event) ? nextMeeting(world) : findEvent(event, world));
      const about = yield* world.run('calendar_get', { id: str(id) });
      const mails = yield* mailsAbout(about, world);
      const texts = mails.map((mail) => mailText(mail, world.words));
      return [eventText(about, world.words), ...(texts.length > 0 ? texts : ['I found no mail about it.'])].join('\n\n');
    },
  },
  {
    example: 'Tell me about the newest payment.',
    pattern:
      /^(?:tell me about|describe|explain|check|look at|what (?:is|was)) (?:the|this|that|my)(?: newest| last)? (?<what>payment|transaction)$/i,
    *plan(_said, world) {
      const from = dayOf(world.now - PAYMENT_DAYS * DAY_MS);
      const { items } = yield* world.run('bank_transactions', { from, to: dayOf(world.now), max: 100 });
      const found = listOf(items);
      const wanted = world.event?.ids.transaction;
      const payment = found.find(({ id }) => str(id) === wanted) ?? found[0];
      if (payment === undefined) throw new Stopped('There is no such payment.');
      const others = found.filter((one) => one !== payment && nameOf(one) === nameOf(payment));
      const sums = others.map(({ amount, currency }) => money(amount, currency));
      const before = sums.length === 0 ? 'It is the first one there' : `Before it, you paid there ${sums.slice(0, 5).join(', ')}`;
      return `${transactionLine(payment)}\n${before} in ${PAYMENT_DAYS} days.`;
    },
  },
];

/** The next event that has guests, of the next week. */
function* nextMeeting(world: World): Plan<Data> {
  const { items } = yield* world.run('calendar_list', { from: dayOf(world.now), to: dayOf(world.now + 7 * DAY_MS) });
  const now = new Date(world.now).toISOString().slice(0, 16);
  const next = listOf(items).find(({ start, all_day: allDay }) => allDay !== true && str(start).slice(0, 16) >= now);
  if (next === undefined) throw new Stopped('There is no meeting in the next week.');
  return next;
}

/** The newest mails about an event, and of its guests, read. */
function* mailsAbout(event: Data, world: World): Plan<Data[]> {
  if (!world.tools.has('mail_search')) return [];
  const searches = [
    { query: `subject:"${str(event.title).replaceAll('"', ' ')}"`, max: MOST_ABOUT },
    ...guestsOf(event).map((email) => ({ query: `from:${email}`, max: MOST_MAILS })),
  ];
  const results = yield* world.attempt(searches.map((search) => world.call('mail_search', search)));
  const found = [...new Set(results.flatMap((result) => itemsOf(dataOf(result)).map(({ id }) => str(id))))];
  if (found.length === 0) return [];
  return (yield* world.attempt(found.map((message) => world.call('mail_read', { message })))).flatMap((result) =>
    listOf(dataOf(result).messages),
  );
}

/** Addresses of those who come, but for the user's own. */
function guestsOf({ attendees, organizer }: Data): string[] {
  const emails = listOf(attendees).flatMap(({ email, self }) => (self === true ? [] : [str(email)]));
  const of = str(organizer).includes('@') ? [str(organizer)] : [];
  return [...new Set([...of, ...emails])].filter((email) => email !== '').slice(0, MOST_GUESTS);
}

function section(title: string, items: readonly Data[], lineOf: (item: Data) => string, none: string): string {
  return items.length === 0 ? `${title}: ${none}` : [`${title}:`, ...items.map(lineOf)].join('\n');
}

function dataOf(result: Result | undefined): Data {
  return result?.ok === true ? result.data : {};
}

function itemsOf({ items }: Data): Data[] {
  return listOf(items);
}

function nameOf({ merchant, name }: Data): string {
  return str(merchant) || str(name);
}

/** The day of a time as clocks of the user show it. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
