import { ApiFault } from '../api-fault.ts';
import { instantAt, type Wall, wallAt } from './calendar-zones.ts';

const DAY = 24 * 3_600_000;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
/** Periods looked at: ends a rule that never comes true. */
const MAX_PERIODS = 20_000;

interface Rule {
  frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  interval: number;
  count: number;
  /** Milliseconds: an instant, or of a bare date its midnight as a wall. */
  until: number;
  untilIsDate: boolean;
  /** Weekdays from Monday = 0, with the how-manieth of the month (0 = every). */
  days: { weekday: number; nth: number }[];
  monthDays: number[];
}

/** First occurrence and rules of a series. */
export interface Series {
  start: Wall;
  /** undefined: whole days. */
  zone: string | undefined;
  /** RFC 5545 lines. */
  recurrence: readonly string[];
}

/**
 * Starts of a series in their order, up to `before`.
 *
 * @throws ApiFault 400 when the lines can't be understood
 */
export function* occurrences(series: Series, before: Wall): Generator<Wall> {
  const rule = parseRule(series.recurrence);
  const left = excluded(series);
  let count = 0;
  for (let period = 0; period < MAX_PERIODS; period += 1) {
    for (const wall of candidates(rule, series.start, period)) {
      if (wall < series.start) continue;
      if (wall >= before || count >= rule.count || isPast(rule, wall, series.zone)) return;
      count += 1;
      if (!left.has(wall)) yield wall;
    }
  }
}

/** @throws ApiFault 400 as the provider answers a rule that it can't understand */
export function parseRule(recurrence: readonly string[]): Rule {
  const line = recurrence.find((candidate) => candidate.startsWith('RRULE:'));
  const parts = new Map(
    (line ?? '')
      .slice('RRULE:'.length)
      .split(';')
      .map((part) => part.split('=', 2) as [string, string]),
  );
  const frequency = parts.get('FREQ');
  if (frequency === undefined || !['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'].includes(frequency)) throw invalidRule();
  if (recurrence.some((other) => !/^(RRULE|EXDATE|RDATE)[:;]/.test(other))) throw invalidRule();
  const until = parts.get('UNTIL');
  return {
    frequency: frequency as Rule['frequency'],
    interval: positive(parts.get('INTERVAL') ?? '1'),
    count: parts.has('COUNT') ? positive(parts.get('COUNT')) : Number.POSITIVE_INFINITY,
    until: until === undefined ? Number.POSITIVE_INFINITY : parseStamp(until),
    untilIsDate: until?.length === 8,
    days: list(parts.get('BYDAY')).map(parseDay),
    monthDays: list(parts.get('BYMONTHDAY')).map(Number),
  };
}

/** All walls that the rule gives in its n-th period, earliest first. */
function candidates(rule: Rule, start: Wall, period: number): Wall[] {
  const first = new Date(start);
  const time = start % DAY;
  const steps = period * rule.interval;
  if (rule.frequency === 'DAILY') {
    const wall = start + steps * DAY;
    return rule.days.length === 0 || rule.days.some(({ weekday }) => weekday === weekdayOf(wall)) ? [wall] : [];
  }
  if (rule.frequency === 'WEEKLY') {
    const monday = start - weekdayOf(start) * DAY + steps * 7 * DAY;
    const days = rule.days.length === 0 ? [weekdayOf(start)] : rule.days.map(({ weekday }) => weekday).sort();
    return days.map((weekday) => monday + weekday * DAY);
  }
  if (rule.frequency === 'YEARLY') {
    return monthDays(first.getUTCFullYear() + steps, first.getUTCMonth(), [first.getUTCDate()]).map((day) => day + time);
  }
  const month = first.getUTCMonth() + steps;
  const days = rule.days.length > 0 ? nthDays(first.getUTCFullYear(), month, rule.days) : undefined;
  const wanted = rule.monthDays.length > 0 ? rule.monthDays : [first.getUTCDate()];
  return (days ?? monthDays(first.getUTCFullYear(), month, wanted)).map((day) => day + time);
}

/** Days of a month that has them: the 31st is skipped in April (RFC 5545 section 3.3.10). */
function monthDays(year: number, month: number, wanted: number[]): Wall[] {
  const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return wanted
    .map((day) => (day < 0 ? length + day + 1 : day))
    .filter((day) => day >= 1 && day <= length)
    .sort((a, b) => a - b)
    .map((day) => Date.UTC(year, month, day));
}

function nthDays(year: number, month: number, days: Rule['days']): Wall[] {
  const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const all = Array.from({ length }, (_, index) => Date.UTC(year, month, index + 1));
  return all.filter((wall, index) =>
    days.some(({ weekday, nth }) => {
      if (weekdayOf(wall) !== weekday) return false;
      return nth === 0 || nth === Math.floor(index / 7) + 1 || nth === -Math.floor((length - 1 - index) / 7) - 1;
    }),
  );
}

function isPast(rule: Rule, wall: Wall, zone: string | undefined): boolean {
  if (rule.untilIsDate || zone === undefined) return wall - (wall % DAY) > rule.until;
  return instantAt(wall, zone) > rule.until;
}

/** Starts that EXDATE lines take out. */
function excluded({ recurrence, zone }: Series): Set<Wall> {
  const stamps = recurrence.filter((line) => line.startsWith('EXDATE')).flatMap((line) => line.slice(line.indexOf(':') + 1).split(','));
  return new Set(
    stamps.map((stamp) => {
      const at = parseStamp(stamp);
      // In UTC, it names the instant; otherwise what clocks show.
      return stamp.endsWith('Z') && zone !== undefined ? wallAt(at, zone) : at;
    }),
  );
}

/** `20260501`, `20260501T090000` or `20260501T070000Z`. */
function parseStamp(stamp: string): number {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})Z?)?$/.exec(stamp);
  if (match === null) throw invalidRule();
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1).map((digits) => Number(digits ?? 0));
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function parseDay(text: string): { weekday: number; nth: number } {
  const match = /^([+-]?\d)?([A-Z]{2})$/.exec(text);
  const weekday = WEEKDAYS.indexOf(match?.[2] ?? '');
  if (weekday === -1) throw invalidRule();
  return { weekday, nth: Number(match?.[1] ?? 0) };
}

function weekdayOf(wall: Wall): number {
  return (new Date(wall).getUTCDay() + 6) % 7;
}

function list(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(',');
}

function positive(text: string | undefined): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw invalidRule();
  return value;
}

function invalidRule(): ApiFault {
  return new ApiFault(400, 'invalid', 'Invalid recurrence rule.');
}
