import { ApiFault } from '../api-fault.ts';
import type { ApiRequest } from './api-method.ts';
import { type CalendarState, instancesOf, present, type StoredEvent } from './calendar-events.ts';
import { changedSince, positionOf, syncTokenOf } from './calendar-sync.ts';
import { isZone, toInstant } from './calendar-times.ts';

type Request = ApiRequest<CalendarState>;

/** How far back `updatedMin` may lie. */
const UPDATED_MIN_MS = 28 * 24 * 3_600_000;
/** Default limit of endless series. */
const HORIZON_MS = 2 * 366 * 24 * 3_600_000;

interface Window {
  from: number;
  to: number;
  /** Up to which the events of series are listed. */
  horizon: number;
  zone: string;
}

/** events.list */
export function listEvents(request: Request): object {
  const { query, state } = request;
  const single = query.get('singleEvents') === 'true';
  const orderBy = query.get('orderBy');
  if (orderBy === 'startTime' && !single) throw bad('badRequest', 'The requested ordering is not available for the particular query.');
  if (orderBy !== null && orderBy !== 'startTime' && orderBy !== 'updated') throw bad('invalidParameter', 'Invalid value for orderBy.');
  const position = positionOf(request);
  const window = windowOf(request, position);
  const since = updatedSince(request);
  const chosen = position === undefined ? state.events : changedSince(state, position);
  // Of a series that has changed, each of its events; of an exception, itself.
  const stored = chosen.filter((event) => position !== undefined || event.recurringEventId === undefined);
  const events = single
    ? stored.flatMap((event) => (event.recurrence === undefined ? [event] : [...instancesOf(event, state, window.horizon, window.from)]))
    : chosen;
  const uid = query.get('iCalUID');
  const wanted = uid === null ? events : events.filter(({ iCalUID }) => iCalUID === uid);
  const showsDeleted = query.get('showDeleted') === 'true' || position !== undefined || since !== undefined;
  const visible = [...new Map(wanted.map((event) => [event.id, event])).values()].filter(
    (event) =>
      (isShown(event, request, window, { single, showsDeleted }) || (position !== undefined && event.status === 'cancelled')) &&
      (since === undefined || Date.parse(event.updated) >= since) &&
      matches(event, query.get('q') ?? ''),
  );
  if (orderBy === 'startTime') visible.sort((a, b) => toInstant(a.start, window.zone) - toInstant(b.start, window.zone));
  if (orderBy === 'updated') visible.sort((a, b) => a.updated.localeCompare(b.updated));
  return page(request, visible, window.zone, (change) => syncTokenOf(request, position, change));
}

/**
 * The time of `updatedMin`.
 *
 * @throws ApiFault 410 for one too long ago (Handle API errors, updatedMinTooLongAgo)
 */
function updatedSince(request: Request): number | undefined {
  const since = instantParameter(request, 'updatedMin');
  if (since !== undefined && since < request.now - UPDATED_MIN_MS) {
    throw new ApiFault(410, 'updatedMinTooLongAgo', 'The requested minimum modification time lies too far in the past.');
  }
  return since;
}

/** events.instances */
export function listInstances(request: Request, series: StoredEvent): object {
  const { query } = request;
  const window = windowOf(request);
  const instances = series.recurrence === undefined ? [] : [...instancesOf(series, request.state, window.horizon, window.from)];
  return page(
    request,
    instances.filter((event) => isShown(event, request, window, { single: true, showsDeleted: query.get('showDeleted') === 'true' })),
    window.zone,
    () => ({}),
  );
}

/** @throws ApiFault 400 when the zone is unknown */
export function zoneOf({ query, state }: Pick<Request, 'query' | 'state'>): string {
  const zone = query.get('timeZone') ?? state.timeZone;
  if (!isZone(zone)) throw bad('invalid', 'Invalid time zone definition.');
  return zone;
}

/** @param given the range of the list that is continued, if any */
function windowOf(request: Request, given?: { timeMin: string | null; timeMax: string | null }): Window {
  const zone = zoneOf(request);
  const from = given?.timeMin ? Date.parse(given.timeMin) : (instantParameter(request, 'timeMin') ?? Number.NEGATIVE_INFINITY);
  const to = given?.timeMax ? Date.parse(given.timeMax) : (instantParameter(request, 'timeMax') ?? Number.POSITIVE_INFINITY);
  if (to <= from) throw bad('timeRangeEmpty', 'The specified time range is empty.');
  return { from, to, horizon: to === Number.POSITIVE_INFINITY ? request.now + HORIZON_MS : to, zone };
}

/** RFC 3339 with an offset, which the provider requires. */
function instantParameter({ query }: Request, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i.test(value) || Number.isNaN(Date.parse(value))) {
    throw bad('badRequest', 'Bad Request');
  }
  return Date.parse(value);
}

function isShown(
  event: StoredEvent,
  { state }: Request,
  { from, to, horizon, zone }: Window,
  { single, showsDeleted }: { single: boolean; showsDeleted: boolean },
): boolean {
  // Cancelled exceptions are listed when the events of their series are not.
  const tellsException = !single && event.recurringEventId !== undefined && isAlive(state, event.recurringEventId);
  if (event.status === 'cancelled' && !showsDeleted && !tellsException) return false;
  if (!single && event.recurrence !== undefined) {
    return instancesOf(event, state, horizon, from).some((one) => overlaps(one, from, to, zone));
  }
  return overlaps(event, from, to, zone);
}

function isAlive({ events }: CalendarState, id: string): boolean {
  return events.some((event) => event.id === id && event.status !== 'cancelled');
}

function overlaps(event: StoredEvent, from: number, to: number, zone: string): boolean {
  return toInstant(event.end, zone) > from && toInstant(event.start, zone) < to;
}

function matches(event: StoredEvent, q: string): boolean {
  const people = (event.attendees ?? []).flatMap(({ email, displayName }) => [email, displayName ?? '']);
  const text = [event.summary, event.description, event.location, event.organizer.email, ...people].join('\n').toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((term) => text.includes(term));
}

/** @param last members of the last page, by the newest change when the first one was listed */
function page(request: Request, events: StoredEvent[], zone: string, last: (change: number) => object): object {
  const { account, query, state, now } = request;
  const size = Math.min(Number(query.get('maxResults') ?? 250), 2_500);
  if (!Number.isInteger(size) || size < 1) throw bad('invalidParameter', 'Invalid value for maxResults.');
  const { start, change } = pageStart(query.get('pageToken'), state);
  const more = start + size < events.length;
  return {
    kind: 'calendar#events',
    etag: `"p${events.length}"`,
    summary: account.email,
    description: '',
    updated: new Date(now).toISOString(),
    timeZone: zone,
    accessRole: 'owner',
    defaultReminders: [{ method: 'popup', minutes: 10 }],
    ...(more ? { nextPageToken: Buffer.from(`offset:${start + size}:${change}`).toString('base64') } : last(change)),
    items: events.slice(start, start + size).map((event) => presentListed(event, request, zone)),
  };
}

/** Of a deleted event of somebody else, no more than its id is left (Events, status). */
function presentListed(event: StoredEvent, { account }: Request, zone: string): object {
  const shown = present(event, account, zone) as StoredEvent;
  if (event.status !== 'cancelled' || event.organizer.email.toLowerCase() === account.email) return shown;
  const { kind, etag, id, status, recurringEventId, originalStartTime } = shown;
  return { kind, etag, id, status, ...(recurringEventId !== undefined && { recurringEventId, originalStartTime }) };
}

/** The offset of a page, and the newest change when the first page was listed. */
function pageStart(token: string | null, { changed }: CalendarState): { start: number; change: number } {
  if (token === null || token === '') return { start: 0, change: changed?.newest ?? 0 };
  const [, start, change] = /^offset:(\d{1,9}):(\d{1,9})$/.exec(Buffer.from(token, 'base64').toString()) ?? [];
  if (start === undefined) throw bad('invalid', 'Invalid page token value.');
  return { start: Number(start), change: Number(change) };
}

export function bad(reason: string, message: string): ApiFault {
  return new ApiFault(400, reason, message);
}
