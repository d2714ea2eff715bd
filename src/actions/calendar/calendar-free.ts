import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { builtIn } from '../shared/built-in.ts';
import { fitting } from '../shared/fitting.ts';
import { shownRange, showRange } from './calendar-preview.ts';
import { calendarZone, everyPage, listBusy } from './calendar-session.ts';
import { type FreeRules, freeSlots, type Span } from './free-slots.ts';
import { closedRange, rangeInput, wholeRange } from './time-range.ts';
import { formatZoned, zonedAt } from './zoned-time.ts';

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'] as const;
const MAX_SLOTS = 300;
/** The other members of a result. */
const BESIDE_BYTES = 200;
const MINUTE_MS = 60_000;

const timeOfDay = z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time of day such as 09:00');

const input = z.strictObject({
  ...rangeInput,
  minutes: z.int().min(1).max(1_440).default(30).describe('Length of the shortest slot.'),
  day_start: timeOfDay.default('00:00').describe('Start of the hours on each day.'),
  day_end: timeOfDay.default('24:00').describe('End of the hours on each day.'),
  weekdays: z.array(z.enum(WEEKDAYS)).min(1).max(7).optional().describe('Days; default all.'),
});

const output = z.object({
  items: z.array(z.object({ start: z.string(), end: z.string(), minutes: z.int() })),
  zone: z.string(),
  next: z.string().optional().describe('There are more slots: call again with this as `from`.'),
});

export const calendarFree = builtIn('workspace', {
  name: 'calendar.free',
  effect: 'read',
  description: 'Find free time in the calendar. Invitations without a response and all-day events count as busy.',
  scopes: ['calendar.events.owned'],
  integrity: 'own',
  input,
  output,
  summary: (range, now) => `Find free time ${showRange(closedRange(range, now))}`,
  shown: async (range, _facts, context) => ({ span: await shownRange(range, context) }),
  async run({ minutes, day_start, day_end, weekdays = WEEKDAYS, ...range }, { session, clock, progress, uses, capBytes }) {
    const [dayStart, dayEnd] = [minutesOf(day_start), minutesOf(day_end)];
    if (dayEnd <= dayStart) throw new AppError('invalid_request', 'day_end: must be later than day_start');
    const { from, to, zone } = await wholeRange(range, clock.now(), () => calendarZone(session));
    const busy = await everyPage((page) => listBusy(session, { from, to, zone, page }), progress);
    // Times are data of events, too.
    uses(busy.map(({ id }) => id));
    const days = new Set(weekdays.map((day) => WEEKDAYS.indexOf(day)));
    const rules: FreeRules = { zone, minutes, dayStart, dayEnd, weekdays: days };
    return describe(freeSlots({ start: from, end: to }, busy, rules), zone, capBytes);
  },
});

function describe(slots: Span[], zone: string, capBytes: number): z.input<typeof output> {
  const found = slots.slice(0, MAX_SLOTS).map(({ start, end }) => ({
    start: formatZoned(zonedAt(start, zone)),
    end: formatZoned(zonedAt(end, zone)),
    minutes: Math.floor((end - start) / MINUTE_MS),
  }));
  const items = fitting(found, capBytes - BESIDE_BYTES);
  const more = slots[items.length];
  return { items, zone, next: more && formatZoned(zonedAt(more.start, zone)) };
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
