import { z } from 'zod';
import { text } from '../../validation/validate.ts';
import { builtIn } from '../shared/built-in.ts';
import { partOf } from '../shared/labels.ts';
import { PAGE_BYTES, pagePart, placeOf } from '../shared/page-part.ts';
import { describeFully, eventOutput, eventSource } from './calendar-event.ts';
import { eventId } from './calendar-inputs.ts';
import { shownEvent, shownRange, showRange } from './calendar-preview.ts';
import { calendarZone, getEvent, listEvents } from './calendar-session.ts';
import { closedRange, rangeInput, resolveRange } from './time-range.ts';

const listInput = z.strictObject({
  ...rangeInput,
  query: text(200).optional().describe('Words in the title, description, location or attendees.'),
  max: z.int().min(1).max(100).default(50).describe('Most events.'),
  page: text(4_096).optional().describe('`next` of the previous result.'),
});

export const calendarList = builtIn('workspace', {
  name: 'calendar.list',
  effect: 'read',
  description: 'List the events that overlap a time range, by start. Each event of a series is listed separately.',
  scopes: ['calendar.events.owned'],
  input: listInput,
  output: z.object({
    items: z.array(eventOutput),
    zone: z.string().optional().describe('Time zone of the times.'),
    next: z.string().optional().describe('There are more: pass this as `page`.'),
  }),
  sources: ({ items }) => items.map(eventSource),
  summary: (range, now) => `List the events ${showRange(closedRange(range, now))}`,
  shown: async (range, _facts, context) => ({ span: await shownRange(range, context) }),
  async run({ query, max, page, ...range }, { session, clock, uses, capBytes }) {
    const place = placeOf(page);
    const { from, to } = await resolveRange(closedRange(range, clock.now()), () => calendarZone(session));
    const { timeZone, items, nextPageToken } = await listEvents(session, { from, to, zone: range.zone, query, max, page: place.token });
    uses(items.flatMap(seriesOf));
    return { ...pagePart(items, place, nextPageToken, capBytes - PAGE_BYTES), zone: timeZone };
  },
});

export const calendarGet = builtIn('workspace', {
  name: 'calendar.get',
  effect: 'read',
  description: 'Read one event or a whole series, with its description.',
  scopes: ['calendar.events.owned'],
  input: z.strictObject({ id: eventId }),
  output: eventOutput,
  sources: (event) => [eventSource(event)],
  summary: ({ id }) => `Read event ${id}`,
  shown: async ({ id }, _facts, { session }) => ({ event: shownEvent(await getEvent(session, id)) }),
  async run({ id }, { session, uses }) {
    const event = describeFully(await getEvent(session, id));
    uses(seriesOf(event));
    return event;
  },
});

/** An event repeats what was written into its series, which its id doesn't show if that was split off another. */
function seriesOf({ series }: { series?: string | undefined }): string[] {
  return series === undefined ? [] : [partOf(series)];
}
