import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import { english } from '../../../public/language/english.js';
import { AppError } from '../../errors.ts';

// From 1900 on: JavaScript maps two-digit years to the 20th century.
const DATE = /^(?:19|2\d)\d{2}-\d{2}-\d{2}$/;
const DATE_TIME = /^((?:19|2\d)\d{2}-\d{2}-\d{2}T\d{2}:\d{2})(:\d{2})?(?:\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/;
const DATE_LENGTH = '2026-05-01'.length;
const LOCAL_LENGTH = '2026-05-01T09:00:00'.length;
const ZONE = /^[A-Za-z][\w+/-]*$/;
const MAX_ZONE = 60;

/** Input: an IANA time zone name, in any spelling. */
export const zoneName = z
  .string()
  .max(MAX_ZONE)
  .overwrite((zone) => properZone(zone) ?? zone)
  .refine(isZone, 'must be a time zone such as Europe/Berlin');

/** A provider's zone; undefined: one that isn't known here, as `GMT-05:00` or a zone that is newer. */
export const anyZone = z
  .string()
  .regex(/^[A-Za-z][\w+:/-]{0,59}$/)
  .transform(properZone);

/** Input: a date, or a date with a time, with or without an offset (RFC 3339); missing seconds are added, fractions dropped. */
export const moment = z
  .string()
  .max(40)
  .transform((value, context) => {
    const normal = normalise(value);
    if (normal !== undefined) return normal;
    context.addIssue({ code: 'custom', message: 'must be a date (2026-05-01) or a time (2026-05-01T09:00, 2026-05-01T09:00:00+02:00)' });
    return z.NEVER;
  });

/** Whether the value is a date without a time: a whole day, which has no zone. */
export function isDate(value: string): boolean {
  return value.length === DATE_LENGTH;
}

/** Whether the value is an instant without knowing a zone. */
export function hasOffset(value: string): boolean {
  return /(?:Z|[+-]\d{2}:\d{2})$/.test(value);
}

/** @returns undefined for other formats, and for days and times that don't exist */
function normalise(value: string): string | undefined {
  if (DATE.test(value)) return exists(`${value}T00:00:00`) ? value : undefined;
  const match = DATE_TIME.exec(value.toUpperCase());
  if (match === null) return undefined;
  const local = `${match[1]}${match[2] ?? ':00'}`;
  const normal = `${local}${match[3] ?? ''}`;
  return exists(local) && !Number.isNaN(Date.parse(normal)) ? normal : undefined;
}

/** `Date.parse` reads 30 February as 2 March. */
function exists(local: string): boolean {
  const at = Date.parse(`${local}Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(local);
}

/**
 * The moment in `zone`: a date at its midnight, a time without an offset as clocks in `zone` show it. Of two such
 * moments (clocks set back) the earlier; in a gap (set forward) as much later as clocks jump (RFC 5545 section 3.3.5).
 */
export function toZoned(value: string, zone: string): Temporal.ZonedDateTime {
  return hasOffset(value) ? zonedAt(Date.parse(value), zone) : toLocal(value, zone).toZonedDateTime(zone);
}

/** The same in milliseconds since 1970. */
export function toInstant(value: string, zone: string): number {
  return hasOffset(value) ? Date.parse(value) : toZoned(value, zone).epochMilliseconds;
}

/** The date and time that clocks in `zone` show at that moment. Without an offset it is the value itself, whether clocks show it or not. */
export function toLocal(value: string, zone: string): Temporal.PlainDateTime {
  if (hasOffset(value)) return zonedAt(Date.parse(value), zone).toPlainDateTime();
  // A provider's fraction of a second may have more digits than Temporal accepts.
  return Temporal.PlainDateTime.from(value.slice(0, LOCAL_LENGTH));
}

/** @param instant milliseconds since 1970 */
export function zonedAt(instant: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
}

/**
 * Those zones of a call's times that it doesn't name: the calendar's own, which may change until the call runs.
 *
 * @param named in the arguments, or the event's
 */
export function zonesOfCalendar(
  times: readonly ({ timeZone?: string | null } | undefined)[],
  named: readonly (string | undefined)[],
): string[] {
  return times.flatMap((time) => time?.timeZone ?? []).filter((zone) => !named.includes(zone));
}

/**
 * Rejects a time that clocks in `zone` skip when they are set forward. Moved on (RFC 5545 section 3.3.5), it may meet
 * the end that was given with it.
 *
 * @throws AppError `invalid_request` with the skipped hours and the nearest times that exist
 */
export function assertExists(field: string, value: string, zone: string): void {
  if (isDate(value) || hasOffset(value)) return;
  const local = toLocal(value, zone);
  const later = local.toZonedDateTime(zone);
  if (later.toPlainDateTime().equals(local)) return;
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const change = earlier.getTimeZoneTransition('next') ?? later;
  const gap = [change.subtract({ nanoseconds: 1 }).toPlainDateTime().add({ nanoseconds: 1 }), change.toPlainDateTime()];
  const day = dayOf(local);
  const said = (one: Temporal.PlainDateTime | Temporal.ZonedDateTime) =>
    dayOf(one) === day ? clockOf(one) : `${dayOf(one)}, ${clockOf(one)}`;
  throw new AppError(
    'invalid_request',
    `${field}: ${clockOf(local)} does not exist in ${zone} on ${day}, where clocks are set forward from ${gap.map(said).join(' to ')}. Give ${said(earlier)} or ${said(later)}.`,
  );
}

function dayOf(local: Temporal.PlainDateTime | Temporal.ZonedDateTime): string {
  return english.day(local.toPlainDate().toString());
}

/** `2026-05-01` */
export function formatDate(local: Temporal.PlainDateTime): string {
  return local.toPlainDate().toString();
}

/** The day after a date. */
export function dayAfter(date: string): string {
  return formatDate(toLocal(date, 'UTC').add({ days: 1 }));
}

/** The day before a date. */
export function dayBefore(date: string): string {
  return formatDate(toLocal(date, 'UTC').subtract({ days: 1 }));
}

/** `09:00`, with seconds if there are any. */
export function clockOf(moment: Temporal.PlainDateTime | Temporal.ZonedDateTime): string {
  return moment.toPlainTime().toString({ smallestUnit: moment.second === 0 ? 'minute' : 'second' });
}

/** `2026-05-01T09:00:00`, without an offset. */
export function formatLocal(local: Temporal.PlainDateTime): string {
  return local.toString({ smallestUnit: 'second' });
}

/** `2026-05-01T09:00:00+02:00` */
export function formatZoned(moment: Temporal.ZonedDateTime): string {
  return moment.toString({ smallestUnit: 'second', timeZoneName: 'never' });
}

/**
 * A zone as IANA spells it, which the provider requires; links stay links.
 *
 * @returns undefined where there is none. Bare offsets are zones to Node, but not to the provider
 */
export function properZone(zone: string): string | undefined {
  if (zone.length > MAX_ZONE || !ZONE.test(zone)) return undefined;
  try {
    return zonedAt(0, zone).timeZoneId;
  } catch {
    return undefined;
  }
}

export function isZone(zone: string): boolean {
  return properZone(zone) !== undefined;
}
