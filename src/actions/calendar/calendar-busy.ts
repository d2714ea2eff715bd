import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { addressKey } from '../../validation/email-address.ts';
import { emailAddress } from '../../validation/validate.ts';
import { builtIn } from '../shared/built-in.ts';
import { jsonBytes } from '../shared/fitting.ts';
import { shownRange, showRange } from './calendar-preview.ts';
import { calendarZone, everyPage, listMeetings } from './calendar-session.ts';
import { closedRange, rangeInput, wholeRange } from './time-range.ts';
import { formatZoned, zonedAt } from './zoned-time.ts';

const MAX_PEOPLE = 20;
/** Of one result. */
const MAX_TIMES = 1_000;

const answer = z.enum(['none', 'tentative', 'accepted', 'organizer']);

export const calendarBusy = builtIn('workspace', {
  name: 'calendar.busy',
  effect: 'read',
  description: 'When other people are busy, as far as the user’s own calendar shows: events that they are invited to and haven’t declined.',
  scopes: ['calendar.events.owned'],
  integrity: 'own',
  input: z.strictObject({
    people: z
      .array(emailAddress)
      .min(1)
      .max(MAX_PEOPLE)
      .transform((emails) => [...new Set(emails.map(addressKey))])
      .describe(`Mail addresses, at most ${MAX_PEOPLE}.`),
    ...rangeInput,
  }),
  output: z.object({
    items: z.array(
      z.object({
        email: z.string(),
        busy: z.array(z.object({ start: z.string(), end: z.string(), answer: answer.describe('Their answer to the event.') })),
        calendar: z.literal('not_readable').describe('Only events in the user’s calendar were read: the list isn’t complete.'),
      }),
    ),
    zone: z.string(),
  }),
  summary: ({ people, ...range }, now) => `Find when ${people.length} people are busy ${showRange(closedRange(range, now))}`,
  shown: async (range, _facts, context) => ({ span: await shownRange(range, context) }),
  async run({ people, ...range }, { session, clock, progress, uses, capBytes }) {
    const { from, to, zone } = await wholeRange(range, clock.now(), () => calendarZone(session));
    const times = await everyPage((page) => listMeetings(session, { from, to, zone, page }, people), progress);
    uses(times.map(({ id }) => id));
    if (times.length > MAX_TIMES) throw tooMany();
    const at = (instant: number) => formatZoned(zonedAt(instant, zone));
    const items = people.map((email) => ({
      email,
      busy: times.filter((one) => one.email === email).map((one) => ({ start: at(one.start), end: at(one.end), answer: one.answer })),
      calendar: 'not_readable' as const,
    }));
    // A part of them would look like free time.
    if (jsonBytes({ items, zone }) > capBytes) throw tooMany();
    return { items, zone };
  },
});

function tooMany(): AppError {
  return new AppError('too_large', 'There are too many events. Search a shorter time, or fewer people.');
}
