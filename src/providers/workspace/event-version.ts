import { isObject } from '../../validation/is-object.ts';
import { hashOf } from '../shared/version-hash.ts';

/** The provider's largest page of the events of a series that were changed on their own. Nobody changes more. */
export const MAX_EXCEPTIONS = 2_500;
/** What others see of an event besides its guests, and what decides who they are: nothing that only the user sees. */
export const SEEN = [
  ...['id', 'status', 'summary', 'description', 'location', 'start', 'end', 'originalStartTime', 'recurrence', 'eventType'],
  ...['hangoutLink', 'attachments', 'organizer', 'attendeesOmitted', 'visibility', 'transparency'],
  ...['guestsCanInviteOthers', 'guestsCanModify', 'guestsCanSeeOtherGuests', 'anyoneCanAddSelf'],
];

/** The fields of the provider's events that {@link versionOf} needs. */
export const SEEN_FIELDS = [
  ...SEEN,
  ...['attendees(email,self,displayName,comment,additionalGuests)', 'conferenceData', 'extendedProperties(shared)'],
].join(',');

/** @param event as the provider returns it, before any of its texts is cut */
export function versionOf(event: unknown): string {
  if (!isObject(event)) return hashOf([]);
  const guests = Array.isArray(event.attendees) ? event.attendees.map(guestVersion) : [];
  // While a video meeting is created, only the state of the request changes.
  const { createRequest: _, ...meeting } = isObject(event.conferenceData) ? event.conferenceData : {};
  const { shared } = isObject(event.extendedProperties) ? event.extendedProperties : {};
  return hashOf([SEEN.map((name) => [name, event[name]]), meeting, guests.sort(), shared]);
}

/** Without others' answers and their comments, which may arrive at any time. */
function guestVersion(guest: unknown): string {
  if (!isObject(guest)) return '';
  const { email, displayName, self, comment, additionalGuests } = guest;
  return hashOf([email, displayName, additionalGuests, self === true && comment]);
}
