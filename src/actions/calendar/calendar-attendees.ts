import { AppError } from '../../errors.ts';
import { addressKey } from '../../validation/email-address.ts';
import type { Attendee, CalendarEvent } from './calendar-event.ts';

/**
 * The complete new list: a patch replaces the list, so anyone who is missing from it would be uninvited.
 *
 * @throws AppError `invalid_request` when an address to remove isn't invited, or the list is incomplete
 */
export function changedAttendees(event: CalendarEvent, add: readonly string[], remove: readonly string[]): object[] {
  if (event.attendeesOmitted)
    throw new AppError('invalid_request', 'Not all attendees of this event can be read, so their list can’t be changed here.');
  const invited = new Set(event.attendees.map(addressOf));
  const unknown = remove.find((email) => !invited.has(email));
  if (unknown !== undefined) throw new AppError('invalid_request', `remove_attendees: ${unknown} is not invited`);
  const kept = event.attendees.filter((one) => !remove.includes(addressOf(one)));
  return [...kept, ...add.filter((email) => !invited.has(email)).map((email) => ({ email }))];
}

/**
 * Request body that sets the account's own response and keeps all others.
 *
 * @param email of the account
 * @throws AppError `invalid_request` when the account isn't invited
 */
export function ownResponse(
  event: CalendarEvent,
  email: string,
  responseStatus: Attendee['responseStatus'],
  comment: string | undefined,
): object {
  const own = assertInvited(event, email);
  const response = { ...own, responseStatus, ...(comment !== undefined && { comment }) };
  // Of an incomplete list, the provider changes only the account's own response.
  if (event.attendeesOmitted) return { attendeesOmitted: true, attendees: [response] };
  return { attendees: event.attendees.map((one) => (one === own ? response : one)) };
}

/** @param email of the account @throws AppError `invalid_request` when it isn't invited */
export function assertInvited(event: CalendarEvent, email: string): Attendee {
  const own = ownAttendee(event, email);
  if (own === undefined) throw new AppError('invalid_request', 'id: this account is not invited to the event');
  return own;
}

/** @param email of the account @returns undefined: it isn't invited */
export function ownAttendee({ attendees }: CalendarEvent, email: string): Attendee | undefined {
  return attendees.find((one) => one.self === true) ?? attendees.find((one) => addressOf(one) === addressKey(email));
}

function addressOf({ email }: Attendee): string {
  return addressKey(email);
}
