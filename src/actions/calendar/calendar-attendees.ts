import { AppError } from '../../errors.ts';
import type { Attendee, CalendarEvent } from './calendar-event.ts';

/** The whole list as it shall be: a patch replaces it, so whoever isn't in it would be uninvited. */
export function changedAttendees(event: CalendarEvent, add: readonly string[], remove: readonly string[]): object[] {
  if (event.attendeesOmitted) throw new AppError('invalid_request', 'This event has too many attendees to change their list here.');
  const invited = new Set(event.attendees.map(addressOf));
  const unknown = remove.find((email) => !invited.has(email));
  if (unknown !== undefined) throw new AppError('invalid_request', `remove_attendees: ${unknown} is not invited`);
  const kept = event.attendees.filter((one) => !remove.includes(addressOf(one)));
  return [...kept, ...add.filter((email) => !invited.has(email)).map((email) => ({ email }))];
}

/**
 * The body that gives the account's own answer, everybody else's untouched.
 *
 * @param email of the account
 * @throws AppError `invalid_request` when it isn't invited
 */
export function ownResponse(
  event: CalendarEvent,
  email: string,
  responseStatus: Attendee['responseStatus'],
  comment: string | undefined,
): object {
  const own = event.attendees.find((one) => one.self === true) ?? event.attendees.find((one) => addressOf(one) === email.toLowerCase());
  if (own === undefined) throw new AppError('invalid_request', 'id: this account is not invited to the event');
  const answer = { ...own, responseStatus, ...(comment !== undefined && { comment }) };
  // Of a list that came in part, only the own answer is taken.
  if (event.attendeesOmitted) return { attendeesOmitted: true, attendees: [answer] };
  return { attendees: event.attendees.map((one) => (one === own ? answer : one)) };
}

function addressOf({ email }: Attendee): string {
  return email.toLowerCase();
}
