// @ts-check
import { english } from '../english.js';

/** Rules of series (RFC 5545, 3.3.10) in words. */

const UNITS = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' };
/** By their codes. @type {Record<string, string>} */
export const WEEKDAYS = {
  MO: 'Monday',
  TU: 'Tuesday',
  WE: 'Wednesday',
  TH: 'Thursday',
  FR: 'Friday',
  SA: 'Saturday',
  SU: 'Sunday',
};
/** @type {Record<string, string>} */
const PLACES = { 1: 'first ', 2: 'second ', 3: 'third ', 4: 'fourth ', '-1': 'last ', '': '' };
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const KNOWN = new Set(['FREQ', 'INTERVAL', 'BYDAY', 'BYMONTHDAY', 'BYMONTH', 'COUNT', 'UNTIL', 'WKST']);
const LINE = /^(RRULE|EXDATE|RDATE)((?:;[A-Z-]+=[^;:]*)*):([\x21-\x7e]+)$/;
const DAY = /^(\d{4})(\d\d)(\d\d)(?:T\d{6}Z?)?$/;

/** “Each week on Monday and Wednesday, until Tue, 1 Jun 2027”. A rule that has no words stays as it is. @param {string} line */
export function ruleWords(line) {
  const [, name, , value = ''] = LINE.exec(line) ?? [];
  const words = name === 'RRULE' ? ofRule(value) : name === undefined ? undefined : ofDates(name, value);
  return words ?? line;
}

/** @param {string} value */
function ofRule(value) {
  const parts = new Map(value.split(';').map((part) => /** @type {[string, string]} */ (part.split('=', 2))));
  const { FREQ = '', INTERVAL = '1', BYDAY, BYMONTHDAY, BYMONTH, COUNT, UNTIL } = Object.fromEntries(parts);
  if (![...parts.keys()].every((name) => KNOWN.has(name)) || !Object.hasOwn(UNITS, FREQ) || !/^[1-9]\d{0,3}$/.test(INTERVAL))
    return undefined;
  const unit = UNITS[/** @type {keyof typeof UNITS} */ (FREQ)];
  const often = INTERVAL === '1' ? `Each ${unit}` : `Every ${INTERVAL} ${unit}s`;
  if (BYMONTH !== undefined) return ofYear(often, { FREQ, BYDAY, BYMONTHDAY, BYMONTH }, endOf(COUNT, UNTIL));
  const days = BYDAY === undefined ? '' : daysOf(BYDAY, FREQ);
  const dates = BYMONTHDAY === undefined ? '' : datesOf(BYMONTHDAY, FREQ);
  const end = endOf(COUNT, UNTIL);
  if (days === undefined || dates === undefined || end === undefined || (days !== '' && dates !== '')) return undefined;
  return `${often}${days}${dates}${end}`;
}

/**
 * “Each year on 24 December”; “Each year on the fourth Thursday of November”.
 *
 * @param {string} often
 * @param {{ FREQ: string, BYDAY: string | undefined, BYMONTHDAY: string | undefined, BYMONTH: string }} rule
 * @param {string | undefined} end
 */
function ofYear(often, { FREQ, BYDAY, BYMONTHDAY, BYMONTH }, end) {
  const month = /^[1-9]\d?$/.test(BYMONTH) ? MONTHS[Number(BYMONTH) - 1] : undefined;
  if (FREQ !== 'YEARLY' || month === undefined || end === undefined) return undefined;
  if (BYDAY === undefined) return /^[1-9]\d?$/.test(BYMONTHDAY ?? '') ? `${often} on ${BYMONTHDAY} ${month}${end}` : undefined;
  const days = BYMONTHDAY === undefined ? daysOf(BYDAY, 'MONTHLY') : undefined;
  return days === undefined ? undefined : `${often}${days} of ${month}${end}`;
}

/** @param {string} value @param {string} frequency */
function daysOf(value, frequency) {
  const days = value.split(',').map((one) => {
    const [, place = '', day = ''] = /^([+-]?\d?)([A-Z]{2})$/.exec(one) ?? [];
    const [words, name] = [PLACES[place.replace('+', '')], WEEKDAYS[day]];
    return words === undefined || name === undefined ? undefined : `${words === '' ? '' : 'the '}${words}${name}`;
  });
  const isPlain = !/\d/.test(value);
  if (days.includes(undefined) || (frequency === 'MONTHLY' ? isPlain : !isPlain) || frequency === 'YEARLY') return undefined;
  return ` on ${english.list(days.flatMap((day) => day ?? []))}`;
}

/** @param {string} value @param {string} frequency */
function datesOf(value, frequency) {
  if (frequency === 'MONTHLY' && value === '-1') return ' on the last day';
  if (frequency !== 'MONTHLY' || !/^[1-9]\d?(,[1-9]\d?)*$/.test(value)) return undefined;
  return ` on day ${english.list(value.split(','))}`;
}

/** @param {string | undefined} count @param {string | undefined} until */
function endOf(count, until) {
  if (count !== undefined)
    return until === undefined && /^\d{1,6}$/.test(count) ? `, ${count === '1' ? 'once' : `${count} times`}` : undefined;
  if (until === undefined) return ', without an end';
  const day = dayOf(until);
  return day === undefined ? undefined : `, until ${day}`;
}

/** @param {string} name @param {string} value */
function ofDates(name, value) {
  const days = value.split(',').map(dayOf);
  if (days.includes(undefined)) return undefined;
  return `${name === 'EXDATE' ? 'Not' : 'Also'} on ${english.list(days.flatMap((day) => day ?? []))}`;
}

/** @param {string} value */
function dayOf(value) {
  const [, year, month, day] = DAY.exec(value) ?? [];
  if (year === undefined || Number.isNaN(Date.parse(`${year}-${month}-${day}`))) return undefined;
  return english.day(`${year}-${month}-${day}`);
}
