import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ApiFault, notFound } from '../api-fault.ts';
import type { ApiRequest } from './api-method.ts';
import { blankEvent, type CalendarState, instanceAt, instanceStarts, type StoredEvent } from './calendar-events.ts';
import { bad } from './calendar-list.ts';
import { checkRecurrence } from './calendar-recurrence.ts';
import { type EventTime, isZone, toInstant } from './calendar-times.ts';

type Request = ApiRequest<CalendarState>;

const timePatch = z.object({
  date: z.string().nullish(),
  dateTime: z.string().nullish(),
  timeZone: z.string().nullish(),
});
const attendee = z.looseObject({
  email: z.string().regex(/^[^\s@]+@[^\s@]+$/),
  responseStatus: z.enum(['needsAction', 'declined', 'tentative', 'accepted']).default('needsAction'),
});
const eventPatch = z.looseObject({
  start: timePatch.optional(),
  end: timePatch.optional(),
  recurrence: z.array(z.string()).nullish(),
  attendees: z.array(attendee).nullish(),
  attendeesOmitted: z.boolean().optional(),
  status: z.enum(['confirmed', 'tentative', 'cancelled']).optional(),
  visibility: z.enum(['default', 'public', 'private', 'confidential']).nullish(),
});

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/i;

type EventPatch = z.output<typeof eventPatch>;

/** Read-only fields. */
const OWN_FIELDS = [
  'id',
  'kind',
  'etag',
  'htmlLink',
  'created',
  'updated',
  'organizer',
  'creator',
  'iCalUID',
  'recurringEventId',
  'originalStartTime',
  'hangoutLink',
];
/** Limit up to which an endless series is searched for an event. */
const FAR_MS = 20 * 366 * 24 * 3_600_000;

/** @throws ApiFault 404 */
export function findEvent({ state, params, now }: Request): StoredEvent {
  const id = params.eventId ?? '';
  const stored = state.events.find((event) => event.id === id);
  if (stored !== undefined) return stored;
  const series = state.events.find((event) => event.recurrence !== undefined && id.startsWith(`${event.id}_`));
  const start = series && instanceStarts(series, state, now + FAR_MS).get(id);
  if (series === undefined || start === undefined) throw notFound('Not Found');
  return instanceAt(series, start, state.timeZone);
}

/** events.insert */
export function insertEvent(request: Request): StoredEvent {
  const { account, state, now } = request;
  const patch = parseBody(request.body);
  const at = new Date(now).toISOString();
  const id = createHash('sha256').update(`event:${account.sub}:${state.events.length}:${at}`).digest('hex').slice(0, 26);
  const event = { ...blankEvent(account, id, at), ...conference(request, patch), ...applied({}, patch) } as unknown as StoredEvent;
  check(event, state.timeZone);
  state.events.push(event);
  note(request, event, 'created');
  return event;
}

/** events.patch; with `whole`, events.update, which removes fields that are not sent. */
export function changeEvent(request: Request, whole: boolean): StoredEvent {
  const { state, now } = request;
  const before = findEvent(request);
  assertMatch(request, before);
  const patch = parseBody(request.body);
  // A deleted event can be restored, but not changed.
  if (before.status === 'cancelled' && patch.status !== 'confirmed') throw notFound('Not Found');
  assertMayShare(request, before, patch);
  if (patch.attendeesOmitted === true) patch.attendees = onlyOwnResponse(request, before, patch);
  const kept = Object.fromEntries(Object.entries(before).filter(([name]) => !whole || OWN_FIELDS.includes(name)));
  const changed = { status: before.status, ...applied(kept, patch), ...changedAt(before, now) } as unknown as StoredEvent;
  check(changed, state.timeZone);
  // A changed event of a series becomes an exception.
  const index = state.events.findIndex(({ id }) => id === before.id);
  if (index === -1) state.events.push(changed);
  else state.events[index] = changed;
  if (before.recurrence !== undefined) dropOrphans(state, changed, now);
  note(request, changed, 'changed');
  return changed;
}

/** events.delete */
export function deleteEvent(request: Request): void {
  const { state, now } = request;
  const event = findEvent(request);
  if (event.status === 'cancelled') throw new ApiFault(410, 'deleted', 'Resource has been deleted');
  assertMatch(request, event);
  if (!state.events.includes(event)) state.events.push(event);
  event.status = 'cancelled';
  Object.assign(event, changedAt(event, now));
  for (const exception of state.events) if (exception.recurringEventId === event.id) exception.status = 'cancelled';
  note(request, event, 'deleted');
}

/** @throws ApiFault 412 for a change on condition that the event has another etag */
function assertMatch({ ifMatch }: Request, { etag }: StoredEvent): void {
  if (ifMatch === undefined || ifMatch.trim() === '*' || ifMatch.split(',').some((one) => one.trim() === etag)) return;
  throw new ApiFault(412, 'conditionNotMet', 'Precondition Failed');
}

/** Properties that an event has in all calendars (Calendar API, Handle API errors: forbiddenForNonOrganizer). */
const SHARED = ['guestsCanInviteOthers', 'guestsCanModify', 'guestsCanSeeOtherGuests'];

/** @throws ApiFault 403 for a guest who changes what guests may do */
function assertMayShare({ account }: Request, { organizer }: StoredEvent, patch: EventPatch): void {
  if (organizer.email.toLowerCase() === account.email || !SHARED.some((name) => Object.hasOwn(patch, name))) return;
  const message = 'Shared properties can only be changed by the organizer of the event.';
  throw new ApiFault(403, 'forbiddenForNonOrganizer', message);
}

/** Two changes may have the same time. */
export function changedAt({ etag }: StoredEvent, now: number): Pick<StoredEvent, 'etag' | 'updated'> {
  return { etag: `"${Math.max(now, Number(etag.slice(1, -1)) + 1)}"`, updated: new Date(now).toISOString() };
}

function parseBody(body: unknown): EventPatch {
  const parsed = eventPatch.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  throw bad('invalid', parsed.error.issues[0]?.path.includes('attendees') ? 'Invalid attendee email.' : 'Bad Request');
}

/** JSON merge patch (RFC 7396): null removes a field, lists are replaced. */
function applied(event: Record<string, unknown>, patch: EventPatch): Record<string, unknown> {
  const next: Record<string, unknown> = { ...event };
  for (const [name, value] of Object.entries(patch)) {
    if (OWN_FIELDS.includes(name) || name === 'attendeesOmitted' || name === 'conferenceData') continue;
    if (value === null) delete next[name];
    else if (name === 'start' || name === 'end')
      next[name] = mergeTime(event[name] as EventTime | undefined, value as z.output<typeof timePatch>);
    else next[name] = value;
  }
  return next;
}

function mergeTime(time: EventTime | undefined, patch: z.output<typeof timePatch>): EventTime {
  return Object.fromEntries(Object.entries({ ...time, ...patch }).filter(([, value]) => value !== null && value !== undefined));
}

function check(event: StoredEvent, timeZone: string): void {
  for (const name of ['start', 'end'] as const) {
    if (event[name] === undefined) throw bad('required', `Missing ${name} time.`);
    checkTime(name, event[name], timeZone);
  }
  const { start, end, recurrence } = event;
  if ((start.date === undefined) !== (end.date === undefined))
    throw bad('invalid', 'Start and end times must either both be date or both be dateTime.');
  const length = toInstant(end, timeZone) - toInstant(start, timeZone);
  if (length < 0 || (start.date !== undefined && length === 0)) throw bad('timeRangeEmpty', 'The specified time range is empty.');
  if (recurrence === undefined) return;
  for (const [name, time] of Object.entries({ start, end })) {
    if (time.dateTime !== undefined && time.timeZone === undefined) throw bad('required', `Missing time zone definition for ${name} time.`);
  }
  checkRecurrence({ start, recurrence }, timeZone);
}

function checkTime(name: string, time: EventTime, calendarZone: string): void {
  const { date, dateTime, timeZone } = time;
  if ((date === undefined) === (dateTime === undefined)) throw bad('invalid', `Invalid ${name} time.`);
  if (timeZone !== undefined && !isZone(timeZone)) throw bad('invalid', 'Invalid time zone definition.');
  const match = (date === undefined ? DATE_TIME : DATE).exec(date ?? dateTime ?? '');
  if (match === null || !exists(time, calendarZone)) throw bad('invalid', `Invalid ${name} time.`);
  if (date !== undefined) return;
  if (match[3] === undefined && timeZone === undefined) throw bad('required', `Missing time zone definition for ${name} time.`);
}

function exists(time: EventTime, zone: string): boolean {
  try {
    return !Number.isNaN(toInstant(time, zone));
  } catch {
    return false;
  }
}

/** With `attendeesOmitted`, only the caller's own response is changed. */
function onlyOwnResponse({ account }: Request, before: StoredEvent, { attendees }: EventPatch): z.output<typeof attendee>[] {
  const own = attendees?.find(({ email }) => email.toLowerCase() === account.email);
  return (before.attendees ?? []).map((one) => (own !== undefined && one.email === own.email ? { ...one, ...own } : one)) as z.output<
    typeof attendee
  >[];
}

function conference({ query }: Request, { conferenceData }: EventPatch): object {
  if (query.get('conferenceDataVersion') !== '1' || conferenceData === undefined) return {};
  const uri = 'https://meet.google.com/new-made-now';
  return { hangoutLink: uri, conferenceData: { entryPoints: [{ entryPointType: 'video', uri }], conferenceId: 'new-made-now' } };
}

/** Removes exceptions of events that a changed series no longer has. */
function dropOrphans(state: CalendarState, series: StoredEvent, now: number): void {
  const starts = series.recurrence === undefined ? undefined : instanceStarts(series, state, now + FAR_MS);
  state.events = state.events.filter((event) => event.recurringEventId !== series.id || starts?.has(event.id) === true);
}

function note({ account, query, state }: Request, event: StoredEvent, about: CalendarState['notices'][number]['about']): void {
  const sendUpdates = query.get('sendUpdates') ?? 'not given';
  const others = (event.attendees ?? []).map(({ email }) => email).filter((email) => email.toLowerCase() !== account.email);
  state.notices.push({ event: event.id, about, sendUpdates, to: sendUpdates === 'all' ? others : [] });
}
