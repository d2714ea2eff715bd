import { Temporal } from 'temporal-polyfill';
import { AppError } from '../../errors.ts';
import { type CalendarEvent, type EventTime, momentOf, zoneOf } from './calendar-event.ts';
import { assertDays } from './calendar-inputs.ts';
import type { Target } from './calendar-session.ts';
import { movedRules } from './recurrence-rules.ts';
import { assertExists, formatDate, formatLocal, formatZoned, isDate, toInstant, toLocal, toZoned } from './zoned-time.ts';

export interface NewTimes {
  start?: string | undefined;
  end?: string | undefined;
}

/** A patch is merged, so fields that no longer apply are null. */
type TimePatch = { date: string; dateTime: null; timeZone: null } | { date: null; dateTime: string; timeZone: string };

export interface Times {
  start: TimePatch;
  end: TimePatch;
  /** Of a series: its rules from now on. */
  recurrence?: string[];
}

/**
 * New times of one event; without a new end, its duration stays the same.
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
 * New times of a whole series, from the new times of one of its events: the first event moves by the same amount, and so do
 * the dates in rules that stay.
 *
 * @param zone of the series from now on
 * @param keepsRule whether the rules stay the same
 * @throws AppError `invalid_request`
 */
export function rescheduleSeries({ event: series, named }: Target, times: NewTimes, zone: string, keepsRule: boolean): Times {
  assertTimesExist(times, zone);
  const anchor = named === series ? series.start : (named.originalStartTime ?? named.start);
  const oldZone = zoneOf(series.start) ?? zone;
  const start = times.start ?? localMoment(anchor, oldZone);
  if (times.end !== undefined) assertOrder(start, times.end, zone);
  const [from, to] = [toLocal(momentOf(anchor), oldZone), toLocal(start, zone)];
  const move = { from, to, oldZone, zone, wasAllDay: isDate(momentOf(series.start)), isAllDay: isDate(start) };
  const recurrence = keepsRule && series.recurrence !== undefined ? movedRules(series.recurrence, move) : undefined;
  const first = toLocal(momentOf(series.start), oldZone).add(from.until(to));
  const length = times.end === undefined ? keptLength(series, start, oldZone) : to.until(toLocal(times.end, zone));
  const format = isDate(start) ? formatDate : formatLocal;
  const moved = { start: format(first), end: format(first.add(length)) };
  // The first event may be on another day than the named one.
  assertTimesExist(moved, zone);
  return { start: toPatch(moved.start, zone), end: toPatch(moved.end, zone), ...(recurrence !== undefined && { recurrence }) };
}

export function toPatch(moment: string, timeZone: string): TimePatch {
  return isDate(moment) ? { date: moment, dateTime: null, timeZone: null } : { date: null, dateTime: moment, timeZone };
}

function keptEnd(event: CalendarEvent, start: string, zone: string): string {
  const length = keptLength(event, start, zone);
  return isDate(start) ? formatDate(toLocal(start, zone).add(length)) : formatZoned(toZoned(start, zone).add(length));
}

/** In exact time, for all-day events in days. An event that becomes an all-day event takes one day. */
function keptLength(event: CalendarEvent, start: string, zone: string): Temporal.Duration {
  const [oldStart, oldEnd] = [momentOf(event.start), momentOf(event.end)];
  if (isDate(oldStart) && isDate(start)) return toLocal(oldStart, zone).until(toLocal(oldEnd, zone));
  if (isDate(start)) return Temporal.Duration.from({ days: 1 });
  if (isDate(oldStart)) throw new AppError('invalid_request', 'end: is required when an all-day event gets a time');
  return toZoned(oldStart, zone).until(toZoned(oldEnd, zone));
}

function localMoment(time: EventTime, zone: string): string {
  return 'date' in time ? time.date : formatLocal(toLocal(time.dateTime, zone));
}

function assertTimesExist({ start, end }: NewTimes, zone: string): void {
  if (start !== undefined) assertExists('start', start, zone);
  if (end !== undefined) assertExists('end', end, zone);
}

/** @throws AppError `invalid_request` when the end is before the start, or a date is combined with a time */
export function assertOrder(start: string, end: string, zone: string): void {
  assertDays(start, end);
  if (toInstant(end, zone) < toInstant(start, zone)) throw new AppError('invalid_request', 'end: must not be before start');
}
