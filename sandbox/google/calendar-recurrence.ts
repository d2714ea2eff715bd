import { RRuleTemporal } from 'rrule-temporal';
import { ApiFault } from '../api-fault.ts';
import { type EventTime, localAt, toInstant } from './calendar-times.ts';

/** Limits of an endless series. */
const MAX_LENGTH_MS = 150 * 366 * 24 * 3_600_000;
const MAX_EVENTS = 20_000;
/** More periods than days in the longest series, which therefore ends it. */
const MAX_PERIODS = 100_000;
const MAX_INTERVAL = 1_000;
/** Limit of all lines together, characters. */
const MAX_CHARACTERS = 65_536;
const LINE = /^(?:RRULE|EXDATE|RDATE)[:;][\x21-\x7e]+$/;
const FREQUENCIES: readonly string[] = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];

export interface Series {
  /** Start of the first event. */
  start: EventTime;
  /** RFC 5545 lines. */
  recurrence: readonly string[];
}

/**
 * Starts of the events of a series before `before`, in order.
 *
 * @param timeZone of the calendar
 * @param before milliseconds since 1970
 * @returns milliseconds since 1970; for all-day events midnight in UTC
 */
export function occurrences(series: Series, timeZone: string, before: number): number[] {
  const first = toInstant(series.start, series.start.date === undefined ? timeZone : 'UTC');
  const last = Math.min(before, first + MAX_LENGTH_MS);
  if (last < first) return [];
  return parseRecurrence(series, timeZone)
    .between(new Date(first), new Date(last), true)
    .slice(0, MAX_EVENTS)
    .map((moment) => moment.epochMilliseconds);
}

/** @throws ApiFault 400 for rules that the provider rejects */
export function parseRecurrence({ start, recurrence }: Series, timeZone: string): RRuleTemporal {
  const length = recurrence.reduce((sum, line) => sum + line.length, 0);
  if (length > MAX_CHARACTERS || !recurrence.every((line) => LINE.test(line))) throw invalidRule();
  const rule = parse([startLine(start, timeZone), ...recurrence].join('\n'));
  const { freq, interval = 1, count = 1, byHour, byMinute, bySecond } = rule.options();
  // With more than one event a day, the work for a rule would be hard to limit.
  const fits = FREQUENCIES.includes(freq) && interval <= MAX_INTERVAL && count >= 1 && (byHour ?? byMinute ?? bySecond) === undefined;
  if (!fits) throw invalidRule();
  return rule;
}

function parse(rruleString: string): RRuleTemporal {
  try {
    return new RRuleTemporal({ rruleString, maxIterations: MAX_PERIODS, cache: false });
  } catch {
    throw invalidRule();
  }
}

function startLine(start: EventTime, timeZone: string): string {
  if (start.date !== undefined) return `DTSTART;VALUE=DATE:${start.date.replaceAll('-', '')}`;
  const zone = start.timeZone ?? timeZone;
  return `DTSTART;TZID=${zone}:${localAt(toInstant(start, timeZone), zone).replaceAll(/[-:]/g, '')}`;
}

function invalidRule(): ApiFault {
  return new ApiFault(400, 'invalid', 'Invalid recurrence rule.');
}
