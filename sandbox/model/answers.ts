import { english } from '../../public/language/english.js';
import { nameOfAddress, plainWords } from '../../public/language/names.js';
import { shortened } from './said-text.ts';
import { type Data, listOf, str } from './tool-results.ts';

/** Characters of a mail, document or file that are repeated. */
const EXCERPT = 1_200;

/** A found mail as a line of a list. */
export function mailLine({ from, subject, date, snippet, unread }: Data): string {
  return `- ${unread === true ? 'unread, ' : ''}${when(date)}, ${nameOfAddress(str(from))}: “${str(subject)}”. ${shortened(str(snippet), 90)}`;
}

/** A mail with the beginning of its text. */
export function mailText({ from, subject, date, text, attachments }: Data): string {
  const files = listOf(attachments).map(({ name }) => str(name));
  const attached = files.length === 0 ? '' : `\nAttached: ${files.join(', ')}.`;
  return `${nameOfAddress(str(from))} wrote “${str(subject)}” on ${when(date)}:\n\n${excerpt(text)}${attached}`;
}

export function eventLine(event: Data): string {
  const { title, location, my_answer: answer, organizer } = event;
  const place = str(location) === '' ? '' : `, ${shortened(str(location), 60)}`;
  const asks = answer === 'none' ? ` (an invitation of ${str(organizer)}, which you have not answered)` : '';
  return `- ${timesOf(event)}: ${str(title) || 'without a title'}${place}${asks}`;
}

export function eventText(event: Data): string {
  const guests = listOf(event.attendees).map(({ name, email, answer }) => `${str(name) || str(email)} (${str(answer)})`);
  return [
    `“${str(event.title)}”, ${timesOf(event)}.`,
    str(event.location) !== '' && `Place: ${str(event.location)}.`,
    guests.length > 0 && `Guests: ${guests.join(', ')}.`,
    str(event.description) !== '' && `It says: ${excerpt(event.description)}`,
  ]
    .filter((line) => line !== false)
    .join('\n');
}

export function fileLine({ name, type, modified, owner, shared }: Data): string {
  const whose = str(owner) === '' ? '' : `, of ${str(owner)}`;
  return `- “${str(name)}” (${str(type)}${whose}${shared === true ? ', shared' : ''}${str(modified) === '' ? '' : `, changed ${when(modified)}`})`;
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

/** A day, or a time as the provider gave it, in its own zone. */
export function when(moment: unknown): string {
  return english.dateTime(moment, /[+-]\d{2}:\d{2}$/.exec(str(moment))?.[0]);
}

function timesOf({ start, end, all_day: allDay, last_day: lastDay }: Data): string {
  if (allDay === true) return str(lastDay) === '' || lastDay === start ? when(start) : `${when(start)} to ${when(lastDay)}`;
  const sameDay = str(start).slice(0, 10) === str(end).slice(0, 10);
  return `${when(start)} to ${sameDay ? str(end).slice(11, 16) : when(end)}`;
}
