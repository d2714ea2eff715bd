import { z } from 'zod';
import { english } from '../../../public/language/english.js';
import { AppError } from '../../errors.ts';
import type { RunContext } from '../shared/action.ts';
import type { ShownSpan } from '../shared/shown.ts';

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

type Now = Pick<RunContext, 'clock' | 'timeZone'>;

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
 * A range whose ends are given. Days of a bank have no zone: today is the user's, and UTC's if their zone is not known.
 *
 * @throws AppError `invalid_request` for a range that begins after today and has no end
 */
export async function closedRange({ from, to }: DayRange, { clock, timeZone }: Now): Promise<{ from: string; to: string }> {
  const last = to ?? english.localDay(clock.now(), await timeZone());
  const first = from ?? dayOf(Date.parse(last) - USUAL_DAYS * DAY_MS);
  if (first > last) throw new AppError('invalid_request', `to: ${BEFORE}`);
  return { from: first, to: last };
}

/** For a question's list. */
export function shownDays({ from, to }: { from: string; to: string }): ShownSpan {
  return { start: { date: from }, end: { date: to } };
}

/** For the question to the user: `from Sun, 1 Nov 2026 to today`. */
export function showDays({ from, to }: DayRange): string {
  const last = to === undefined ? 'today' : english.day(to);
  return from === undefined ? `for ${USUAL_DAYS} days, to ${last}` : `from ${english.day(from)} to ${last}`;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
