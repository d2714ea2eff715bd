import { AppError } from '../../errors.ts';
import { assertExists, hasOffset, isDate, moment, toInstant, toLocal, zoneName } from './zoned-time.ts';

export const rangeInput = {
  from: moment.describe('A date, or a time.'),
  to: moment.describe('A date (that day is included), or a time.'),
  zone: zoneName.optional().describe('Time zone of dates, of times without an offset, and of the result; absent = the calendar’s.'),
};

/**
 * The instants of a range.
 *
 * @param calendarZone called only if from or to depends on it
 * @returns milliseconds since 1970; `to` is exclusive
 * @throws AppError `invalid_request` for an empty range, or a time that clocks skip
 */
export async function resolveRange(
  { from, to, zone }: { from: string; to: string; zone?: string | undefined },
  calendarZone: () => Promise<string>,
): Promise<{ from: number; to: number }> {
  const needsZone = zone === undefined && !(hasOffset(from) && hasOffset(to));
  const known = zone ?? (needsZone ? await calendarZone() : 'UTC');
  assertExists('from', from, known);
  assertExists('to', to, known);
  const start = toInstant(from, known);
  const end = isDate(to) ? toLocal(to, known).add({ days: 1 }).toZonedDateTime(known).epochMilliseconds : toInstant(to, known);
  if (end <= start) throw new AppError('invalid_request', 'to: must be later than from');
  return { from: start, to: end };
}
