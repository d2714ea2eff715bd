import { Temporal } from 'temporal-polyfill';
import type { QuietHours } from '../../preferences/preferences-repository.ts';

/**
 * When the quiet hours end in which a moment is. At clock changes: a time that a day doesn't have is the same time by the
 * clock before it; hours that a day has twice are quiet both times.
 *
 * @param now milliseconds since 1970
 * @returns undefined outside of them
 */
export function quietUntil({ from, to }: QuietHours, zone: string, now: number): Date | undefined {
  const here = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
  const [start, end, time] = [Temporal.PlainTime.from(from), Temporal.PlainTime.from(to), here.toPlainTime()];
  const isAfterStart = Temporal.PlainTime.compare(time, start) >= 0;
  const isBeforeEnd = Temporal.PlainTime.compare(time, end) < 0;
  const isOvernight = Temporal.PlainTime.compare(start, end) > 0;
  if (isOvernight ? !isAfterStart && !isBeforeEnd : !isAfterStart || !isBeforeEnd) return undefined;
  const day = here.toPlainDate().add({ days: isOvernight && isAfterStart ? 1 : 0 });
  const first = day.toPlainDateTime(end).toZonedDateTime(zone);
  const last = day.toPlainDateTime(end).toZonedDateTime(zone, { disambiguation: 'later' });
  const until = first.epochMilliseconds > now ? first : last;
  return new Date(until.epochMilliseconds);
}
