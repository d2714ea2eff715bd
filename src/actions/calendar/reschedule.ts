import { Temporal } from 'temporal-polyfill';
import { AppError } from '../../errors.ts';
import { type CalendarEvent, type EventTime, momentOf, zoneOf } from './calendar-event.ts';
import { assertDays } from './calendar-inputs.ts';
import type { Target } from './calendar-session.ts';
import { monthsOf, movedRules, shifted } from './recurrence-rules.ts';
import { assertExists, formatDate, formatLocal, formatZoned, isDate, toInstant, toLocal, toZoned } from './zoned-time.ts';

export interface NewTimes {
  start?: string | undefined;
  end?: string | undefined;
}

/** Zones of a start and an end, as of a flight. */
export interface Zones {
  start: string;
  end: string;
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
 * @param zones from now on, and of times without an offset
 * @throws AppError `invalid_request`
 */
export function rescheduleEvent(event: CalendarEvent, { start: newStart, end: newEnd }: NewTimes, zones: Zones): Times {
  assertTimesExist({ start: newStart, end: newEnd }, zones);
  const start = newStart ?? momentOf(event.start);
  const end = newEnd ?? (newStart === undefined ? momentOf(event.end) : keptEnd(event, newStart, zones));
  assertOrder(start, end, zones);
  return { start: toPatch(start, zones.start), end: toPatch(end, zones.end) };
}

/**
 * New times of a whole series, from the new times of one of its events: the first event moves by the same amount, and so do
 * the dates in rules that stay.
 *
 * @param zones of the series from now on
 * @param keepsRule whether the rules stay the same
 * @throws AppError `invalid_request`
 */
export function rescheduleSeries({ event: series, named }: Target, times: NewTimes, zones: Zones, keepsRule: boolean): Times {
  assertTimesExist(times, zones);
  const anchor = named === series ? series.start : (named.originalStartTime ?? named.start);
  const { start: zone } = zones;
  const oldZone = zoneOf(series.start) ?? zone;
  const start = times.start ?? localMoment(anchor, oldZone);
  if (times.end !== undefined) assertOrder(start, times.end, zones);
  const [before, after] = [toLocal(momentOf(anchor), oldZone), toLocal(start, zone)];
  const from = toLocal(momentOf(series.start), oldZone);
  const to = shifted(from, { from: before, to: after, months: monthsOf(series.recurrence ?? [], before, after) });
  const move = { from, to, oldZone, zone, wasAllDay: isDate(momentOf(series.start)), isAllDay: isDate(start) };
  const recurrence = keepsRule && series.recurrence !== undefined ? movedRules(series.recurrence, move) : undefined;
  // The first event may be on another day than the named one.
  const first = isDate(start) ? formatDate(to) : formatLocal(to);
  assertTimesExist({ start: first }, zones);
  const end =
    times.end === undefined ? keptEnd(series, first, zones) : endAt(to.add(after.until(localEnd(times.end, zones))), isDate(start), zones);
  return { start: toPatch(first, zone), end: toPatch(end, zones.end), ...(recurrence !== undefined && { recurrence }) };
}

export function toPatch(moment: string, timeZone: string): TimePatch {
  return isDate(moment) ? { date: moment, dateTime: null, timeZone: null } : { date: null, dateTime: moment, timeZone };
}

function keptEnd(event: CalendarEvent, start: string, zones: Zones): string {
  const length = keptLength(event, start, zones);
  if (isDate(start)) return formatDate(toLocal(start, zones.start).add(length));
  return formatZoned(toZoned(start, zones.start).add(length).withTimeZone(zones.end));
}

/** @param local as clocks where the event starts show it */
function endAt(local: Temporal.PlainDateTime, isAllDay: boolean, zones: Zones): string {
  if (isAllDay) return formatDate(local);
  const end = formatLocal(local);
  assertTimesExist({ end }, { start: zones.start, end: zones.start });
  return formatLocal(toZoned(end, zones.start).withTimeZone(zones.end).toPlainDateTime());
}

/** What clocks where the event starts show at its end. */
function localEnd(end: string, zones: Zones): Temporal.PlainDateTime {
  return isDate(end) ? toLocal(end, zones.end) : toZoned(end, zones.end).withTimeZone(zones.start).toPlainDateTime();
}

/** In exact time, for all-day events in days. An event that becomes an all-day event takes one day. */
function keptLength(event: CalendarEvent, start: string, zones: Zones): Temporal.Duration {
  const [oldStart, oldEnd] = [momentOf(event.start), momentOf(event.end)];
  if (isDate(oldStart) && isDate(start)) return toLocal(oldStart, zones.start).until(toLocal(oldEnd, zones.end));
  if (isDate(start)) return Temporal.Duration.from({ days: 1 });
  if (isDate(oldStart)) throw new AppError('invalid_request', 'end: is required when an all-day event gets a time');
  const from = toZoned(oldStart, zoneOf(event.start) ?? zones.start);
  return from.until(toZoned(oldEnd, zoneOf(event.end) ?? zones.end).withTimeZone(from.timeZoneId));
}

function localMoment(time: EventTime, zone: string): string {
  return 'date' in time ? time.date : formatLocal(toLocal(time.dateTime, zone));
}

function assertTimesExist({ start, end }: NewTimes, zones: Zones): void {
  if (start !== undefined) assertExists('start', start, zones.start);
  if (end !== undefined) assertExists('end', end, zones.end);
}

/** @throws AppError `invalid_request` when the end is before the start, or a date is combined with a time */
export function assertOrder(start: string, end: string, zones: Zones): void {
  assertDays(start, end);
  if (toInstant(end, zones.end) < toInstant(start, zones.start)) throw new AppError('invalid_request', 'end: must not be before start');
}
