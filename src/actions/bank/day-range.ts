import { z } from 'zod';

const USUAL_DAYS = 30;
const DAY_MS = 24 * 3_600_000;

/** With a short pattern in the JSON Schema: zod's own, which checks leap years, has 200 characters. */
const day = z.iso
  // The check of the range needs days.
  .date({ abort: true, error: ({ input }) => (input === undefined ? undefined : 'must be a day, YYYY-MM-DD') })
  .meta({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });

/** Input fields of a range of days, to be refined with {@link isOrdered}. */
export const rangeFields = {
  from: day.optional().describe(`First day, YYYY-MM-DD; default ${USUAL_DAYS} days before the last.`),
  to: day.optional().describe('Last day, YYYY-MM-DD; default today.'),
};

interface DayRange {
  from?: string | undefined;
  to?: string | undefined;
}

export const NOT_ORDERED = { path: ['to'], message: 'must not be before from' };

export function isOrdered(range: DayRange): boolean {
  const { from, to } = closedRange(range);
  return from <= to;
}

/** Days of the bank have no zone: UTC's are taken. */
export function closedRange({ from, to }: DayRange): { from: string; to: string } {
  const last = to ?? dayOf(Date.now());
  return { from: from ?? dayOf(Date.parse(last) - USUAL_DAYS * DAY_MS), to: last };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
