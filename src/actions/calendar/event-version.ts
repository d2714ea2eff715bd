import { z } from 'zod';
import { checked, responseReader } from '../../providers/responses.ts';
import { hashOf } from '../../providers/version-hash.ts';
import { isObject } from '../../validation/is-object.ts';
import { anyEvent, type CalendarEvent, deletedEvent, EVENT_FIELDS } from './calendar-event.ts';

/** What others see of an event, and what decides who they are: not their answers, and nothing that only the user sees. */
const SEEN = [
  ...['id', 'status', 'summary', 'description', 'location', 'start', 'end', 'originalStartTime', 'recurrence', 'eventType'],
  ...['hangoutLink', 'attachments', 'organizer', 'attendeesOmitted', 'visibility', 'transparency'],
  ...['guestsCanInviteOthers', 'guestsCanModify', 'guestsCanSeeOtherGuests', 'anyoneCanAddSelf'],
];

/** The fields of the provider's events that {@link versionOf} needs. */
export const SEEN_FIELDS = [...SEEN, 'attendees(email,self)', 'conferenceData'].join(',');
/** Those of a {@link livingEvent}. */
export const VERSIONED_FIELDS = [...new Set([...EVENT_FIELDS.split(','), ...SEEN, 'etag'])].join(',');

/** What a change of an event is bound to. */
export interface Versioned {
  /** Of the request that read it; undefined: the provider gave none. */
  etag?: string | undefined;
  /** Changes with what others see. */
  version: string;
}

export type VersionedEvent = CalendarEvent & Versioned;

const etag = z.object({
  etag: z
    .string()
    .max(200)
    .regex(/^"[\x21\x23-\x7e]*"$/)
    .optional()
    .catch(undefined),
});

/** An event that wasn't deleted, or that it was. */
export const livingEvent = responseReader(import.meta.url, 'livingEvent', (response): VersionedEvent | { status: 'cancelled' } => {
  const event = checked(anyEvent, response);
  return event.status === 'cancelled' ? event : { ...event, ...versioned(response) };
});

/** A deleted event, unless its status tells otherwise. */
export const versionedDeletion = responseReader(import.meta.url, 'versionedDeletion', (response) => ({
  ...checked(deletedEvent, response),
  ...versioned(response),
}));

function versioned(response: unknown): Versioned {
  return { ...checked(etag, response), version: versionOf(response) };
}

/** @param event as the provider returns it, before any of its texts is cut */
export function versionOf(event: unknown): string {
  if (!isObject(event)) return hashOf([]);
  const guests = Array.isArray(event.attendees) ? event.attendees.map((one) => (isObject(one) ? String(one.email) : '')) : [];
  // While a video meeting is created, only the state of the request changes.
  const { createRequest: _, ...meeting } = isObject(event.conferenceData) ? event.conferenceData : {};
  return hashOf([SEEN.map((name) => [name, event[name]]), meeting, guests.sort()]);
}
