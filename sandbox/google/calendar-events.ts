import type { Account } from '../workspace-accounts.ts';
import { occurrences } from './calendar-recurrence.ts';
import { type EventTime, formatInstant, toInstant } from './calendar-times.ts';

export interface Attendee {
  email: string;
  displayName?: string;
  responseStatus: 'needsAction' | 'declined' | 'tentative' | 'accepted';
  optional?: boolean;
  organizer?: boolean;
  self?: boolean;
  comment?: string;
}

/** An event in the provider's format. Unknown fields are kept. */
export interface StoredEvent {
  id: string;
  status: 'confirmed' | 'tentative' | 'cancelled';
  start: EventTime;
  end: EventTime;
  created: string;
  updated: string;
  organizer: { email: string; displayName?: string; self?: boolean };
  summary?: string;
  description?: string;
  location?: string;
  recurrence?: string[];
  recurringEventId?: string;
  originalStartTime?: EventTime;
  attendees?: Attendee[];
  [more: string]: unknown;
}

export interface CalendarState {
  timeZone: string;
  /** Single events, series, and the exceptions of series. */
  events: StoredEvent[];
  /** The mail that would have been sent. */
  notices: { event: string; about: 'created' | 'changed' | 'deleted'; sendUpdates: string; to: string[] }[];
}

const DAY_MS = 24 * 3_600_000;

/** What every event of the account has. @param at when it was created, RFC 3339 */
export function blankEvent({ email }: Account, id: string, at: string) {
  const organizer = { email, self: true };
  const about = { created: at, updated: at, creator: organizer, organizer, iCalUID: `${id}@google.com` };
  return { id, status: 'confirmed', ...about, sequence: 0, eventType: 'default' };
}

/** The events of a series before `before`, with its exceptions, including cancelled ones. */
export function instancesOf(series: StoredEvent, { events, timeZone }: CalendarState, before: number): StoredEvent[] {
  const exceptions = new Map(events.filter(({ recurringEventId }) => recurringEventId === series.id).map((event) => [event.id, event]));
  // An event may have been moved here from a later date.
  const last = Math.max(before, ...[...exceptions.values()].map((event) => toInstant(event.originalStartTime ?? event.start, timeZone)));
  const { start, recurrence = [] } = series;
  return occurrences({ start, recurrence }, timeZone, last + DAY_MS).map((instant) => {
    const instance = instanceAt(series, instant, timeZone);
    return exceptions.get(instance.id) ?? instance;
  });
}

/** An event in a response, with times in `zone`, and the caller marked among the attendees. */
export function present(event: StoredEvent, account: Account, zone: string): object {
  const { start, end, originalStartTime, organizer, attendees, ...rest } = event;
  const isSelf = (email: string) => email.toLowerCase() === account.email;
  return {
    kind: 'calendar#event',
    etag: `"${Date.parse(event.updated)}"`,
    ...rest,
    htmlLink: `https://www.google.com/calendar/event?eid=${Buffer.from(`${event.id} ${account.email}`).toString('base64url')}`,
    organizer: { ...organizer, ...(isSelf(organizer.email) && { self: true }) },
    start: presentTime(start, zone),
    end: presentTime(end, zone),
    ...(originalStartTime !== undefined && { originalStartTime: presentTime(originalStartTime, zone) }),
    ...(attendees !== undefined && {
      attendees: attendees.map((one) => ({
        ...one,
        ...(isSelf(one.email) && { self: true }),
        ...(one.email === organizer.email && { organizer: true }),
      })),
    }),
  };
}

function presentTime(time: EventTime, zone: string): EventTime {
  if (time.date !== undefined) return { date: time.date };
  return { dateTime: formatInstant(toInstant(time, zone), zone), timeZone: time.timeZone ?? zone };
}

function instanceAt(series: StoredEvent, start: number, timeZone: string): StoredEvent {
  const { recurrence: _, ...shared } = series;
  const zone = series.start.timeZone ?? timeZone;
  const length = toInstant(series.end, 'UTC') - toInstant(series.start, 'UTC');
  const isDate = series.start.date !== undefined;
  const at = (offset: number): EventTime => {
    if (isDate) return { date: formatInstant(start + offset, 'UTC').slice(0, 10) };
    return { dateTime: formatInstant(start + offset, zone), timeZone: zone };
  };
  const stamp = formatInstant(start, 'UTC').slice(0, isDate ? 10 : undefined);
  const id = `${series.id}_${stamp.replace(/[-:]/g, '')}`;
  return { ...shared, id, recurringEventId: series.id, originalStartTime: at(0), start: at(0), end: at(length) };
}
