import { Temporal } from 'temporal-polyfill';
import { AppError } from '../../errors.ts';
import { type CalendarEvent, type EventTime, momentOf, zoneOf } from './calendar-event.ts';
import { assertDays } from './calendar-inputs.ts';
import type { Target } from './calendar-session.ts';
import { assertExists, formatDate, formatLocal, formatZoned, isDate, toInstant, toLocal, toZoned } from './zoned-time.ts';

export interface NewTimes {
  start?: string | undefined;
  end?: string | undefined;
}

/** A patch merges what it is given, so what no longer holds is named as null. */
type TimePatch = { date: string; dateTime: null; timeZone: null } | { date: null; dateTime: string; timeZone: string };

interface Times {
  start: TimePatch;
  end: TimePatch;
}

/**
 * New times of one event; without a new end it stays as long as it was.
 *
 * @param zone of times without an offset
 * @throws AppError `invalid_request`
 */
export function rescheduleEvent(event: CalendarEvent, { start: newStart, end: newEnd }: NewTimes, zone: string): Times {
  assertTimesExist({ start: newStart, end: newEnd }, zone);
  const start = newStart ?? momentOf(event.start);
  const end = newEnd ?? (newStart === undefined ? momentOf(event.end) : keptEnd(event, newStart, zone));
  assertOrder(start, end, zone);
  return { start: toPatch(start, zone), end: toPatch(end, zone) };
}

/**
 * New times of a whole series, told by those of one of its events: its first
 * event moves as far as this one does.
 *
 * @param zone of the series from now on
 * @param keepsRule false: the rules change too
 * @throws AppError `invalid_request`
 */
export function rescheduleSeries({ event: series, named }: Target, times: NewTimes, zone: string, keepsRule: boolean): Times {
  assertTimesExist(times, zone);
  const anchor = named === series ? series.start : (named.originalStartTime ?? named.start);
  const oldZone = zoneOf(series.start) ?? zone;
  const start = times.start ?? localMoment(anchor, oldZone);
  if (times.end !== undefined) assertOrder(start, times.end, zone);
  const [from, to] = [toLocal(momentOf(anchor), oldZone), toLocal(start, zone)];
  const otherDay = !from.toPlainDate().equals(to.toPlainDate());
  if (otherDay && keepsRule && series.recurrence?.some((line) => /[;:]BY(DAY|MONTHDAY)=/.test(line))) {
    throw new AppError('invalid_request', 'start: on another day, a series needs its recurrence too');
  }
  const first = toLocal(momentOf(series.start), oldZone).add(from.until(to));
  const length = times.end === undefined ? keptLength(series, start, oldZone) : to.until(toLocal(times.end, zone));
  const format = isDate(start) ? formatDate : formatLocal;
  const moved = { start: format(first), end: format(first.add(length)) };
  // The first event may stand on another day than the one that was named.
  assertTimesExist(moved, zone);
  return { start: toPatch(moved.start, zone), end: toPatch(moved.end, zone) };
}

export function toPatch(moment: string, timeZone: string): TimePatch {
  return isDate(moment) ? { date: moment, dateTime: null, timeZone: null } : { date: null, dateTime: moment, timeZone };
}

function keptEnd(event: CalendarEvent, start: string, zone: string): string {
  const length = keptLength(event, start, zone);
  return isDate(start) ? formatDate(toLocal(start, zone).add(length)) : formatZoned(toZoned(start, zone).add(length));
}

/** In exact time, of whole days in days; an event that becomes an all-day one takes one day. */
function keptLength(event: CalendarEvent, start: string, zone: string): Temporal.Duration {
  const [oldStart, oldEnd] = [momentOf(event.start), momentOf(event.end)];
  if (isDate(oldStart) && isDate(start)) return toLocal(oldStart, zone).until(toLocal(oldEnd, zone));
  if (isDate(start)) return Temporal.Duration.from({ days: 1 });
  if (isDate(oldStart)) throw new AppError('invalid_request', 'end: is required to give an all-day event a time');
  return toZoned(oldStart, zone).until(toZoned(oldEnd, zone));
}

function localMoment(time: EventTime, zone: string): string {
  return 'date' in time ? time.date : formatLocal(toLocal(time.dateTime, zone));
}

function assertTimesExist({ start, end }: NewTimes, zone: string): void {
  if (start !== undefined) assertExists('start', start, zone);
  if (end !== undefined) assertExists('end', end, zone);
}

/** @throws AppError `invalid_request` when the event would end before it begins, or mixes days and times */
export function assertOrder(start: string, end: string, zone: string): void {
  assertDays(start, end);
  if (toInstant(end, zone) < toInstant(start, zone)) throw new AppError('invalid_request', 'end: must not be before start');
}
