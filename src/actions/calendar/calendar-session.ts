import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { anyEvent, BUSY_FIELDS, type CalendarEvent, EVENT_FIELDS, LIST_FIELDS } from './calendar-event.ts';
import { busyPage, eventPage } from './calendar-pages.ts';
import { zoneName } from './zoned-time.ts';

/** The one calendar: its events are all that the consent covers. */
export const CALENDAR = { calendarId: 'primary' } as const;

/** The calendar's zone: no other method of the granted scope tells it. */
export async function calendarZone(session: WorkspaceSession): Promise<string> {
  const params = { ...CALENDAR, maxResults: 1, fields: 'timeZone' };
  const { timeZone } = await session.call('calendar.events.list', params, z.object({ timeZone: zoneName }));
  return timeZone;
}

export interface EventQuery {
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  /** Zone that times are answered in; undefined = the calendar's. */
  zone: string | undefined;
  query?: string | undefined;
  max: number;
  page?: string | undefined;
}

/** Events that overlap the time, each of a series on its own, by their start. */
export function listEvents(session: WorkspaceSession, query: EventQuery) {
  const params = { ...listParams(query), fields: `timeZone,nextPageToken,items(${LIST_FIELDS})` };
  return session.call('calendar.events.list', params, eventPage, { max: query.max });
}

/** The times that such events take, and nothing else of them. */
export function listBusy(session: WorkspaceSession, query: EventQuery & { zone: string }) {
  // Of the attendees only the account itself counts, and it is always among them.
  const params = { ...listParams(query), maxAttendees: 1, fields: `nextPageToken,items(${BUSY_FIELDS})` };
  return session.call('calendar.events.list', params, busyPage, { zone: query.zone });
}

function listParams({ from, to, zone, query, max, page }: EventQuery) {
  return {
    ...CALENDAR,
    timeMin: new Date(from).toISOString(),
    timeMax: new Date(to).toISOString(),
    singleEvents: true,
    orderBy: 'startTime',
    maxResults: max,
    ...(zone !== undefined && { timeZone: zone }),
    ...(query !== undefined && { q: query }),
    ...(page !== undefined && { pageToken: page }),
  };
}

/** @throws AppError `not_found`, also for one that was deleted: the provider still answers it */
export async function getEvent(session: WorkspaceSession, eventId: string): Promise<CalendarEvent> {
  const event = await session.call('calendar.events.get', { ...CALENDAR, eventId, fields: EVENT_FIELDS }, anyEvent);
  if (event.status === 'cancelled') throw new AppError('not_found', 'There is no such event: it was deleted.');
  return event;
}

/** What a change is made to. */
export interface Target {
  /** The event, or the series. */
  event: CalendarEvent;
  /** The event that was named. */
  named: CalendarEvent;
}

/**
 * The event itself, or the series behind it.
 *
 * @throws AppError `invalid_request` when the id and the scope don't go together
 */
export async function findTarget(session: WorkspaceSession, id: string, scope: 'this' | 'series'): Promise<Target> {
  const named = await getEvent(session, id);
  if (scope === 'this') {
    if (named.recurrence === undefined) return { event: named, named };
    throw new AppError('invalid_request', 'id: names a whole series. Give the id of one of its events, or scope "series".');
  }
  if (named.recurrence !== undefined) return { event: named, named };
  if (named.recurringEventId === undefined) throw new AppError('invalid_request', 'scope: this event belongs to no series');
  return { event: await getEvent(session, named.recurringEventId), named };
}

/** @returns the event as the provider has it after the change */
export async function patchEvent(
  session: WorkspaceSession,
  eventId: string,
  requestBody: object,
  sendUpdates: 'all' | 'none',
): Promise<CalendarEvent> {
  const params = { ...CALENDAR, eventId, sendUpdates, requestBody, fields: EVENT_FIELDS };
  return living(await session.call('calendar.events.patch', params, anyEvent));
}

/** An answer to a change that tells of no event. */
export function living(event: z.output<typeof anyEvent>): CalendarEvent {
  if (event.status === 'cancelled') throw new AppError('conflict', 'The event was deleted meanwhile.');
  return event;
}
