import { AppError } from '../../errors.ts';
import { assertExists, formatDate, formatLocal, hasOffset, isDate, moment, toInstant, toLocal, zoneName } from './zoned-time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const OPEN_DAYS = 7;
/** Of a range whose events are all read. */
const MAX_DAYS = 92;

/** Input: a range of time; {@link closedRange} has its defaults. */
export const rangeInput = {
  from: moment.optional().describe('A date, or a time; default now.'),
  to: moment.optional().describe(`A date (inclusive), or a time; default ${OPEN_DAYS} days after from.`),
  zone: zoneName.optional().describe('Time zone, if not the calendar’s.'),
};

/**
 * A range whose ends are given: by default from this hour on, for a week. The hour, because the next page needs the same range.
 *
 * @param now milliseconds since 1970
 */
export function closedRange<Range extends { from?: string | undefined; to?: string | undefined }>(
  range: Range,
  now: number,
): Range & { from: string; to: string } {
  const from = range.from ?? new Date(Math.floor(now / HOUR_MS) * HOUR_MS).toISOString();
  return { ...range, from, to: range.to ?? weekAfter(from) };
}

function weekAfter(from: string): string {
  // The last day is included.
  if (isDate(from)) return formatDate(toLocal(from, 'UTC').add({ days: OPEN_DAYS - 1 }));
  if (hasOffset(from)) return new Date(Date.parse(from) + OPEN_DAYS * DAY_MS).toISOString();
  return formatLocal(toLocal(from, 'UTC').add({ days: OPEN_DAYS }));
}

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

/**
 * The instants of a range whose events are all read, and the zone in which its days begin.
 *
 * @throws AppError like {@link resolveRange}; `invalid_request` for a longer range
 */
export async function wholeRange(
  range: { from?: string | undefined; to?: string | undefined; zone?: string | undefined },
  now: number,
  calendarZone: () => Promise<string>,
): Promise<{ from: number; to: number; zone: string }> {
  const zone = range.zone ?? (await calendarZone());
  const { from, to } = await resolveRange({ ...closedRange(range, now), zone }, async () => zone);
  if (to - from > (MAX_DAYS + 1) * DAY_MS) throw new AppError('invalid_request', `to: at most ${MAX_DAYS} days after from`);
  return { from, to, zone };
}
