import { clockRange } from '../../../public/language/en/times.js';
import { english } from '../../../public/language/english.js';
import { zoneWords } from '../../../public/language/zones.js';
import { addressKey } from '../../validation/email-address.ts';
import type { RunContext } from '../shared/action.ts';
import { displayAddress, quotedUpTo } from '../shared/display-text.ts';
import type { ShownEvent, ShownSpan, ShownTime } from '../shared/shown.ts';
import { type CalendarEvent, type EventTime, LIMITS, momentOf, zoneOf } from './calendar-event.ts';
import { calendarZone } from './calendar-session.ts';
import { closedRange, resolveRange } from './time-range.ts';
import { clockOf, dayBefore, hasOffset, isDate, toInstant, toZoned, zonedAt } from './zoned-time.ts';

/** Behind a time of which only the calendar knows the zone. */
const UNKNOWN_ZONE = 'in the calendar’s time zone';

interface ShownMoment {
  day: string;
  /** undefined: a whole day. */
  clock: string | undefined;
  /** Behind the clock: `Berlin time`. */
  zone: string;
}

/** For the approval prompt: `the event “Lunch” on Tue, 24 Nov 2026, 10:00 Berlin time (3964…)`. */
export function nameEvent({ id, summary, start, recurrence }: CalendarEvent): string {
  const what = recurrence === undefined ? 'the event' : 'the whole series';
  return `${what} ${quotedUpTo(summary, LIMITS.title)} ${recurrence === undefined ? 'on' : 'from'} ${showTime(start)} (${id})`;
}

/** `Tue, 24 Nov 2026, 10:00 Berlin time` */
export function showTime(time: EventTime): string {
  return showMoment(momentOf(time), zoneOf(time));
}

/** `until Tue, 24 Nov 2026, 11:30 Berlin time`; of whole days the last one. @param end behind it */
export function showEnd(end: EventTime): string {
  return `until ${'date' in end ? showMoment(dayBefore(end.date), undefined) : showTime(end)}`;
}

/**
 * A date, or a time with its zone: `Tue, 24 Nov 2026, 10:00 Berlin time`.
 *
 * @param zone undefined: the offset of the time, or `unknown`
 * @param unknown behind a time without an offset
 */
export function showMoment(value: string, zone: string | undefined, unknown = UNKNOWN_ZONE): string {
  const { day, clock, zone: named } = shownTime(value, zone, unknown);
  return clock === undefined ? day : `${day}, ${clock} ${named}`;
}

/** `Tue, 24 Nov 2026, 10:00–11:30 Berlin time`; of whole days the last one is named. */
export function showSpan(start: string, end: string, zone: string | undefined, endZone = zone): string {
  const [from, to] = [shownTime(start, zone), shownTime(end, endZone)];
  if (from.clock === undefined || to.clock === undefined) return from.day === to.day ? from.day : `${from.day} to ${to.day}`;
  if (from.zone !== to.zone) return `${showMoment(start, zone)} to ${showMoment(end, endZone)}`;
  if (from.day === to.day && from.clock === to.clock) return showMoment(start, zone);
  return `${from.day}, ${clockRange(from.clock, to.clock, from.day === to.day ? undefined : to.day)} ${from.zone}`;
}

/** `from Tue, 24 Nov 2026 to Thu, 26 Nov 2026` */
export function showRange({ from, to, zone }: { from: string; to: string; zone?: string | undefined }): string {
  return `from ${showMoment(from, zone)} to ${showMoment(to, zone)}`;
}

function shownTime(value: string, zone: string | undefined, unknown = UNKNOWN_ZONE): ShownMoment {
  const isKnown = zone !== undefined || !hasOffset(value);
  const at = isKnown ? toZoned(value, zone ?? 'UTC') : zonedAt(Date.parse(value), offsetOf(value));
  const day = english.day(at.toPlainDate().toString());
  if (isDate(value)) return { day, clock: undefined, zone: '' };
  return { day, clock: clockOf(at), zone: isKnown && zone === undefined ? unknown : zoneWords(zone ?? at.offset, at.epochMilliseconds) };
}

function offsetOf(value: string): string {
  return /[+-]\d{2}:\d{2}$/.exec(value)?.[0] ?? 'UTC';
}

/** Any beyond are only counted, to keep the prompt readable. */
const MAX_NAMED = 30;

/** An event for a question's list. @param guests of a series: those invited to one of its events only */
export function shownEvent(event: EventShown, guests: readonly string[] = []): ShownEvent {
  const { summary: title, start, end, location, description, htmlLink: link, recurrence, recurringEventId: series, organizer } = event;
  return {
    title,
    ...(start !== undefined && { start: shownTimeOf(start) }),
    ...(end !== undefined && { end: shownEndOf(end) }),
    link,
    location,
    description,
    recurrence,
    ...(series !== undefined && { isOfSeries: true }),
    organizer: organizer?.self === true ? undefined : organizer?.email,
    guests: [...new Set([...otherGuests(event), ...guests])],
    hasMoreGuests: event.attendeesOmitted,
  };
}

/** What is known of any event, deleted ones included. */
type EventShown = Pick<CalendarEvent, 'summary' | 'location' | 'description' | 'attendees' | 'attendeesOmitted' | 'organizer'> &
  Partial<Pick<CalendarEvent, 'end' | 'htmlLink' | 'recurrence' | 'recurringEventId'>> & { start?: EventTime | undefined };

/** A time as a question's list has it. */
export function shownTimeOf(time: EventTime): ShownTime {
  if ('date' in time) return time;
  const zone = zoneOf(time);
  return { at: new Date(toInstant(time.dateTime, zone ?? 'UTC')).toISOString(), zone };
}

/** The same of an end, which is the day behind the last one of whole days. */
export function shownEndOf(time: EventTime): ShownTime {
  return shownTimeOf('date' in time ? { date: dayBefore(time.date) } : time);
}

/** A range of time for a question's list: of whole days, or with its zone. */
export async function shownRange(
  range: { from?: string | undefined; to?: string | undefined; zone?: string | undefined },
  { session, clock }: Pick<RunContext<'workspace'>, 'session' | 'clock'>,
): Promise<ShownSpan> {
  const closed = closedRange(range, clock.now());
  if (isDate(closed.from) && isDate(closed.to)) return { start: { date: closed.from }, end: { date: closed.to } };
  const zone = range.zone ?? (await calendarZone(session));
  const { from, to } = await resolveRange({ ...closed, zone }, async () => zone);
  return { start: { at: new Date(from).toISOString(), zone }, end: { at: new Date(to).toISOString(), zone } };
}

function otherGuests({ attendees }: Pick<CalendarEvent, 'attendees'>): string[] {
  return attendees.filter(({ self }) => self !== true).map(({ email }) => addressKey(email));
}

/** What is done, to whom it is told, to what: `Delete, notifying ana@example.org by mail: the event …`; without a colon where nobody is. */
export function told(verb: string, people: string, what: string): string {
  return people === '' ? `${verb} ${what}` : `${verb}, ${people}: ${what}`;
}

/** Who sees a change, and whether they are notified: `notifying ana@example.org, ben@example.org by mail`; empty if nobody does. */
export function nameGuests(event: CalendarEvent, notify: boolean, added: readonly string[] = []): string {
  const guests = [...new Set([...otherGuests(event), ...added])];
  if (guests.length === 0 && !event.attendeesOmitted) return '';
  const more = guests.length - MAX_NAMED;
  const parts = [listed(guests.slice(0, MAX_NAMED)), more > 0 && `${more} more`, event.attendeesOmitted && 'others'];
  const named = parts.filter(Boolean).join(' and ');
  return notify ? `notifying ${named} by mail` : `seen by ${named} without a mail`;
}

export function listed(addresses: readonly string[]): string {
  return addresses.map(displayAddress).join(', ');
}
