import { addressKey } from '../../validation/email-address.ts';
import { displayAddress, quotedUpTo } from '../shared/display-text.ts';
import { type CalendarEvent, type EventTime, LIMITS, momentOf, zoneOf } from './calendar-event.ts';
import { clockOf, dayBefore, hasOffset, isDate, toZoned, zonedAt } from './zoned-time.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

interface ShownTime {
  day: string;
  /** undefined: a whole day. */
  clock: string | undefined;
  zone: string;
}

/** For the approval prompt: `the event “Lunch” on Tue, 24 Nov 2026, 10:00 (Europe/Berlin) (3964…)`. */
export function nameEvent({ id, summary, start, recurrence }: CalendarEvent): string {
  const what = recurrence === undefined ? 'the event' : 'the whole series';
  return `${what} ${quotedUpTo(summary, LIMITS.title)} ${recurrence === undefined ? 'on' : 'from'} ${showTime(start)} (${id})`;
}

/** `Tue, 24 Nov 2026, 10:00 (Europe/Berlin)` */
export function showTime(time: EventTime): string {
  return showMoment(momentOf(time), zoneOf(time));
}

/** `until Tue, 24 Nov 2026, 11:30 (Europe/Berlin)`; of whole days the last one. @param end behind it */
export function showEnd(end: EventTime): string {
  return `until ${'date' in end ? showMoment(dayBefore(end.date), undefined) : showTime(end)}`;
}

/**
 * A date, or a time with its zone: `Tue, 24 Nov 2026, 10:00 (Europe/Berlin)`.
 *
 * @param zone undefined: the offset of the time, or `unknown`
 * @param unknown what a time without an offset is in
 */
export function showMoment(value: string, zone: string | undefined, unknown = 'the calendar’s time zone'): string {
  const { day, clock, zone: named } = shownTime(value, zone, unknown);
  return clock === undefined ? day : `${day}, ${clock} (${named})`;
}

/** `Tue, 24 Nov 2026, 10:00 to 11:30 (Europe/Berlin)`; of whole days the last one is named. */
export function showSpan(start: string, end: string, zone: string | undefined, endZone = zone): string {
  const [from, to] = [shownTime(start, zone), shownTime(end, endZone)];
  if (from.clock === undefined || to.clock === undefined) return from.day === to.day ? from.day : `${from.day} to ${to.day}`;
  if (from.zone !== to.zone) return `${showMoment(start, zone)} to ${showMoment(end, endZone)}`;
  if (from.day === to.day && from.clock === to.clock) return showMoment(start, zone);
  return `${from.day}, ${from.clock} to ${from.day === to.day ? '' : `${to.day}, `}${to.clock} (${from.zone})`;
}

/** `from Tue, 24 Nov 2026 to Thu, 26 Nov 2026` */
export function showRange({ from, to, zone }: { from: string; to: string; zone?: string | undefined }): string {
  return `from ${showMoment(from, zone)} to ${showMoment(to, zone)}`;
}

function shownTime(value: string, zone: string | undefined, unknown = 'the calendar’s time zone'): ShownTime {
  const isKnown = zone !== undefined || !hasOffset(value);
  const at = isKnown ? toZoned(value, zone ?? 'UTC') : zonedAt(Date.parse(value), offsetOf(value));
  const day = `${DAYS[at.dayOfWeek - 1]}, ${at.day} ${MONTHS[at.month - 1]} ${at.year}`;
  if (isDate(value)) return { day, clock: undefined, zone: '' };
  const offset = at.offset === '+00:00' ? 'UTC' : `UTC${at.offset}`;
  return { day, clock: clockOf(at), zone: zone ?? (hasOffset(value) ? offset : unknown) };
}

function offsetOf(value: string): string {
  return /[+-]\d{2}:\d{2}$/.exec(value)?.[0] ?? 'UTC';
}

/** Any beyond are only counted, to keep the prompt readable. */
const MAX_NAMED = 30;

/** Who sees a change, and whether they are notified: `notifying ana@example.org, ben@example.org by e-mail`. */
export function nameGuests(event: CalendarEvent, notify: boolean, added: readonly string[] = []): string {
  const others = event.attendees.filter(({ self }) => self !== true).map(({ email }) => addressKey(email));
  const guests = [...new Set([...others, ...added])];
  if (guests.length === 0 && !event.attendeesOmitted) return 'notifying nobody';
  const more = guests.length - MAX_NAMED;
  const parts = [listed(guests.slice(0, MAX_NAMED)), more > 0 && `${more} more`, event.attendeesOmitted && 'others'];
  const named = parts.filter(Boolean).join(' and ');
  return notify ? `notifying ${named} by e-mail` : `seen by ${named} without an e-mail`;
}

export function listed(addresses: readonly string[]): string {
  return addresses.map(displayAddress).join(', ');
}
