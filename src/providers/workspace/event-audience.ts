import { z } from 'zod';
import { type Audience, people, UNKNOWN, union } from '../shared/audience.ts';
import { list } from '../transport/response-list.ts';
import { MAX_EXCEPTIONS } from './event-version.ts';
import type { WorkspaceSession } from './workspace-session.ts';

const word = z.string().max(500).optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

/** The people of an event (Calendar API v3, `events`). A list with an invalid item fails, so that nobody is left out. */
export const eventGuests = z.object({
  attendees: list(z.object({ email: word, self: flag })).optional(),
  attendeesOmitted: flag,
  organizer: z.object({ email: word, self: flag }).optional(),
});

/** Of an event that may be a series, and of the events of one that were changed on their own. */
const seriesGuests = eventGuests.extend({ id: word, iCalUID: word, recurrence: z.unknown().optional() });
const exceptions = z.object({
  items: list(eventGuests.extend({ recurringEventId: word })).default([]),
  nextPageToken: z.unknown().optional(),
});
const GUESTS = 'attendees(email,self),attendeesOmitted,organizer(email,self)';

type EventGuests = z.output<typeof eventGuests>;

/**
 * Who sees an event besides the account. The organizer decides whether guests see one another, so that of another's
 * event the list of guests may be incomplete.
 */
export function eventAudience({ attendees = [], attendeesOmitted, organizer }: Partial<EventGuests>): Audience {
  const guests = attendees.filter(({ self }) => self !== true).map(({ email }) => email);
  const isOthers = organizer !== undefined && organizer.self !== true;
  const everyone = isOthers ? [organizer.email, ...guests] : guests;
  const isIncomplete = attendeesOmitted === true || isOthers || everyone.some((email) => !isNamed(email));
  return union(people(everyone.filter(isNamed)), isIncomplete ? UNKNOWN : []);
}

/** @throws AppError `not_found` */
export async function readEventAudience(session: WorkspaceSession, eventId: string): Promise<Audience> {
  const params = { calendarId: 'primary', eventId, fields: `id,iCalUID,recurrence,${GUESTS}` };
  const event = await session.call('calendar.events.get', params, seriesGuests);
  return union(eventAudience(event), await readExceptionsAudience(session, event));
}

/**
 * The visibility of an event of the primary calendar: `default` where the provider returns none.
 *
 * @throws AppError `not_found`
 */
export async function readVisibility(session: WorkspaceSession, eventId: string): Promise<string> {
  const params = { calendarId: 'primary', eventId, fields: 'visibility' };
  return (await session.call('calendar.events.get', params, z.object({ visibility: z.string().default('default') }))).visibility;
}

/** Whether those with whom the calendar is shared see no more of an event than its time. */
export function isPrivate(visibility: unknown): boolean {
  return visibility === 'private' || visibility === 'confidential';
}

/** Who sees a change of a series because they are invited to one of its events: such an event has guests of its own. */
async function readExceptionsAudience(
  session: WorkspaceSession,
  { id, iCalUID, recurrence }: Pick<z.output<typeof seriesGuests>, 'id' | 'iCalUID' | 'recurrence'>,
): Promise<Audience> {
  if (recurrence === undefined) return [];
  if (id === undefined || iCalUID === undefined) return UNKNOWN;
  // All parts of a series have its iCalUID (RFC 5545, 3.8.4.4); other instances are not stored.
  const fields = `nextPageToken,items(recurringEventId,${GUESTS})`;
  const params = { calendarId: 'primary', iCalUID, maxResults: MAX_EXCEPTIONS, fields };
  const { items, nextPageToken } = await session.call('calendar.events.list', params, exceptions);
  const ofSeries = items.filter(({ recurringEventId }) => recurringEventId === id);
  return union(...ofSeries.map(eventAudience), nextPageToken === undefined ? [] : UNKNOWN);
}

function isNamed(email: string | undefined): email is string {
  return email !== undefined && email !== '';
}
