import { z } from 'zod';
import { singleLine } from '../../actions/shared/display-text.ts';
import { AppError } from '../../errors.ts';
import { optionalRows } from '../../providers/transport/response-list.ts';
import { schemaReader } from '../../providers/transport/responses.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import type { CalendarChanged, CalendarStarting } from './event-types.ts';
import { distrustsToken, type Found, type LookInput } from './look-types.ts';

const METHOD = 'calendar.events.list';
/** The same in all requests with a token and before it: others may be refused with it (Calendar API: events.list). */
const SYNCED = { calendarId: 'primary', maxResults: 2_500 };
const MAX_PAGES = 20;
/** Bounds a provider that always has another page: a calendar of a person has fewer events. */
const MAX_FIRST_PAGES = 200;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Changes of events that ended before are nobody's concern. */
const PAST_MS = DAY_MS;
/** The provider refuses a longer look back, and has none of what was deleted before. */
const MAX_BACK_MS = 20 * DAY_MS;
const CHANGED_FIELDS = 'items(id,etag,status,summary,updated),nextPageToken,nextSyncToken';
const STARTING_FIELDS = 'items(id,status,summary,start,attendees(self,responseStatus)),nextPageToken';
/** Not where somebody works, or that they are away. */
const MEETINGS = ['default', 'fromGmail'];

const token = z.string().regex(/^[\x20-\x7e]{1,4000}$/);
const id = z.string().regex(/^[\x21-\x7e]{1,1100}$/);
const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const title = singleLine.optional().catch(undefined);
const changed = z.object({
  id,
  // Part of the occurrence.
  etag: z.string().max(200).catch(''),
  status: z.string().catch(''),
  summary: title,
  updated: time.optional().catch(undefined),
});
const starting = z.object({
  id,
  status: z.string().catch(''),
  summary: title,
  // Of a whole day there is no time.
  start: z.object({ dateTime: time }),
  attendees: optionalRows(z.object({ self: z.boolean().default(false), responseStatus: z.string().default('') })),
});
export const changedEvents = schemaReader(
  import.meta.url,
  'changedEvents',
  z.object({ items: optionalRows(changed), nextPageToken: token.optional(), nextSyncToken: token.optional() }),
);
export const startingEvents = schemaReader(
  import.meta.url,
  'startingEvents',
  z.object({ items: optionalRows(starting), nextPageToken: token.optional() }),
);
const storedPosition = z.object({ syncToken: token, pageToken: token.optional() });
type Position = z.output<typeof storedPosition>;

/**
 * What happened in the primary calendar (Calendar API: events.list): events that were made, changed or deleted since a sync
 * token, a series as one, and those that start soon.
 *
 * @throws AppError like the session
 */
export async function readCalendar(session: WorkspaceSession, input: LookInput): Promise<Found> {
  const waitsFor = (name: string) => input.events.includes(name);
  const changes = waitsFor('calendar.changed') ? await readChanged(session, input) : { position: null, events: [], more: false };
  const soon = waitsFor('calendar.starting') ? await readStarting(session, input) : [];
  return { ...changes, events: [...changes.events, ...soon] };
}

async function readChanged(session: WorkspaceSession, input: LookInput): Promise<Found> {
  const known = storedPosition.safeParse(input.position);
  if (!known.success) return { position: await currentPosition(session, input.now), events: [], more: false };
  const read = distrustsToken(input) ? undefined : await readSince(session, input, known.data);
  if (read !== undefined) return read;
  // Before the list: what is changed in between is in both.
  const position = await currentPosition(session, input.now);
  const updatedMin = new Date(Math.max(input.since, input.now - MAX_BACK_MS)).toISOString();
  const events: CalendarChanged[] = [];
  let pageToken: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const params = { ...SYNCED, updatedMin, showDeleted: true, pageToken, fields: CHANGED_FIELDS };
    const page = await session.call(METHOD, params, changedEvents);
    events.push(...page.items.rows.map((row) => toChanged(input, row)));
    pageToken = page.nextPageToken;
    if (pageToken === undefined) break;
  }
  return { position, events, more: false };
}

/** Only the last page has a token. */
async function currentPosition(session: WorkspaceSession, now: number): Promise<Position> {
  const timeMin = new Date(now - PAST_MS).toISOString();
  let pageToken: string | undefined;
  for (let pages = 0; pages < MAX_FIRST_PAGES; pages += 1) {
    const params = { ...SYNCED, timeMin, pageToken, fields: 'nextPageToken,nextSyncToken' };
    const page = await session.call(METHOD, params, changedEvents);
    pageToken = page.nextPageToken;
    if (pageToken === undefined) return storedPosition.parse({ syncToken: page.nextSyncToken });
  }
  throw new AppError('provider_error', 'The calendar’s list of events does not end.');
}

/** @returns undefined: the provider no longer takes the token */
async function readSince(session: WorkspaceSession, input: LookInput, { syncToken, pageToken }: Position): Promise<Found | undefined> {
  const events: CalendarChanged[] = [];
  let at = pageToken;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await changedFrom(session, syncToken, at);
    if (page === undefined) return undefined;
    events.push(...page.items.rows.map((row) => toChanged(input, row)));
    at = page.nextPageToken;
    if (at === undefined) return { position: { syncToken: page.nextSyncToken ?? syncToken }, events, more: false };
  }
  return { position: { syncToken, pageToken: at }, events, more: true };
}

async function changedFrom(session: WorkspaceSession, syncToken: string, pageToken: string | undefined) {
  try {
    return await session.call(METHOD, { ...SYNCED, syncToken, pageToken, fields: CHANGED_FIELDS }, changedEvents);
  } catch (error) {
    // 410: it has ended (Calendar API: Synchronize resources efficiently). 400: it isn't one of this calendar.
    if (error instanceof WorkspaceApiError && (error.httpStatus === 410 || error.httpStatus === 400)) return undefined;
    throw error;
  }
}

function toChanged({ accountId }: LookInput, { id: event, etag, status, summary, updated }: z.output<typeof changed>): CalendarChanged {
  return {
    event: 'calendar.changed',
    occurrence: `calendar:${accountId}:${event}:${etag}`,
    ids: { event },
    at: updated,
    item: { id: event, writtenAt: updated },
    title: status === 'cancelled' && summary === undefined ? undefined : (summary ?? ''),
  };
}

async function readStarting(session: WorkspaceSession, { accountId, now, triggers }: LookInput): Promise<CalendarStarting[]> {
  const minutes = (await triggers()).map((trigger) => (trigger.event === 'calendar.starting' ? trigger.minutes_before : 0));
  const params = {
    calendarId: 'primary',
    timeMin: new Date(now).toISOString(),
    // It is exclusive, and whole seconds.
    timeMax: new Date(now + Math.max(...minutes, 0) * MINUTE_MS + 1_000).toISOString(),
    singleEvents: true,
    orderBy: 'startTime',
    eventTypes: MEETINGS,
    maxResults: 250,
    // Of more guests, the list has only the account itself.
    maxAttendees: 1,
    fields: STARTING_FIELDS,
  };
  const events: CalendarStarting[] = [];
  let pageToken: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await session.call(METHOD, { ...params, pageToken }, startingEvents);
    events.push(...page.items.rows.filter(takesPlace).map((row) => toStarting(accountId, row)));
    pageToken = page.nextPageToken;
    if (pageToken === undefined) break;
  }
  // It lists those that have begun, too.
  return events.filter(({ start }) => start > now);
}

/** It was neither deleted nor declined. */
function takesPlace({ status, attendees }: z.output<typeof starting>): boolean {
  return status !== 'cancelled' && !attendees.rows.some(({ self, responseStatus }) => self && responseStatus === 'declined');
}

function toStarting(account: string, { id: event, summary, start: { dateTime: start } }: z.output<typeof starting>): CalendarStarting {
  const iso = new Date(start).toISOString();
  return {
    event: 'calendar.starting',
    occurrence: `starting:${account}:${event}:${iso}`,
    ids: { event, start: iso },
    at: undefined,
    title: summary ?? '',
    start,
  };
}
