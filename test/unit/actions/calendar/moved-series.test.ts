import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { movedRules, type SeriesMove } from '../../../../src/actions/calendar/recurrence-rules.ts';
import { AppError } from '../../../../src/errors.ts';
import { fc } from '../../../support/runner/property.ts';

const SERIES = 200;
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'UTC'];
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

type Draw = <Value>(values: readonly Value[]) => Value;

/** Where a series starts, and how its days are written. */
interface Start {
  local: Temporal.PlainDateTime;
  zone: string;
  isAllDay: boolean;
}

/** The parts of a rule that has an event on its first day, with everything that movedRules tells apart. */
function ruleFor(draw: Draw, { local }: Start): string {
  const weekday = WEEKDAYS[local.dayOfWeek - 1] ?? '';
  const nth = Math.ceil(local.day / 7);
  const fromEnd = -Math.ceil((local.daysInMonth - local.day + 1) / 7);
  const days = [...new Set([local.day, draw([local.day, 1, 15, 28])])].join(',');
  const weekdays = [...new Set([weekday, ...draw([[], ['MO', 'TH'], ['SA', 'SU'], WEEKDAYS])])].join(',');
  const month = `BYMONTH=${[...new Set([local.month, draw([local.month, 2, 7])])].join(',')}`;
  return draw([
    'FREQ=DAILY',
    `FREQ=DAILY;BYDAY=${weekdays}`,
    `FREQ=DAILY;BYMONTHDAY=${days}`,
    'FREQ=WEEKLY',
    `FREQ=WEEKLY;BYDAY=${weekdays}`,
    `FREQ=WEEKLY;BYDAY=${weekdays};WKST=${draw(WEEKDAYS)}`,
    'FREQ=MONTHLY',
    `FREQ=MONTHLY;BYMONTHDAY=${days}`,
    `FREQ=MONTHLY;BYMONTHDAY=${local.day - local.daysInMonth - 1}`,
    `FREQ=MONTHLY;BYDAY=${nth}${weekday}`,
    `FREQ=MONTHLY;BYDAY=${fromEnd}${weekday}`,
    `FREQ=MONTHLY;BYDAY=${weekdays}`,
    `FREQ=MONTHLY;BYDAY=${weekday};BYSETPOS=${nth}`,
    `FREQ=MONTHLY;${month};BYMONTHDAY=${days}`,
    'FREQ=YEARLY',
    `FREQ=YEARLY;${month}`,
    `FREQ=YEARLY;${month};BYMONTHDAY=${days}`,
    `FREQ=YEARLY;${month};BYDAY=${nth}${weekday}`,
    `FREQ=YEARLY;BYYEARDAY=${local.dayOfYear}`,
  ]);
}

function written(local: Temporal.PlainDateTime, isDay: boolean): string {
  return local
    .toString({ smallestUnit: 'second' })
    .replace(/[-:]/g, '')
    .slice(0, isDay ? 8 : undefined);
}

/** The starts of all events as clocks in its zone show them. */
function expanded({ local, zone, isAllDay }: Start, rules: readonly string[]): Temporal.PlainDateTime[] {
  const start = isAllDay ? `DTSTART;VALUE=DATE:${written(local, true)}` : `DTSTART;TZID=${zone}:${written(local, false)}`;
  const all = new RRuleTemporal({ rruleString: [start, ...rules].join('\n'), maxIterations: 100_000 }).all();
  return all.map((one) => (isAllDay ? one.withTimeZone('UTC') : one.withTimeZone(zone)).toPlainDateTime());
}

/** Rules with an end, days left out and days added. */
function rulesFor(draw: Draw, start: Start): string[] {
  const { local, zone, isAllDay } = start;
  const rule = `RRULE:${ruleFor(draw, start)}${draw(['', '', ';INTERVAL=2', ';INTERVAL=3'])}`;
  const counted = expanded(start, [`${rule};COUNT=12`]);
  const date = (name: string, at: Temporal.PlainDateTime) =>
    isAllDay ? `${name};VALUE=DATE:${written(at, true)}` : `${name};TZID=${zone}:${written(at, false)}`;
  const last = counted.at(-1) ?? local;
  const until = isAllDay ? written(last, true) : `${written(last.toZonedDateTime(zone).withTimeZone('UTC').toPlainDateTime(), false)}Z`;
  return [
    `${rule};${draw(['COUNT=12', `UNTIL=${until}`])}`,
    ...draw([[], [date('EXDATE', counted[2] ?? local)]]),
    ...draw([[], [date('RDATE', last.add({ days: 40 }))]]),
  ];
}

function moveOf(draw: Draw, { local, zone, isAllDay: wasAllDay }: Start): SeriesMove {
  const isAllDay = draw([wasAllDay, wasAllDay, wasAllDay, !wasAllDay]);
  const day = local.toPlainDate().add({ days: draw([0, 1, 1, -1, 2, 7, -7, 14, 30, 31, 364, 365]) });
  // No clock is set forward at these hours.
  const hour = draw([local.hour, local.hour, 5, 13, 22]);
  const to = day.toPlainDateTime({ hour: isAllDay ? 0 : hour === 0 ? 9 : hour });
  return { from: local, to, oldZone: zone, zone: draw([zone, zone, ...ZONES]), wasAllDay, isAllDay };
}

/** The same events later: by days, or by months if the first is on the same day of another one. */
function laterBy({ from, to }: SeriesMove, events: readonly Temporal.PlainDateTime[]): string[][] {
  const months = (to.year - from.year) * 12 + to.month - from.month;
  const byDays = events.map((one) => one.add(from.until(to)).toString());
  const byMonths = events.map((one) => one.add({ months }).add(from.add({ months }).until(to)).toString());
  return from.day === to.day ? [byDays, byMonths] : [byDays];
}

function startOf(draw: Draw): Start {
  const isAllDay = draw([true, false, false]);
  const days = draw([0, 3, 27, 59, 100, 180, 297, 363]) + draw([0, 1, 2, 3, 4, 5, 6]);
  const local = Temporal.PlainDateTime.from('2026-01-01').add({ days, hours: isAllDay ? 0 : draw([5, 9, 22]) });
  return { local, zone: draw(ZONES), isAllDay };
}

describe('a series that moves', () => {
  it(`has the same events, each as much later or earlier, in each of ${SERIES} series; or it is refused`, () => {
    let moved = 0;
    const property = fc.property(fc.gen(), (gen) => {
      const draw: Draw = (values) => gen(fc.constantFrom, ...values);
      const start = startOf(draw);
      const rules = rulesFor(draw, start);
      const move = moveOf(draw, start);
      const later = laterBy(move, expanded(start, rules));
      let after: string[];
      try {
        const next = { local: move.to, zone: move.zone, isAllDay: move.isAllDay };
        after = expanded(next, movedRules(rules, move) ?? rules).map(String);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        expect(move.from.toPlainDate().equals(move.to.toPlainDate())).toBe(false);
        return;
      }
      expect(later).toContainEqual(after);
      moved += after.length > 1 ? 1 : 0;
    });
    fc.assert(property, { numRuns: SERIES });
    expect(moved).toBeGreaterThan(SERIES / 4);
  });
});
