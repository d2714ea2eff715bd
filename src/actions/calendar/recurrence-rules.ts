import { Temporal } from 'temporal-polyfill';
import { AppError } from '../../errors.ts';
import { showMoment } from './calendar-preview.ts';
import { mayFallOn, movedDays, movedMonths, type RuleParts } from './rule-days.ts';
import { isDate, isZone, properZone, toInstant, toLocal } from './zoned-time.ts';

/** How a series moves. */
export interface SeriesMove {
  /** The start of the first event before, as clocks showed it; of whole days midnight. */
  from: Temporal.PlainDateTime;
  to: Temporal.PlainDateTime;
  /** Zones of the series before and from now on. */
  oldZone: string;
  zone: string;
  /** Whether it had whole days, and whether it has from now on. */
  wasAllDay: boolean;
  isAllDay: boolean;
}

/** A move by whole months, or none, and by what is left. */
interface Move extends SeriesMove {
  months: number;
}

/** A content line (RFC 5545 section 3.1): name, parameters, value. */
const LINE = /^([a-z]+)((?:;[a-z-]+=(?:"[^"]*"|[^";:]*))*):(.+)$/i;
const PARAMETER = /;([a-z-]+)=(?:"([^"]*)"|([^";:]*))/gi;
const UNTIL = /([:;]UNTIL=)([^;]*)/i;
const VALUE = /^(\d{8})(?:(T\d{6})(Z?))?$/i;
const DURATION = /^\+?P[\dWDTHMS]+$/i;
/** Years have four digits (RFC 5545 section 3.3.4). Some calendars write the last of them where a series has no end. */
const LATEST = Temporal.PlainDateTime.from('9999-12-31T23:59:59');
const FREQUENCIES: readonly unknown[] = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
/** More than one event a day. */
const OFTENER: readonly unknown[] = ['HOURLY', 'MINUTELY', 'SECONDLY'];
const OF_TIME = ['BYHOUR', 'BYMINUTE', 'BYSECOND'];
const LISTED = /^(?:EXDATE|RDATE)$/i;

/**
 * The rules of a series whose events all move by the same time on the clock: the dates and days that they name move with it
 * (RFC 5545 sections 3.3.10, 3.8.5.1, 3.8.5.2).
 *
 * @returns undefined: they stay as they are
 * @throws AppError `invalid_request` for rules that don't tell what they are after the move
 */
export function movedRules(rules: readonly string[], move: SeriesMove): string[] | undefined {
  const { from, to } = move;
  const isSame = from.equals(to) && move.oldZone === move.zone && move.wasAllDay === move.isAllDay;
  if (isSame) return undefined;
  const by = { ...move, months: monthsOf(rules, from, to) };
  return rules.map((line) => movedLine(line, by));
}

/**
 * The whole months by which a series moves where one of its events does, on the same days of them.
 *
 * @param from of the event before, as clocks showed it
 * @returns 0: its events don't move by months
 */
export function monthsOf(rules: readonly string[], from: Temporal.PlainDateTime, to: Temporal.PlainDateTime): number {
  const months = (to.year - from.year) * 12 + to.month - from.month;
  const moving = rules.filter(isRule);
  const movesByMonths = (line: string) => movedMonths(partsOf(line), from.toPlainDate(), months) !== undefined;
  return months !== 0 && from.day === to.day && moving.length > 0 && moving.every(movesByMonths) ? months : 0;
}

/** Another time of the series after the move. */
export function shifted(local: Temporal.PlainDateTime, { from, to, months }: Pick<Move, 'from' | 'to' | 'months'>): Temporal.PlainDateTime {
  return local.add({ months }).add(from.add({ months }).until(to));
}

/**
 * The rules of a series as providers take them: UNTIL, EXDATE and RDATE have the type of the start (RFC 5545 sections 3.3.10,
 * 3.8.5.1, 3.8.5.2): days, or times, of UNTIL in UTC, others in a zone or in UTC. A day until which a series of times lasts
 * counts as a whole.
 *
 * @param start a date or a time
 * @param zone of the series
 * @throws AppError `invalid_request` for what is no time in a series of times, days too, and for what has no day in one of whole
 *   days: they would have no effect
 */
export function typedRules(rules: readonly string[], start: string, zone: string): string[] {
  const isAllDay = isDate(start);
  return rules.map((line) => {
    if (!isRule(line)) return isAllDay ? ofDays(line) : ofTimes(line, zone);
    return line.replace(UNTIL, (_all, before: string, until: string) => before + typedUntil(until, isAllDay, zone));
  });
}

function isRule(line: string): boolean {
  return /^(?:RRULE|EXRULE)[:;]/i.test(line);
}

/** EXDATE or RDATE of whole days: of times the days as they are written. */
function ofDays(line: string): string {
  const [, name = '', , values = ''] = LINE.exec(line) ?? [];
  const days = values.split(',').map((value) => parsed(value)?.local);
  if (!days.every((day) => day !== undefined))
    throw new AppError('invalid_request', 'recurrence: EXDATE and RDATE must be days, as the start is');
  return `${name};VALUE=DATE:${[...new Set(days.map((day) => format(day, true)))].join(',')}`;
}

/** EXDATE or RDATE of times: those without a zone, or in another spelling of one, are in that of the series. */
function ofTimes(line: string, zone: string): string {
  const [, , parameters = '', values = ''] = LINE.exec(line) ?? [];
  const dates = values.split(',').map((value) => parsed(value.split('/', 1)[0] ?? ''));
  if (!dates.every((date) => date?.isDay === false))
    throw new AppError('invalid_request', 'recurrence: EXDATE and RDATE must be times, as the start is');
  const named = parametersOf(parameters).get('TZID');
  if (named !== undefined && !isZone(named)) throw new AppError('invalid_request', 'recurrence: TZID must be a zone such as Europe/Berlin');
  const isFloating = named === undefined && dates.some((date) => date?.isUtc === false);
  const isMisspelt = named !== undefined && named !== properZone(named);
  return isFloating || isMisspelt ? movedLine(line, stayingIn(zone)) : line;
}

/** Of a series of times that doesn't move. */
function stayingIn(zone: string): Move {
  const at = Temporal.PlainDateTime.from('1970-01-01');
  return { from: at, to: at, oldZone: zone, zone, wasAllDay: false, isAllDay: false, months: 0 };
}

function typedUntil(until: string, isAllDay: boolean, zone: string): string {
  const date = parsed(until);
  if (date === undefined || (date.isUtc && !isAllDay)) return until;
  return untilOf(date.isDay ? endOfDay(date.local) : date.local, isAllDay, zone);
}

/** UNTIL of whole days a day, of times a time in UTC. @param local the last time that counts, as clocks in `zone` show it */
function untilOf(local: Temporal.PlainDateTime, isAllDay: boolean, zone: string): string {
  if (isAllDay) return format(earlier(local, LATEST), true);
  return `${format(earlier(local.toZonedDateTime(zone).withTimeZone('UTC').toPlainDateTime(), LATEST), false)}Z`;
}

function endOfDay(local: Temporal.PlainDateTime): Temporal.PlainDateTime {
  return local.withPlainTime('23:59:59');
}

function earlier(one: Temporal.PlainDateTime, other: Temporal.PlainDateTime): Temporal.PlainDateTime {
  return Temporal.PlainDateTime.compare(one, other) < 0 ? one : other;
}

/**
 * Rejects a rule that ends before the first event.
 *
 * @param start a date or a time
 * @param zone of the series
 * @throws AppError `invalid_request`
 */
export function assertLasts(rules: readonly string[], start: string, zone: string): void {
  for (const line of rules) {
    const until = UNTIL.exec(line)?.[2];
    const value = until === undefined ? undefined : parsed(until);
    if (value === undefined) continue;
    const { local, isDay, isUtc } = value;
    // A whole day has no zone, and of a rule that ends on a day the whole day counts.
    const ends =
      isDate(start) || isDay
        ? local.toPlainDate().toString() < toLocal(start, zone).toPlainDate().toString()
        : local.toZonedDateTime(isUtc ? 'UTC' : zone).epochMilliseconds < toInstant(start, zone);
    if (ends) throw new AppError('invalid_request', 'recurrence: UNTIL must not be before the start');
  }
}

/**
 * Rejects a start on a day that the rule doesn't have. RFC 5545 (section 3.8.5.3) leaves undefined what such a series is; the
 * provider adds an event on that day, which the rule's COUNT doesn't include.
 *
 * @param start a date or a time
 * @param zone of the series
 * @throws AppError `invalid_request`
 */
export function assertFirst(rules: readonly string[], start: string, zone: string): void {
  const first = toLocal(start, zone).toPlainDate();
  const isLeftOut = rules.some((line) => /^EXDATE/i.test(line));
  if (isLeftOut || rules.filter(isRule).every((line) => mayFallOn(partsOf(line), first))) return;
  throw new AppError(
    'invalid_request',
    `start: ${showMoment(first.toString(), undefined)} is no day of the recurrence, which would have one more event then; give its first day`,
  );
}

/**
 * The rules that a change gives a series, as the provider takes them: {@link assertLasts}, {@link assertFirst}, {@link typedRules}.
 *
 * @param start a date or a time
 * @param zone of the series
 * @throws AppError `invalid_request`
 */
export function givenRules(rules: readonly string[], start: string, zone: string): string[] {
  assertLasts(rules, start, zone);
  assertFirst(rules, start, zone);
  return typedRules(rules, start, zone);
}

function movedLine(line: string, move: Move): string {
  const match = LINE.exec(line);
  const name = match?.[1]?.toUpperCase();
  if (isRule(line)) return movedRule(line, move);
  if (match === null || name === undefined || !LISTED.test(name)) throw cantMove();
  const zone = parametersOf(match[2] ?? '').get('TZID') ?? move.oldZone;
  if (!isZone(zone)) throw cantMove();
  const values = (match[3] ?? '').split(',');
  const isPeriod = values.some((value) => value.includes('/'));
  if (isPeriod && move.isAllDay) throw cantMove();
  const dates = values.map((value) => movedDate(value, zone, move));
  if (move.isAllDay) return `${name};VALUE=DATE:${dates.join(',')}`;
  return `${name}${isPeriod ? ';VALUE=PERIOD' : ''};TZID=${move.zone}:${dates.join(',')}`;
}

/** Values by names in capitals. */
function parametersOf(text: string): Map<string | undefined, string | undefined> {
  return new Map([...text.matchAll(PARAMETER)].map(([, key, quoted, plain]) => [key?.toUpperCase(), quoted ?? plain]));
}

function movedRule(line: string, move: Move): string {
  const start = line.indexOf(':') + 1;
  const parts = line.slice(start).split(';');
  const rule = partsOf(line);
  const changed = changedParts(rule, move);
  const until = rule.get('UNTIL');
  if (until !== undefined) changed.set('UNTIL', movedUntil(until, move));
  const kept = parts.map((part) => {
    const [name = ''] = part.split('=', 1);
    const value = changed.get(name.toUpperCase());
    return value === undefined ? part : `${name}=${value}`;
  });
  const added = [...changed].filter(([name]) => !rule.has(name)).map(([name, value]) => `${name}=${value}`);
  return line.slice(0, start) + [...kept, ...added].join(';');
}

function partsOf(line: string): RuleParts {
  const parts = line.slice(line.indexOf(':') + 1).split(';');
  return new Map(parts.map((part) => part.toUpperCase().split('=', 2) as [string, string]));
}

/** The days of a rule that are others after the move. */
function changedParts(rule: RuleParts, move: Move): Map<string, string> {
  const changed = OFTENER.includes(rule.get('FREQ')) ? changedHours(rule, move) : changedDays(rule, move);
  if (changed !== undefined) return changed;
  throw new AppError(
    'invalid_request',
    'start: the rule of this series doesn’t tell its days or times after this move; give its recurrence too',
  );
}

/** Events that are counted from the first one alone move as it does. */
function changedHours(rule: RuleParts, { wasAllDay, isAllDay }: Move): Map<string, string> | undefined {
  const isCounted = ![...rule.keys()].some((name) => name.startsWith('BY'));
  return isCounted && !wasAllDay && !isAllDay ? new Map() : undefined;
}

function changedDays(rule: RuleParts, { from, to, wasAllDay, isAllDay, months }: Move): Map<string, string> | undefined {
  const isOtherTime = wasAllDay !== isAllDay || !from.toPlainTime().equals(to.toPlainTime());
  if (!FREQUENCIES.includes(rule.get('FREQ')) || (isOtherTime && OF_TIME.some((name) => rule.has(name)))) return undefined;
  const first = from.toPlainDate();
  const { days } = first.until(to.toPlainDate());
  if (days === 0) return new Map();
  return months === 0 ? movedDays(rule, first, days) : movedMonths(rule, first, months);
}

/** One value of EXDATE or RDATE; of a period, a duration stays. */
function movedDate(value: string, zone: string, move: Move): string {
  const [start = '', end] = value.split('/');
  const moved = [start, end].map((part) => {
    if (part === undefined || (part === end && DURATION.test(part))) return part;
    const date = parsed(part);
    // A day excludes no time, and the other way round.
    if (date === undefined || (date.isDay && !move.wasAllDay)) throw cantMove();
    const local = shifted(localOf(date, zone, move), move);
    if (local.year > LATEST.year) throw cantMove();
    return format(local, move.isAllDay);
  });
  return moved.filter((part) => part !== undefined).join('/');
}

/** Of a series with whole days a day, of any other a time in UTC. */
function movedUntil(until: string, move: Move): string {
  const date = parsed(until);
  if (date === undefined) throw cantMove();
  // Some calendars end a series of times with a day.
  if (date.isDay && !move.wasAllDay) {
    const [from, to] = [move.from.withPlainTime(), move.to.withPlainTime()];
    return untilOf(endOfDay(shifted(date.local, { ...move, from, to })), move.isAllDay, move.zone);
  }
  return untilOf(shifted(localOf(date, move.oldZone, move), move), move.isAllDay, move.zone);
}

interface DateValue {
  local: Temporal.PlainDateTime;
  isDay: boolean;
  isUtc: boolean;
}

/** A DATE or DATE-TIME (RFC 5545 sections 3.3.4, 3.3.5); undefined: it is neither. */
function parsed(value: string): DateValue | undefined {
  const match = VALUE.exec(value);
  if (match === null) return undefined;
  const [, day = '', time = '', utc = ''] = match;
  try {
    return { local: Temporal.PlainDateTime.from(day + time), isDay: time === '', isUtc: utc !== '' };
  } catch {
    return undefined;
  }
}

/** As clocks in the series' zone show it; of whole days the day. @param zone of a value that isn't in UTC */
function localOf({ local, isDay, isUtc }: DateValue, zone: string, { oldZone, wasAllDay }: SeriesMove): Temporal.PlainDateTime {
  if (isDay || wasAllDay) return local.withPlainTime();
  const from = isUtc ? 'UTC' : zone;
  return from === oldZone ? local : local.toZonedDateTime(from).withTimeZone(oldZone).toPlainDateTime();
}

function format(local: Temporal.PlainDateTime, isDay: boolean): string {
  const text = local.toString({ smallestUnit: 'second' }).replace(/[-:]/g, '');
  return isDay ? text.slice(0, 'YYYYMMDD'.length) : text;
}

function cantMove(): AppError {
  return new AppError('invalid_request', 'start: this series has dates that can’t be moved with it; give its recurrence too');
}
