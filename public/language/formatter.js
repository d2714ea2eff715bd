// @ts-check
import { clockRange, clocksElsewhere, duration, wordsOfDays } from './en/times.js';
import { localeOf } from './locales.js';
import { isKnownZone, zoneWords } from './zones.js';

const DAY_ONLY = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?<offset>Z|[+-]\d\d:\d\d)?$/i;
const SECOND_MS = 1_000;
const MINUTES_PER_HOUR = 60;
const BYTES_PER_UNIT = 1_000;
const BYTE_UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];
/** 24-hour clocks in each language, so that a card, an answer and a page show a time alike. */
const CLOCK = /** @type {const} */ ({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const DAY = /** @type {const} */ ({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
/** @type {Record<'clock' | 'day' | 'dayTime' | 'longDay' | 'shortDay' | 'month' | 'parts', Intl.DateTimeFormatOptions>} */
const STYLES = {
  clock: CLOCK,
  day: DAY,
  dayTime: { ...DAY, ...CLOCK },
  longDay: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  shortDay: { weekday: 'short', day: 'numeric', month: 'short' },
  month: { month: 'short', year: 'numeric' },
  parts: { year: 'numeric', month: '2-digit', day: '2-digit' },
};

/**
 * Writes dates, times, amounts and lists for one person, in their language and time zone. Moments are ISO 8601: a time with
 * an offset, or a day (`2026-11-25`) or a time without one, which are written alike in every zone; or milliseconds since
 * 1970. What is no moment is written as it is. A zone that this machine doesn't know is taken for the reader's.
 */
export class Formatter {
  #locale;
  /** @type {Map<string, Intl.DateTimeFormat>} */
  #dates = new Map();

  /** @param {{ language?: string | null | undefined, timeZone: string }} preferences a BCP 47 tag, and an IANA zone or an offset */
  constructor({ language, timeZone }) {
    this.#locale = localeOf(language);
    this.timeZone = timeZone;
  }

  /** “Wed, 25 Nov 2026, 09:00”; of a day without a time the day. @param {unknown} moment @param {string} [zone] */
  dateTime(moment, zone) {
    return isDay(moment) ? this.day(moment) : this.#date(moment, 'dayTime', zone);
  }

  /** “09:00”. @param {unknown} moment @param {string} [zone] */
  time(moment, zone) {
    return this.#date(moment, 'clock', zone);
  }

  /** “Wed, 25 Nov 2026”. @param {unknown} moment @param {string} [zone] */
  day(moment, zone) {
    return this.#date(moment, 'day', zone);
  }

  /** “Wednesday, 25 November 2026”, for headings. @param {unknown} moment @param {string} [zone] */
  longDay(moment, zone) {
    return this.#date(moment, 'longDay', zone);
  }

  /** “Wed 25 Nov”, where the year is clear. @param {unknown} moment @param {string} [zone] */
  shortDay(moment, zone) {
    return this.#date(moment, 'shortDay', zone);
  }

  /** “2026-11” → “Nov 2026”. @param {string} month */
  month(month) {
    return this.#date(`${month}-01`, 'month');
  }

  /** The day on which a moment is: “2026-11-25”; empty if it is none. @param {unknown} moment @param {string} [zone] */
  localDay(moment, zone) {
    if (isDay(moment)) return moment;
    const date = dateOf(moment);
    if (date === undefined) return '';
    const parts = this.#format('parts', isInstant(moment) ? zone : 'UTC').formatToParts(date);
    return ['year', 'month', 'day'].map((name) => parts.find(({ type }) => type === name)?.value ?? '').join('-');
  }

  /** “Wed, 25 Nov 2026, 09:00 Berlin time”. @param {unknown} moment @param {string} [zone] */
  zonedTime(moment, zone) {
    const written = this.dateTime(moment, zone);
    return isInstant(moment) ? `${written} ${zoneWords(this.#zone(zone), moment)}` : written;
  }

  /**
   * From one time to another as clocks where it happens show it, and in brackets as clocks of the reader do, if these differ:
   * “15:00–15:45 Berlin time (14:00 yours)”. The day is written only where the end is on another one.
   *
   * @param {{ start: string, end: string, zone?: string | undefined }} span
   */
  hours({ start, end, zone: given }) {
    const zone = this.#zone(given);
    const lastDay = this.localDay(start, zone) === this.localDay(end, zone) ? undefined : this.shortDay(end, zone);
    const clocks = start === end ? this.time(start, zone) : clockRange(this.time(start, zone), this.time(end, zone), lastDay);
    if (this.dateTime(start) === this.dateTime(start, zone)) return clocks;
    const isSameDay = this.localDay(start) === this.localDay(start, zone);
    return clocksElsewhere(clocks, zoneWords(zone, start), isSameDay ? this.time(start) : `${this.shortDay(start)}, ${this.time(start)}`);
  }

  /** Days of which the last one counts: “all day”, “until Fri 27 Nov”. @param {{ start: string, lastDay?: string | undefined }} days */
  wholeDays({ start, lastDay }) {
    return wordsOfDays(lastDay === undefined || lastDay === start ? undefined : this.shortDay(lastDay));
  }

  /** 90 → “1 h 30 min”. @param {number} minutes */
  minutes(minutes) {
    return duration(Math.floor(minutes / MINUTES_PER_HOUR), minutes % MINUTES_PER_HOUR);
  }

  /** Milliseconds → “4:05”. @param {number} ms */
  countdown(ms) {
    const seconds = Math.max(0, Math.ceil(ms / SECOND_MS));
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  }

  /** 1234.5 → “1,234.5”. @param {number | bigint} number @param {Intl.NumberFormatOptions} [options] */
  number(number, options) {
    return new Intl.NumberFormat(this.#locale, options).format(number);
  }

  /** 12345 → “12K”. @param {number} number */
  roughNumber(number) {
    return this.number(number, { notation: 'compact', maximumFractionDigits: 1 });
  }

  /** 2340.55, “USD” → “$2,340.55”; an unknown currency is written behind the amount. @param {unknown} amount @param {unknown} [currency] */
  money(amount, currency) {
    if (typeof amount !== 'number') return '–';
    if (typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)) {
      return this.number(amount, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
    }
    const written = this.number(amount, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
    return [written, currency].filter(Boolean).join(' ');
  }

  /** 160000 → “160 kB”. @param {number} bytes */
  bytes(bytes) {
    let [size, unit] = [bytes, 0];
    while (size >= BYTES_PER_UNIT && unit < BYTE_UNITS.length - 1) {
      size /= BYTES_PER_UNIT;
      unit += 1;
    }
    return `${this.number(Number(size.toPrecision(3)))} ${BYTE_UNITS[unit]}`;
  }

  /** “a, b and c”. @param {readonly string[]} words @param {'conjunction' | 'disjunction'} [type] */
  list(words, type = 'conjunction') {
    return new Intl.ListFormat(this.#locale, { type }).format(words);
  }

  /** @param {unknown} moment @param {keyof typeof STYLES} style @param {string} [zone] */
  #date(moment, style, zone) {
    const date = dateOf(moment);
    if (date === undefined) return String(moment ?? '');
    return this.#format(style, isInstant(moment) ? zone : 'UTC').format(date);
  }

  /** @param {string | undefined} zone */
  #zone(zone) {
    return zone !== undefined && isKnownZone(zone) ? zone : this.timeZone;
  }

  /** @param {keyof typeof STYLES} style @param {string | undefined} given */
  #format(style, given) {
    const zone = this.#zone(given);
    const key = `${style} ${zone}`;
    const known = this.#dates.get(key);
    if (known !== undefined) return known;
    // Of the days that are compared, the digits are those of ISO 8601.
    const locale = style === 'parts' ? 'en-GB' : this.#locale;
    const made = new Intl.DateTimeFormat(locale, { ...STYLES[style], timeZone: zone });
    this.#dates.set(key, made);
    return made;
  }
}

/** Whether it is a day without a time: it means the same day in every time zone. @param {unknown} text @returns {text is string} */
export function isDay(text) {
  return typeof text === 'string' && DAY_ONLY.test(text);
}

/** Whether it is a point in time, which zones show differently. @param {unknown} moment */
function isInstant(moment) {
  return typeof moment === 'number' || (typeof moment === 'string' && TIME.exec(moment)?.groups?.offset !== undefined);
}

/** @param {unknown} moment */
function dateOf(moment) {
  const isTime = typeof moment === 'string' && TIME.test(moment);
  if (typeof moment !== 'number' && !isDay(moment) && !isTime) return undefined;
  // Without an offset, JavaScript would take the zone of the machine.
  const date = new Date(isTime && !isInstant(moment) ? `${moment}Z` : moment);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
