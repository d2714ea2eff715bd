import { english } from '../../public/language/english.js';
import type { Formatter } from '../../public/language/formatter.js';
import { nameOfAddress, plainWords } from '../../public/language/names.js';
import { shortened } from './said-text.ts';
import { type Data, listOf, str } from './tool-results.ts';

/** Characters of a mail, document or file that are repeated. */
const EXCERPT = 1_200;

/** A found mail as a line of a list. */
export function mailLine({ from, subject, date, snippet, unread }: Data, words: Formatter): string {
  return `- ${unread === true ? 'unread, ' : ''}${when(date, words)}, ${nameOfAddress(str(from))}: “${str(subject)}”. ${shortened(str(snippet), 90)}`;
}

/** A mail with the beginning of its text. */
export function mailText({ from, subject, date, text, attachments }: Data, words: Formatter): string {
  const files = listOf(attachments).map(({ name }) => str(name));
  const attached = files.length === 0 ? '' : `\nAttached: ${files.join(', ')}.`;
  return `${nameOfAddress(str(from))} wrote “${str(subject)}” on ${when(date, words)}:\n\n${excerpt(text)}${attached}`;
}

/** @param zone of the calendar */
export function eventLine(event: Data, words: Formatter, zone: unknown): string {
  const { title, location, my_answer: answer, organizer } = event;
  const place = str(location) === '' ? '' : `, ${shortened(str(location), 60)}`;
  const asks = answer === 'none' ? ` (an invitation of ${str(organizer)}, which you have not answered)` : '';
  return `- ${timesOf(event, words, zone)}: ${str(title) || 'without a title'}${place}${asks}`;
}

export function eventText(event: Data, words: Formatter): string {
  const guests = listOf(event.attendees).map(({ name, email, answer }) => `${str(name) || str(email)} (${str(answer)})`);
  return [
    `“${str(event.title)}”, ${timesOf(event, words, event.zone)}.`,
    str(event.location) !== '' && `Place: ${str(event.location)}.`,
    guests.length > 0 && `Guests: ${guests.join(', ')}.`,
    str(event.description) !== '' && `It says: ${excerpt(event.description)}`,
  ]
    .filter((line) => line !== false)
    .join('\n');
}

export function fileLine({ name, type, modified, owner, shared }: Data, words: Formatter): string {
  const whose = str(owner) === '' ? '' : `, of ${str(owner)}`;
  return `- “${str(name)}” (${str(type)}${whose}${shared === true ? ', shared' : ''}${str(modified) === '' ? '' : `, changed ${when(modified, words)}`})`;
}

/** The beginning of a longer text. */
export function excerpt(text: unknown): string {
  const whole = str(text).trim();
  return whole.length <= EXCERPT ? whole : `${whole.slice(0, EXCERPT).trimEnd()}…`;
}

/** An amount of money. @param currency may be null */
export function money(amount: unknown, currency: unknown): string {
  return typeof amount === 'number' ? english.money(amount, currency) : 'unknown';
}

/** A name such as FOOD_AND_DRINK in plain letters. */
export function plainName(name: unknown): string {
  return plainWords(str(name)) || 'without a name';
}

/** A day, or a time as the user's clocks show it. */
export function when(moment: unknown, words: Formatter = english): string {
  return words.dateTime(str(moment));
}

/** When an event, or anything else in a calendar, is: as the card above the answer says it. @param zone of the calendar */
export function timesOf({ start, end, all_day: allDay, last_day: lastDay }: Data, words: Formatter, zone: unknown): string {
  if (allDay === true) return str(lastDay) === '' || lastDay === start ? when(start) : `${when(start)} to ${when(lastDay)}`;
  const calendar = str(zone) === '' ? undefined : str(zone);
  return `${words.day(start, calendar)}, ${words.hours({ start: str(start), end: str(end), zone: calendar })}`;
}
