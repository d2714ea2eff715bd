import { z } from 'zod';
import { unreadableResponse } from '../../providers/transport/response-json.ts';
import { unchecked } from '../../providers/transport/response-list.ts';
import { checked, responseReader } from '../../providers/transport/responses.ts';
import { addressKey } from '../../validation/email-address.ts';
import { anyEvent, type BusyEvent, busyEvent, describeEvent, isBusy, isOccupied, shownResponse } from './calendar-event.ts';
import { type Span, spanOf } from './free-slots.ts';
import { zoneName } from './zoned-time.ts';

const page = z.object({ timeZone: zoneName.optional(), items: unchecked.default([]), nextPageToken: z.string().max(4_096).optional() });

/** The provider's own limit. */
const MAX_EVENTS = 2_500;

/** A page of events as list items; deleted events are dropped. @param max events that were requested; any beyond are ignored */
export const eventPage = responseReader(import.meta.url, 'eventPage', (response, { max }: { max: number }) => {
  const { items, ...rest } = checked(page, response);
  const events = items.slice(0, max).map((item) => checked(anyEvent, item));
  return { ...rest, items: events.flatMap((event) => (event.status === 'cancelled' ? [] : [describeEvent(event)])) };
});

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
