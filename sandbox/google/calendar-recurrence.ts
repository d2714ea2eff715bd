import { RRuleTemporal } from 'rrule-temporal';
import { ApiFault } from '../api-fault.ts';
import { isRule } from './calendar-rule.ts';
import { type EventTime, localAt, toInstant } from './calendar-times.ts';

const YEAR_MS = 366 * 24 * 3_600_000;
/** Limits of an endless series. */
const MAX_LENGTH_MS = 150 * YEAR_MS;
const MAX_EVENTS = 20_000;
/** More periods than days in the longest series, which therefore ends it. */
const MAX_PERIODS = 100_000;
/** Limit of all lines together, characters. */
const MAX_CHARACTERS = 65_536;
const LINE = /^(?:RRULE|EXDATE|RDATE)[:;][\x21-\x7e]+$/;
/** Years from the start on in which an event is looked for: most rules have one in the first. */
const YEARS_TO_FIRST = [1, 40];
const RULE = 'RRULE:';
/** Of whole days (RFC 5545 sections 3.8.5.1, 3.8.5.2): without VALUE, the values would be times. */
const DAYS = /^(?:EXDATE|RDATE);VALUE=DATE:\d{8}(?:,\d{8})*$/;

export interface Series {
  /** Start of the first event. */
  start: EventTime;
  /** RFC 5545 lines. */
  recurrence: readonly string[];
}

/**
 * Starts of the events of a series before `before`, in order. It has an event at its start, whether the rule has one then or
 * not; the rule doesn't count that.
 *
 * @param timeZone of the calendar
 * @param before milliseconds since 1970
 * @returns milliseconds since 1970; for all-day events midnight in UTC
 */
export function occurrences(series: Series, timeZone: string, before: number): number[] {
  const first = firstOf(series, timeZone);
  const isLeftOut = parseRecurrence(series, timeZone, true).between(new Date(first), new Date(first), true).length === 0;
  const starts = ruled(series, timeZone, before);
  return isLeftOut || starts[0] === first || before < first ? starts : [first, ...starts];
}

/** Those that its rules and dates have. */
function ruled(series: Series, timeZone: string, before: number): number[] {
  const first = firstOf(series, timeZone);
  const last = Math.min(before, first + MAX_LENGTH_MS);
  if (last < first) return [];
  return parseRecurrence(series, timeZone)
    .between(new Date(first), new Date(last), true)
    .slice(0, MAX_EVENTS)
    .map((moment) => moment.epochMilliseconds);
}

/** @throws ApiFault 400 for rules that the provider rejects, as those that end before they have an event */
export function checkRecurrence(series: Series, timeZone: string): void {
  const first = firstOf(series, timeZone);
  parseRecurrence(series, timeZone);
  const ends = series.recurrence.some((line) => /[:;](?:COUNT|UNTIL)=/.test(line));
  const hasEvent = !ends || YEARS_TO_FIRST.some((years) => ruled(series, timeZone, first + years * YEAR_MS).length > 0);
  if (!hasEvent) throw invalidRule();
}

function firstOf({ start }: Series, timeZone: string): number {
  return toInstant(start, start.date === undefined ? timeZone : 'UTC');
}

/** @param includeDtstart whether its start is an event of it in any case @throws ApiFault 400 for rules that the provider rejects */
function parseRecurrence({ start, recurrence }: Series, timeZone: string, includeDtstart = false): RRuleTemporal {
  const length = recurrence.reduce((sum, line) => sum + line.length, 0);
  if (length > MAX_CHARACTERS || !recurrence.every((line) => LINE.test(line))) throw invalidRule();
  const rules = recurrence.filter((line) => line.startsWith(RULE)).map((line) => line.slice(RULE.length));
  const isAllDay = start.date !== undefined;
  if (!rules.every((rule) => isRule(rule, isAllDay))) throw invalidRule();
  if (isAllDay && !recurrence.every((line) => line.startsWith('RRULE') || DAYS.test(line))) throw invalidRule();
  return parse([startLine(start, timeZone), ...recurrence].join('\n'), includeDtstart);
}

function parse(rruleString: string, includeDtstart: boolean): RRuleTemporal {
  try {
    return new RRuleTemporal({ rruleString, maxIterations: MAX_PERIODS, cache: false, includeDtstart });
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
