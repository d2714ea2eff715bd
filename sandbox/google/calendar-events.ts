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
  /** Changes with each change. An event of a series that has no exception has that of the series. */
  etag: string;
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
  /** Number of the newest change, and of the newest one of each event. */
  changed?: { newest: number; of: Record<string, number> };
  /** Sync tokens of changes before this one have ended. */
  syncFrom?: number;
  /** What is left of events that no longer exist: exceptions of changed series. */
  gone?: StoredEvent[];
  /** The mail that would have been sent. */
  notices: { event: string; about: 'created' | 'changed' | 'deleted'; sendUpdates: string; to: string[] }[];
}

const DAY_MS = 24 * 3_600_000;

/** What every event of the account has. @param at when it was created, RFC 3339 */
export function blankEvent({ email }: Account, id: string, at: string) {
  const organizer = { email, self: true };
  const about = { created: at, updated: at, creator: organizer, organizer, iCalUID: `${id}@google.com` };
  return { id, etag: `"${Date.parse(at)}"`, status: 'confirmed', ...about, sequence: 0, eventType: 'default' };
}

/**
 * The events of a series before `before`, with its exceptions, including cancelled ones.
 *
 * @param after those that end before it are left out, but for exceptions and for a day of which zones differ
 */
export function* instancesOf(
  series: StoredEvent,
  { events, timeZone }: CalendarState,
  before: number,
  after = Number.NEGATIVE_INFINITY,
): Generator<StoredEvent, void, undefined> {
  const exceptions = new Map(events.filter(({ recurringEventId }) => recurringEventId === series.id).map((event) => [event.id, event]));
  // An event may have been moved here from a later date.
  const last = Math.max(before, ...[...exceptions.values()].map((event) => toInstant(event.originalStartTime ?? event.start, timeZone)));
  const ended = after - lengthOf(series) - DAY_MS;
  for (const start of startsOf(series, timeZone, last + DAY_MS)) {
    const exception = exceptions.get(instanceId(series, start));
    if (exception !== undefined) yield exception;
    else if (start > ended) yield instanceAt(series, start, timeZone);
  }
}

/** The ids of the events of a series before `before`, which its exceptions have too, and their starts. */
export function instanceStarts(series: StoredEvent, { timeZone }: CalendarState, before: number): Map<string, number> {
  return new Map(startsOf(series, timeZone, before).map((start) => [instanceId(series, start), start]));
}

/** An event in a response, with times in `zone`, and the caller marked among the attendees; the organizer may hide the others. */
export function present(event: StoredEvent, account: Account, zone: string): object {
  const { start, end, originalStartTime, organizer, attendees, ...rest } = event;
  const isSelf = (email: string) => email.toLowerCase() === account.email;
  const areHidden = rest.guestsCanSeeOtherGuests === false && !isSelf(organizer.email);
  const shown = attendees?.filter(({ email }) => !areHidden || isSelf(email));
  return {
    kind: 'calendar#event',
    ...rest,
    htmlLink: `https://www.google.com/calendar/event?eid=${Buffer.from(`${event.id} ${account.email}`).toString('base64url')}`,
    organizer: { ...organizer, ...(isSelf(organizer.email) && { self: true }) },
    start: presentTime(start, zone),
    end: presentTime(end, zone),
    ...(originalStartTime !== undefined && { originalStartTime: presentTime(originalStartTime, zone) }),
    ...(shown !== undefined && {
      attendees: shown.map((one) => ({
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

function startsOf({ start, recurrence = [] }: StoredEvent, timeZone: string, before: number): number[] {
  return occurrences({ start, recurrence }, timeZone, before);
}

function lengthOf({ start, end }: StoredEvent): number {
  return toInstant(end, 'UTC') - toInstant(start, 'UTC');
}

function instanceId({ id, start }: StoredEvent, instant: number): string {
  const stamp = new Date(instant).toISOString().replace(/[-:]|\.\d+/g, '');
  return `${id}_${start.date === undefined ? stamp : stamp.slice(0, 'YYYYMMDD'.length)}`;
}

/** An event of a series without its exception. @param start one of its starts */
export function instanceAt(series: StoredEvent, start: number, timeZone: string): StoredEvent {
  const { recurrence: _, ...shared } = series;
  const at = (instant: number, zone = timeZone): EventTime => {
    if (series.start.date !== undefined) return { date: formatInstant(instant, 'UTC').slice(0, 10) };
    return { dateTime: formatInstant(instant, zone), timeZone: zone };
  };
  const first = at(start, series.start.timeZone);
  const end = at(start + lengthOf(series), series.end.timeZone);
  return { ...shared, id: instanceId(series, start), recurringEventId: series.id, originalStartTime: first, start: first, end };
}
