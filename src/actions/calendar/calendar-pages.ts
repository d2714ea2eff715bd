import { z } from 'zod';
import { unreadableResponse } from '../../providers/transport/response-json.ts';
import { unchecked } from '../../providers/transport/response-list.ts';
import { checked, responseReader } from '../../providers/transport/responses.ts';
import { addressKey } from '../../validation/email-address.ts';
import {
  anyEvent,
  type BusyEvent,
  busyEvent,
  type CalendarEvent,
  describeEvent,
  isBusy,
  isOccupied,
  shownResponse,
} from './calendar-event.ts';
import { type Span, spanOf } from './free-slots.ts';
import { anyZone } from './zoned-time.ts';

const page = z.object({ timeZone: anyZone.optional(), items: unchecked.default([]), nextPageToken: z.string().max(4_096).optional() });

/** The provider's own limit. */
const MAX_EVENTS = 2_500;

interface Listed {
  /** Milliseconds since 1970; `to` is exclusive. */
  from: number;
  to: number;
  /** In which whole days begin; undefined: the page's. */
  zone: string | undefined;
  /** Events that were requested; any beyond are ignored. */
  max: number;
}

/** A page of events as list items; deleted events are dropped, and those outside of the range. */
export const eventPage = responseReader(import.meta.url, 'eventPage', (response, { zone, max, ...range }: Listed) => {
  const { items, ...rest } = checked(page, response);
  const events = items.slice(0, max).map((item) => checked(anyEvent, item));
  const isListed = (event: CalendarEvent) => isWithin(event, range, zone ?? rest.timeZone);
  return { ...rest, items: events.flatMap((event) => (event.status !== 'cancelled' && isListed(event) ? [describeEvent(event)] : [])) };
});

/**
 * Whether an event is in a range that the provider has compared it with: but for one that ends where the range starts, and
 * for whole days, which it compares in the calendar's zone.
 */
function isWithin(event: CalendarEvent, { from, to }: Pick<Listed, 'from' | 'to'>, zone: string | undefined): boolean {
  const { start, end } = spanOf(event, zone ?? 'UTC');
  if ('date' in event.start) return zone === undefined || (end > from && start < to);
  return end !== from || start === from;
}

/** A span with the event that it is of. */
interface EventSpan extends Span {
  id: string;
}

/** The busy times of a page of events. */
export const busyPage = responseReader(import.meta.url, 'busyPage', (response, { zone }: { zone: string }) =>
  timesIn(response, (event): EventSpan[] => (isBusy(event) ? [{ id: event.id, ...spanOf(event, zone) }] : [])),
);

/** When someone is in an event. */
export interface MeetingTime extends EventSpan {
  email: string;
  answer: 'none' | 'tentative' | 'accepted' | 'organizer';
}

interface Meetings {
  /** Addresses in lower case. */
  people: readonly string[];
  zone: string;
}

/** The times of a page of events to which people are invited, or that they organize. */
export const meetingPage = responseReader(import.meta.url, 'meetingPage', (response, { people, zone }: Meetings) =>
  timesIn(response, (event): MeetingTime[] => {
    if (!isOccupied(event)) return [];
    const answers = new Map(event.attendees.map((one) => [addressKey(one.email), shownResponse(one.responseStatus)]));
    return people.flatMap((email) => {
      const answer = answers.get(email) ?? (addressKey(event.organizer?.email ?? '') === email ? 'organizer' : 'declined');
      return answer === 'declined' ? [] : [{ id: event.id, email, ...spanOf(event, zone), answer }];
    });
  }),
);

/** What each event of a page tells. None is ignored, however many there are: busy time would look free. */
function timesIn<Time>(response: unknown, read: (event: BusyEvent) => Time[]): { found: Time[]; nextPageToken?: string | undefined } {
  const { items, nextPageToken } = checked(page, response);
  if (items.length > MAX_EVENTS) throw unreadableResponse('more events than requested');
  const events = items.map((item) => checked(busyEvent, item));
  return { found: events.flatMap((event) => (event.status === 'cancelled' ? [] : read(event))), nextPageToken };
}
