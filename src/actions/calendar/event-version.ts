import { z } from 'zod';
import { checked, responseReader } from '../../providers/transport/responses.ts';
import { SEEN, versionOf } from '../../providers/workspace/event-version.ts';
import { anyEvent, type CalendarEvent, deletedEvent, EVENT_FIELDS } from './calendar-event.ts';

/** Those of a {@link livingEvent}. */
export const VERSIONED_FIELDS = [...new Set([...EVENT_FIELDS.split(','), ...SEEN, 'extendedProperties', 'etag'])].join(',');

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
