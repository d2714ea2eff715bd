// @ts-check
import { zoneWords } from '../zones.js';
import { WEEKDAYS } from './recurrence.js';

/** When an automation runs, in words: in the console, and in the question that proposes one. */

/**
 * @typedef {{ type: 'schedule', every: string, at: string, on?: string | number | undefined, time_zone: string }} Schedule
 * @typedef {{ from?: string | undefined, to?: string | undefined, subject?: string | undefined, has_attachment?: boolean | undefined,
 *   title?: string | undefined, name?: string | undefined, folder?: string | undefined, amount_over?: number | undefined,
 *   direction?: string | undefined, merchant?: string | undefined, category?: string | undefined }} EventFilter
 * @typedef {{ type: 'event', event: string, account?: string | null | undefined, minutes_before?: number | undefined,
 *   filter?: EventFilter | undefined }} Happening
 * @typedef {{ formatter: import('../formatter.js').Formatter, nameOf?: ((account: string) => string | undefined) | undefined,
 *   quoted?: ((text: string) => string) | undefined }} Reader
 */

const MINUTES_PER_HOUR = 60;
const DAYS = Object.values(WEEKDAYS);
const MOST_DAYS = 28;

/**
 * “every weekday at 08:00 (Berlin time)”; “when a mail from @acme.example arrives in demo@example.com”; “20 minutes before a
 * meeting”.
 *
 * @param {Schedule | Happening} trigger
 * @param {Reader} reader `nameOf` names a connected account, `quoted` makes a text of others safe between quotation marks
 */
export function triggerWords(trigger, reader) {
  return trigger.type === 'schedule' ? scheduleWords(trigger) : eventWords(trigger, reader);
}

/** @param {Schedule} schedule */
function scheduleWords({ every, at, on, time_zone: zone }) {
  const place = `(${zoneWords(zone, undefined)})`;
  if (every === 'hour') return `every hour at ${at.slice(-2)} past ${place}`;
  return `${daysOf(every, on)} at ${at} ${place}`;
}

/** @param {string} every @param {string | number | undefined} on */
function daysOf(every, on) {
  if (every === 'week') return `every ${DAYS.find((day) => day.toLowerCase() === on) ?? every}`;
  if (every !== 'month') return `every ${every}`;
  const shorter = Number(on) > MOST_DAYS ? ', or the last one,' : '';
  return `on day ${on}${shorter} of each month`;
}

/** @param {Happening} happening @param {Reader} reader */
function eventWords({ event, account, minutes_before: minutes = 0, filter = {} }, { formatter, nameOf, quoted = (text) => text }) {
  const name = account ? nameOf?.(account) : undefined;
  /** @param {string} preposition */
  const where = (preposition) => (name === undefined ? '' : ` ${preposition} ${name}`);
  /** @param {string | undefined} text @param {(quotation: string) => string} words */
  const about = (text, words) => (text === undefined || text === '' ? '' : words(`“${quoted(text)}”`));
  switch (event) {
    case 'mail.received':
      return `when a mail${mailWords(filter, quoted)} arrives${where('in')}`;
    case 'calendar.changed':
      return `when an event${about(filter.title, (title) => ` with ${title} in its title`)} changes${where('in the calendar of')}`;
    case 'calendar.starting':
      return `${leadWords(minutes, formatter)} before a meeting${about(filter.title, (title) => ` with ${title} in its title`)}${where('in the calendar of')}`;
    case 'drive.changed':
      return `when a file${about(filter.name, (file) => ` with ${file} in its name`)}${about(filter.folder, (folder) => ` in the folder ${folder}`)} changes${where('among the files of')}`;
    case 'bank.transaction':
      return `when ${paymentWords(filter, formatter, about)}${where('at')}`;
    case 'account.status':
      return `when ${name ?? 'an account'} has to be connected again, or works again`;
    default:
      return `on ${event}`;
  }
}

/** @param {EventFilter} filter @param {(text: string) => string} quoted */
function mailWords({ from, to, subject, has_attachment: hasAttachment }, quoted) {
  return [
    from ? ` from ${quoted(from)}` : '',
    to ? ` to ${quoted(to)}` : '',
    subject ? ` with “${quoted(subject)}” in its subject` : '',
    hasAttachment ? ` ${subject ? 'and' : 'with'} an attachment` : '',
  ].join('');
}

/** @param {number} minutes @param {import('../formatter.js').Formatter} formatter */
function leadWords(minutes, formatter) {
  if (minutes >= MINUTES_PER_HOUR) return formatter.minutes(minutes);
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

/**
 * @param {EventFilter} filter
 * @param {import('../formatter.js').Formatter} formatter
 * @param {(text: string | undefined, words: (quotation: string) => string) => string} about
 */
function paymentWords({ amount_over: over, direction = 'out', merchant, category }, formatter, about) {
  const amount = over === undefined ? '' : ` over ${formatter.number(over)}`;
  const kinds = /** @type {Record<string, [string, string]>} */ ({
    out: ['a payment', 'is made'],
    in: ['a payment', 'arrives'],
    any: ['a payment', 'is made or arrives'],
  });
  const [what, happens] = kinds[direction] ?? ['a payment', 'happens'];
  const party = about(merchant, (name) => ` ${direction === 'in' ? 'from' : 'to'} ${name}`);
  return `${what}${amount}${party}${about(category, (name) => ` in the category ${name}`)} ${happens}`;
}

/** How much is done when it runs. @param {{ type: string }} does @param {string | undefined} action what the one action is called */
export function doesWords({ type }, action) {
  if (type === 'action') return `runs “${action ?? 'an action'}” with fixed details`;
  return type === 'prompt' ? 'asks the assistant' : 'tells you';
}
