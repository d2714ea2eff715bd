import { Temporal } from 'temporal-polyfill';
import { type Schedule, WEEKDAYS } from './trigger.ts';

const HOUR_MS = 3_600_000;
const LATE_MS = 12 * HOUR_MS;
const FRIDAY = 5;
/** Longer than from one occurrence to the next but one, whatever clocks do in between. */
const SPAN_MS: Readonly<Record<Schedule['every'], number>> = {
  hour: 4 * HOUR_MS,
  day: 96 * HOUR_MS,
  weekday: 168 * HOUR_MS,
  week: 408 * HOUR_MS,
  month: 1_536 * HOUR_MS,
};

/** What runs in place of the times at which nothing ran. */
export interface CatchUp {
  /** The latest of them. */
  plannedAt: number;
  /** It is older than 12 hours. */
  late: boolean;
  /** The first one that is still to come. */
  next: number;
}

/**
 * The first planned time after a moment, both in milliseconds since 1970. Of a time that clocks show twice it is the earlier
 * one; one that they skip moves as Temporal's `compatible` moves it, but not into another day: each day has one. An hourly
 * schedule runs whenever clocks show its minute.
 */
export function nextOccurrence(schedule: Schedule, after: number): number {
  const from = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(schedule.time_zone);
  if (schedule.every === 'hour') return nextMinute(from, Number(schedule.at.slice(-2)));
  const time = Temporal.PlainTime.from(schedule.at);
  for (const day of daysOf(schedule, from.toPlainDate().subtract({ days: 1 }))) {
    const planned = momentOn(day, time, schedule.time_zone);
    if (planned > after) return planned;
  }
  throw new RangeError('a schedule has no end');
}

/**
 * Of a schedule whose planned time has come, which may be long ago: times that were missed collapse into the latest one.
 *
 * @param dueAt its planned time, not after `now`
 */
export function catchUp(schedule: Schedule, dueAt: number, now: number): CatchUp {
  let plannedAt = dueAt;
  let next = nextOccurrence(schedule, Math.max(dueAt, now - SPAN_MS[schedule.every]));
  while (next <= now) {
    plannedAt = next;
    next = nextOccurrence(schedule, next);
  }
  return { plannedAt, late: now - plannedAt > LATE_MS, next };
}

function nextMinute(from: Temporal.ZonedDateTime, minute: number): number {
  const next = onMinute(from.round({ smallestUnit: 'minute', roundingMode: 'floor' }).add({ minutes: 1 }), minute);
  if (next.minute === minute) return next.epochMilliseconds;
  // Clocks were moved by a part of an hour in between.
  const change = from.getTimeZoneTransition('next') ?? next;
  return onMinute(change, minute).epochMilliseconds;
}

/** @param from a full minute */
function onMinute(from: Temporal.ZonedDateTime, minute: number): Temporal.ZonedDateTime {
  return from.add({ minutes: (minute - from.minute + 60) % 60 });
}

/** The days of a schedule, in order, from one on. */
function* daysOf(schedule: Exclude<Schedule, { every: 'hour' }>, from: Temporal.PlainDate): Generator<Temporal.PlainDate> {
  if (schedule.every === 'month') {
    const month = from.toPlainYearMonth();
    for (let later = 0; ; later += 1) yield month.add({ months: later }).toPlainDate({ day: schedule.on });
  }
  for (let later = 0; ; later += 1) {
    const day = from.add({ days: later });
    if (isOn(schedule, day)) yield day;
  }
}

function isOn(schedule: Exclude<Schedule, { every: 'hour' | 'month' }>, { dayOfWeek }: Temporal.PlainDate): boolean {
  if (schedule.every === 'day') return true;
  return schedule.every === 'weekday' ? dayOfWeek <= FRIDAY : WEEKDAYS[dayOfWeek - 1] === schedule.on;
}

function momentOn(day: Temporal.PlainDate, time: Temporal.PlainTime, zone: string): number {
  const local = day.toPlainDateTime(time);
  const moment = local.toZonedDateTime(zone);
  if (moment.toPlainDate().equals(day)) return moment.epochMilliseconds;
  // Clocks skip the end of the day: a time before it, unless they skip all of it.
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
  return (earlier.toPlainDate().equals(day) ? earlier : moment).epochMilliseconds;
}
