import { z } from 'zod';
import { AppError } from '../../errors.ts';

/** What clocks show, as the milliseconds it would be in UTC. */
export type Wall = number;

const DAY_MS = 24 * 3_600_000;
// From 1900 on: JavaScript takes earlier years for others.
const DATE = /^(?:19|2\d)\d{2}-\d{2}-\d{2}$/;
const DATE_TIME = /^((?:19|2\d)\d{2}-\d{2}-\d{2}T\d{2}:\d{2})(:\d{2})?(?:\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/;
const DATE_LENGTH = '2026-05-01'.length;
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 100;
const MAX_ZONE = 60;

/** Input: a time zone by its IANA name. */
export const zoneName = z.string().max(MAX_ZONE).refine(isZone, 'must be a time zone such as Europe/Berlin');

/** Input: a date, or a date with a time, with or without an offset (RFC 3339); seconds are filled in. */
export const moment = z
  .string()
  .max(40)
  .transform((value, context) => {
    const normal = normalised(value);
    if (normal !== undefined) return normal;
    context.addIssue({ code: 'custom', message: 'must be a date (2026-05-01) or a time (2026-05-01T09:00, 2026-05-01T09:00:00+02:00)' });
    return z.NEVER;
  });

/** Whole days have no time and no zone. */
export function isDate(value: string): boolean {
  return value.length === DATE_LENGTH;
}

/** Whether the instant is certain without a zone. */
export function hasOffset(value: string): boolean {
  return /(?:Z|[+-]\d{2}:\d{2})$/.test(value);
}

/** @returns undefined when it is none, or no day that exists */
function normalised(value: string): string | undefined {
  if (DATE.test(value)) return exists(`${value}T00:00:00`) ? value : undefined;
  const match = DATE_TIME.exec(value.toUpperCase());
  if (match === null) return undefined;
  const local = `${match[1]}${match[2] ?? ':00'}`;
  return exists(local) ? `${local}${match[3] ?? ''}` : undefined;
}

/** 30 February is read as 2 March otherwise. */
function exists(local: string): boolean {
  const at = Date.parse(`${local}Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(local);
}

/** When it is, milliseconds since 1970: a date at its midnight, a time without an offset as clocks in `zone` show it. */
export function toInstant(value: string, zone: string): number {
  if (hasOffset(value)) return Date.parse(value);
  return wallToInstant(toWall(value, zone), zone);
}

/** What clocks in `zone` show at that moment. */
export function toWall(value: string, zone: string): Wall {
  if (hasOffset(value)) return wallAt(Date.parse(value), zone);
  return Date.parse(isDate(value) ? `${value}T00:00:00Z` : `${value}Z`);
}

export function wallAt(instant: number, zone: string): Wall {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Of two such instants (clocks set back) the earlier; in a gap (set forward), as much later as clocks jump: RFC 5545 section 3.3.5. */
export function wallToInstant(wall: Wall, zone: string): number {
  const offsetAt = (instant: number) => wallAt(instant, zone) - instant;
  const [before, after] = [offsetAt(wall - DAY_MS), offsetAt(wall + DAY_MS)];
  const early = wall - Math.max(before, after);
  return wallAt(early, zone) === wall ? early : wall - Math.min(before, after);
}

/**
 * Refuses a time that clocks in `zone` never show, since they are set forward over it. Moved on (RFC 5545, 3.3.5), it
 * may meet the end that was given with it.
 *
 * @throws AppError `invalid_request` that names what is skipped, and the times nearest to what was asked for
 */
export function assertShown(field: string, value: string, zone: string): void {
  if (isDate(value) || hasOffset(value)) return;
  const wall = toWall(value, zone);
  const later = wallToInstant(wall, zone);
  const jump = wallAt(later, zone) - wall;
  if (jump === 0) return;
  const change = changeOfOffset(later - jump, later, zone);
  const hours = [wallAt(change - 1_000, zone) + 1_000, wallAt(change, zone)].map((one) => formatWall(one).slice(11, 16));
  throw new AppError(
    'invalid_request',
    `${field}: ${formatWall(wall)} does not exist in ${zone}, where clocks are set forward from ${hours.join(' to ')} that day. Give ${formatWall(wall - jump)} or ${formatWall(wall + jump)}, or a time with an offset.`,
  );
}

/** The first second with the offset of `after`; the two differ. */
function changeOfOffset(before: number, after: number, zone: string): number {
  const offset = wallAt(after, zone) - after;
  let [low, high] = [before, after];
  while (high - low > 1_000) {
    const middle = low + Math.floor((high - low) / 2_000) * 1_000;
    if (wallAt(middle, zone) - middle === offset) high = middle;
    else low = middle;
  }
  return high;
}

/** `2026-05-01` */
export function formatDate(wall: Wall): string {
  return new Date(wall).toISOString().slice(0, 10);
}

/** `2026-05-01T09:00:00`, without an offset. */
export function formatWall(wall: Wall): string {
  return new Date(wall).toISOString().slice(0, 19);
}

/** `2026-05-01T09:00:00+02:00` */
export function formatInstant(instant: number, zone: string): string {
  const wall = wallAt(instant, zone);
  const minutes = Math.round((wall - instant) / 60_000);
  const digits = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${formatWall(wall)}${minutes < 0 ? '-' : '+'}${digits(size / 60)}:${digits(size % 60)}`;
}

/** Whether there is such a zone. Bare offsets are zones to Node, but not to the provider. */
export function isZone(zone: string): boolean {
  if (zone.length > MAX_ZONE || !/^[A-Za-z]/.test(zone)) return false;
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** Making one takes far longer than using it. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const numeric = 'numeric' as const;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(zone, made);
  return made;
}
