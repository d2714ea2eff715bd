import { type EventTime, momentOf } from './calendar-event.ts';
import { toInstant, zonedAt } from './zoned-time.ts';

/** Milliseconds since 1970; the end is exclusive. */
export interface Span {
  start: number;
  end: number;
}

export interface FreeRules {
  zone: string;
  /** Length of the shortest slot. */
  minutes: number;
  /** Hours of each day, minutes after midnight. */
  dayStart: number;
  dayEnd: number;
  /** 0 = Sunday. */
  weekdays: ReadonlySet<number>;
}

const MINUTE_MS = 60_000;

/** The time of an event; whole days from midnight to midnight in `zone`. */
export function spanOf({ start, end }: Record<'start' | 'end', EventTime>, zone: string): Span {
  return { start: toInstant(momentOf(start), zone), end: toInstant(momentOf(end), zone) };
}

/** The free time in `range` within the hours and days of `rules`. */
export function freeSlots(range: Span, busy: readonly Span[], rules: FreeRules): Span[] {
  const taken = busy.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
  return windows(range, rules)
    .flatMap((window) => gaps(window, taken))
    .filter(({ start, end }) => end - start >= rules.minutes * MINUTE_MS);
}

function gaps(window: Span, taken: readonly Span[]): Span[] {
  const free: Span[] = [];
  let at = window.start;
  for (const { start, end } of taken) {
    if (end <= at) continue;
    if (start >= window.end) break;
    if (start > at) free.push({ start: at, end: start });
    at = end;
  }
  if (at < window.end) free.push({ start: at, end: window.end });
  return free;
}

/** The hours of each day in local time; adjacent whole days are one window. */
function windows(range: Span, { zone, dayStart, dayEnd, weekdays }: FreeRules): Span[] {
  const found: Span[] = [];
  for (let day = zonedAt(range.start, zone).toPlainDate(); ; day = day.add({ days: 1 })) {
    const at = (minutes: number) => day.toPlainDateTime().add({ minutes }).toZonedDateTime(zone).epochMilliseconds;
    const opens = at(dayStart);
    if (opens >= range.end) return found;
    if (!weekdays.has(day.dayOfWeek % 7)) continue;
    const start = Math.max(opens, range.start);
    const end = Math.min(at(dayEnd), range.end);
    if (end <= start) continue;
    const last = found.at(-1);
    if (last?.end === start) last.end = end;
    else found.push({ start, end });
  }
}
