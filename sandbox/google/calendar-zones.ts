/** A time of day and date without a zone, as the milliseconds it would be in UTC. */
export type Wall = number;

const formats = new Map<string, Intl.DateTimeFormat>();

export function isZone(zone: string): boolean {
  try {
    format(zone);
    return true;
  } catch {
    return false;
  }
}

/** What clocks in `zone` show at an instant. */
export function wallAt(instant: number, zone: string): Wall {
  const parts = Object.fromEntries(
    format(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** When clocks in `zone` show this. Of two such instants the earlier; in a gap, as much later as the clocks jump. */
export function instantAt(wall: Wall, zone: string): number {
  const before = wallAt(wall - 24 * 3_600_000, zone) - (wall - 24 * 3_600_000);
  const after = wallAt(wall + 24 * 3_600_000, zone) - (wall + 24 * 3_600_000);
  const early = wall - Math.max(before, after);
  return wallAt(early, zone) === wall ? early : wall - Math.min(before, after);
}

/** `2026-03-29T09:00:00+02:00`, with `Z` for no offset. */
export function formatInstant(instant: number, zone: string): string {
  const wall = wallAt(instant, zone);
  const minutes = Math.round((wall - instant) / 60_000);
  const local = new Date(wall).toISOString().slice(0, 19);
  if (minutes === 0) return `${local}Z`;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${local}${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}

function format(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, made);
  return made;
}
