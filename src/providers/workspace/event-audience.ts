import { z } from 'zod';
import { type Audience, people, UNKNOWN, union } from '../audience.ts';
import { list } from '../response-list.ts';
import type { WorkspaceSession } from './workspace-session.ts';

const word = z.string().max(500).optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

/** The people of an event (Calendar API v3, `events`). A list with an invalid item fails, so that nobody is left out. */
const eventGuests = z.object({
  attendees: list(z.object({ email: word, self: flag })).optional(),
  attendeesOmitted: flag,
  organizer: z.object({ email: word, self: flag }).optional(),
});

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
  const params = { calendarId: 'primary', eventId, fields: 'attendees(email,self),attendeesOmitted,organizer(email,self)' };
  return eventAudience(await session.call('calendar.events.get', params, eventGuests));
}

function isNamed(email: string | undefined): email is string {
  return email !== undefined && email !== '';
}
