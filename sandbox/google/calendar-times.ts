import { Temporal } from 'temporal-polyfill';

/** All-day events have a date, other events a time. */
export interface EventTime {
  date?: string;
  dateTime?: string;
  timeZone?: string;
}

const LOCAL_LENGTH = '2026-03-29T09:00:00'.length;

/** Whether the provider accepts the zone: as IANA spells it. Only Node accepts other spellings, and bare offsets as zones. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(zone)) return false;
  try {
    return zonedAt(0, zone).timeZoneId === zone;
  } catch {
    return false;
  }
}

/**
 * When an event starts or ends, milliseconds since 1970. All-day events start at midnight in `zone`.
 *
 * @throws RangeError for an invalid date
 */
export function toInstant({ date, dateTime = '', timeZone }: EventTime, zone: string): number {
  if (date === undefined && /(Z|[+-]\d{2}:\d{2})$/i.test(dateTime)) return Date.parse(dateTime);
  const local = Temporal.PlainDateTime.from(date ?? dateTime.slice(0, LOCAL_LENGTH));
  return local.toZonedDateTime(date === undefined ? (timeZone ?? zone) : zone).epochMilliseconds;
}

/** `2026-03-29T09:00:00`: local time in `zone`. */
export function localAt(instant: number, zone: string): string {
  return zonedAt(instant, zone).toPlainDateTime().toString({ smallestUnit: 'second' });
}

/** `2026-03-29T09:00:00+02:00`, with `Z` for an offset of zero. */
export function formatInstant(instant: number, zone: string): string {
  const text = zonedAt(instant, zone).toString({ smallestUnit: 'second', timeZoneName: 'never' });
  return text.replace(/\+00:00$/, 'Z');
}

function zonedAt(instant: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
}
