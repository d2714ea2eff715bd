import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { anyEvent, BUSY_FIELDS, type CalendarEvent, EVENT_FIELDS, LIST_FIELDS, MEETING_FIELDS } from './calendar-event.ts';
import { busyPage, eventPage, meetingPage } from './calendar-pages.ts';
import { livingEvent, VERSIONED_FIELDS, type VersionedEvent } from './event-version.ts';
import { anyZone } from './zoned-time.ts';

/** The only calendar whose events the granted scope covers. */
export const CALENDAR = { calendarId: 'primary' } as const;

/**
 * The calendar's time zone. No other method of the granted scope returns it.
 *
 * @throws AppError `invalid_request` for one that isn't known here
 */
export async function calendarZone(session: WorkspaceSession): Promise<string> {
  const params = { ...CALENDAR, maxResults: 1, fields: 'timeZone' };
  const { timeZone } = await session.call('calendar.events.list', params, z.object({ timeZone: anyZone }));
  if (timeZone === undefined) throw new AppError('invalid_request', 'zone: is required, because the calendar’s own is not known');
  return timeZone;
}

const SECOND_MS = 1_000;
const MAX_PAGES = 40;
const PAGE_SIZE = 250;

export interface EventQuery {
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  /** Zone of the returned times; undefined = the calendar's. */
  zone: string | undefined;
  query?: string | undefined;
  max: number;
  page?: string | undefined;
}

/** Events that overlap the time range, ordered by start; each event of a series separately. */
export function listEvents(session: WorkspaceSession, query: EventQuery) {
  const { from, to, zone, max } = query;
  // The provider leaves out what ends at the lower bound, also an event without a length.
  const params = { ...listParams({ ...query, from: from - SECOND_MS }), fields: `timeZone,nextPageToken,items(${LIST_FIELDS})` };
  return session.call('calendar.events.list', params, eventPage, { from, to, zone, max });
}

/** Only the busy times of such events. */
export function listBusy(session: WorkspaceSession, query: Omit<EventQuery, 'max'> & { zone: string }) {
  // Only the account's own attendee entry matters, and it is always included.
  const params = { ...listParams({ ...query, max: PAGE_SIZE }), maxAttendees: 1, fields: `nextPageToken,items(${BUSY_FIELDS})` };
  return session.call('calendar.events.list', params, busyPage, { zone: query.zone });
}

/** When people are in such events. */
export function listMeetings(session: WorkspaceSession, query: Omit<EventQuery, 'max'> & { zone: string }, people: readonly string[]) {
  const params = { ...listParams({ ...query, max: PAGE_SIZE }), fields: `nextPageToken,items(${MEETING_FIELDS})` };
  return session.call('calendar.events.list', params, meetingPage, { people, zone: query.zone });
}

/**
 * Reads every page: without one, busy time would look free.
 *
 * @throws AppError `too_large`
 */
export async function everyPage<Item>(
  read: (page: string | undefined) => Promise<{ found: Item[]; nextPageToken?: string | undefined }>,
  progress: (message: string) => void,
): Promise<Item[]> {
  const found: Item[] = [];
  let page: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const response = await read(page);
    found.push(...response.found);
    page = response.nextPageToken;
    if (page === undefined) return found;
    progress(`${found.length} busy times so far`);
  }
  throw new AppError('too_large', 'There are too many events. Search a shorter time.');
}

function listParams({ from, to, zone, query, max, page }: EventQuery) {
  return {
    ...CALENDAR,
    timeMin: new Date(from).toISOString(),
    timeMax: new Date(to).toISOString(),
    singleEvents: true,
    orderBy: 'startTime',
    maxResults: max,
    timeZone: zone,
    q: query,
    pageToken: page,
  };
}

/** @throws AppError `not_found`, also for a deleted event, which the provider still returns */
export async function getEvent(session: WorkspaceSession, eventId: string): Promise<VersionedEvent> {
  const event = await session.call('calendar.events.get', { ...CALENDAR, eventId, fields: VERSIONED_FIELDS }, livingEvent);
  if (event.status === 'cancelled') throw new AppError('not_found', 'The event was deleted.');
  return event;
}

/** The object of a change. */
export interface Target {
  /** The event, or the series. */
  event: VersionedEvent;
  /** The event that the caller named. */
  named: VersionedEvent;
}

/**
 * The event itself, or the series it belongs to.
 *
 * @throws AppError `invalid_request` when the id doesn't match the scope
 */
export async function findTarget(session: WorkspaceSession, id: string, scope: 'this' | 'series'): Promise<Target> {
  const named = await getEvent(session, id);
  if (scope === 'this') {
    if (named.recurrence === undefined) return { event: named, named };
    throw new AppError('invalid_request', 'id: is the id of a whole series. Give the id of one of its events, or scope "series".');
  }
  if (named.recurrence !== undefined) return { event: named, named };
  if (named.recurringEventId === undefined) throw new AppError('invalid_request', 'scope: this event belongs to no series');
  return { event: await getEvent(session, named.recurringEventId), named };
}

/**
 * Changes an event as it was read.
 *
 * @returns the event as the provider has it after the change
 * @throws AppError `conflict` when it has changed since
 */
export async function patchEvent(
  session: WorkspaceSession,
  { id, etag }: { id: string; etag?: string | undefined },
  requestBody: object,
  sendUpdates: 'all' | 'none',
): Promise<CalendarEvent> {
  const params = { ...CALENDAR, eventId: id, ifMatch: etag, sendUpdates, requestBody, fields: EVENT_FIELDS };
  return assertLiving(await session.call('calendar.events.patch', params, anyEvent));
}

/** @throws AppError `conflict` when the event was deleted */
export function assertLiving(event: z.output<typeof anyEvent>): CalendarEvent {
  if (event.status === 'cancelled') throw new AppError('conflict', 'The event has been deleted in the meantime.');
  return event;
}
