import { ApiFault } from '../api-fault.ts';
import type { ApiRequest } from './api-method.ts';
import { type CalendarState, instancesOf, present, type StoredEvent } from './calendar-events.ts';
import { isZone, toInstant } from './calendar-times.ts';

type Request = ApiRequest<CalendarState>;

/** Default limit of endless series. */
const HORIZON_MS = 2 * 366 * 24 * 3_600_000;

interface Window {
  from: number;
  to: number;
  zone: string;
}

/** events.list */
export function listEvents(request: Request): object {
  const { query, state } = request;
  const single = query.get('singleEvents') === 'true';
  const orderBy = query.get('orderBy');
  if (orderBy === 'startTime' && !single) throw bad('badRequest', 'The requested ordering is not available for the particular query.');
  if (orderBy !== null && orderBy !== 'startTime' && orderBy !== 'updated') throw bad('invalidParameter', 'Invalid value for orderBy.');
  const window = windowOf(request);
  const stored = state.events.filter((event) => event.recurringEventId === undefined);
  const events = single
    ? stored.flatMap((event) => (event.recurrence === undefined ? [event] : [...instancesOf(event, state, window.to, window.from)]))
    : state.events;
  const uid = query.get('iCalUID');
  const wanted = uid === null ? events : events.filter(({ iCalUID }) => iCalUID === uid);
  const visible = wanted.filter((event) => isShown(event, request, window, single) && matches(event, query.get('q') ?? ''));
  if (orderBy === 'startTime') visible.sort((a, b) => toInstant(a.start, window.zone) - toInstant(b.start, window.zone));
  if (orderBy === 'updated') visible.sort((a, b) => a.updated.localeCompare(b.updated));
  return page(request, visible, window.zone);
}

/** events.instances */
export function listInstances(request: Request, series: StoredEvent): object {
  const window = windowOf(request);
  const instances = series.recurrence === undefined ? [] : [...instancesOf(series, request.state, window.to, window.from)];
  return page(
    request,
    instances.filter((event) => isShown(event, request, window, true)),
    window.zone,
  );
}

/** @throws ApiFault 400 when the zone is unknown */
export function zoneOf({ query, state }: Pick<Request, 'query' | 'state'>): string {
  const zone = query.get('timeZone') ?? state.timeZone;
  if (!isZone(zone)) throw bad('invalid', 'Invalid time zone definition.');
  return zone;
}

function windowOf(request: Request): Window {
  const zone = zoneOf(request);
  const from = instantParameter(request, 'timeMin') ?? Number.NEGATIVE_INFINITY;
  const to = instantParameter(request, 'timeMax') ?? request.now + HORIZON_MS;
  if (to <= from) throw bad('timeRangeEmpty', 'The specified time range is empty.');
  return { from, to, zone };
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

function isShown(event: StoredEvent, { query, state }: Request, { from, to, zone }: Window, single: boolean): boolean {
  // Cancelled exceptions are listed when the events of their series are not.
  const tellsException = !single && event.recurringEventId !== undefined && isAlive(state, event.recurringEventId);
  if (event.status === 'cancelled' && query.get('showDeleted') !== 'true' && !tellsException) return false;
  if (!single && event.recurrence !== undefined) {
    return instancesOf(event, state, to, from).some((one) => overlaps(one, from, to, zone));
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

function page({ account, query, now }: Request, events: StoredEvent[], zone: string): object {
  const size = Math.min(Number(query.get('maxResults') ?? 250), 2_500);
  if (!Number.isInteger(size) || size < 1) throw bad('invalidParameter', 'Invalid value for maxResults.');
  const start = offsetOf(query.get('pageToken'));
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
    ...(more && { nextPageToken: Buffer.from(`offset:${start + size}`).toString('base64') }),
    items: events.slice(start, start + size).map((event) => present(event, account, zone)),
  };
}

function offsetOf(token: string | null): number {
  if (token === null || token === '') return 0;
  const offset = /^offset:(\d{1,9})$/.exec(Buffer.from(token, 'base64').toString())?.[1];
  if (offset === undefined) throw bad('invalid', 'Invalid page token value.');
  return Number(offset);
}

export function bad(reason: string, message: string): ApiFault {
  return new ApiFault(400, reason, message);
}
