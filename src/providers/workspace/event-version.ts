import { isObject } from '../../validation/is-object.ts';
import { hashOf } from '../version-hash.ts';

/** What others see of an event, and what decides who they are: not their answers, and nothing that only the user sees. */
export const SEEN = [
  ...['id', 'status', 'summary', 'description', 'location', 'start', 'end', 'originalStartTime', 'recurrence', 'eventType'],
  ...['hangoutLink', 'attachments', 'organizer', 'attendeesOmitted', 'visibility', 'transparency'],
  ...['guestsCanInviteOthers', 'guestsCanModify', 'guestsCanSeeOtherGuests', 'anyoneCanAddSelf'],
];

/** The fields of the provider's events that {@link versionOf} needs. */
export const SEEN_FIELDS = [...SEEN, 'attendees(email,self)', 'conferenceData'].join(',');
/** @param event as the provider returns it, before any of its texts is cut */
export function versionOf(event: unknown): string {
  if (!isObject(event)) return hashOf([]);
  const guests = Array.isArray(event.attendees) ? event.attendees.map((one) => (isObject(one) ? String(one.email) : '')) : [];
  // While a video meeting is created, only the state of the request changes.
  const { createRequest: _, ...meeting } = isObject(event.conferenceData) ? event.conferenceData : {};
  return hashOf([SEEN.map((name) => [name, event[name]]), meeting, guests.sort()]);
}
