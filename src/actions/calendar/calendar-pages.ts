import { z } from 'zod';
import { notUnderstood } from '../../providers/response-json.ts';
import { unchecked } from '../../providers/response-list.ts';
import { answerReader, checked } from '../../providers/responses.ts';
import { anyEvent, busyEvent, describeEvent } from './calendar-event.ts';
import { busySpan, type Span } from './free-slots.ts';
import { zoneName } from './zoned-time.ts';

const page = z.object({ timeZone: zoneName.optional(), items: unchecked.default([]), nextPageToken: z.string().max(4_096).optional() });

/** The provider's own limit. */
const MAX_EVENTS = 2_500;

interface PageLimits {
  /** Events that were asked for; what comes beyond is not looked at. */
  max: number;
}

/** A page of events as a list answers them; deleted ones are dropped. */
export const eventPage = answerReader(import.meta.url, 'eventPage', (answer, { max }: PageLimits) => {
  const { items, ...rest } = checked(page, answer);
  const events = items.slice(0, max).map((item) => checked(anyEvent, item));
  return { ...rest, items: events.flatMap((event) => (event.status === 'cancelled' ? [] : [describeEvent(event)])) };
});

/** The times that a page of events takes. None is left out, however many came: taken time would look free. */
export const busyPage = answerReader(import.meta.url, 'busyPage', (answer, { zone }: { zone: string }) => {
  const { items, nextPageToken } = checked(page, answer);
  if (items.length > MAX_EVENTS) throw notUnderstood('more events than were asked for');
  const events = items.map((item) => checked(busyEvent, item));
  const spans = events.flatMap((event): Span[] => {
    const span = event.status === 'cancelled' ? undefined : busySpan(event, zone);
    return span === undefined ? [] : [span];
  });
  return { spans, nextPageToken };
});
