import { z } from 'zod';
import { AppError } from '../../errors.ts';

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

const BEFORE = 'must not be before from';
export const NOT_ORDERED = { path: ['to'], message: BEFORE };

/** A range without an end depends on the day: {@link closedRange} checks it. */
export function isOrdered({ from, to }: DayRange): boolean {
  return from === undefined || to === undefined || from <= to;
}

/**
 * Days of the bank have no zone: UTC's are taken.
 *
 * @param now milliseconds since 1970
 * @throws AppError `invalid_request` for a range that begins after today and has no end
 */
export function closedRange({ from, to }: DayRange, now: number): { from: string; to: string } {
  const last = to ?? dayOf(now);
  const first = from ?? dayOf(Date.parse(last) - USUAL_DAYS * DAY_MS);
  if (first > last) throw new AppError('invalid_request', `to: ${BEFORE}`);
  return { from: first, to: last };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
