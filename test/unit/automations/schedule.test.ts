import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { catchUp, nextOccurrence } from '../../../src/automations/definition/schedule.ts';
import { type Schedule, WEEKDAYS } from '../../../src/automations/definition/trigger.ts';
import { fc } from '../../support/runner/property.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Zones with changes of clocks at night, at midnight, by half an hour, in both hemispheres, and with none. */
const ZONES = [
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Los_Angeles',
  'America/Santiago',
  'America/Havana',
  'America/Nuuk',
  'Atlantic/Azores',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kolkata',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Pacific/Apia',
];

const daily = (at: string, zone: string): Schedule => ({ type: 'schedule', every: 'day', at, time_zone: zone });
const hourly = (at: string, zone: string): Schedule => ({ type: 'schedule', every: 'hour', at, time_zone: zone });

/** The planned times after one moment, up to another one. */
function occurrences(schedule: Schedule, from: string, until: string): number[] {
  const found: number[] = [];
  for (let at = nextOccurrence(schedule, Date.parse(from)); at <= Date.parse(until); at = nextOccurrence(schedule, at)) found.push(at);
  return found;
}

const isoOf = (times: readonly number[]) => times.map((time) => new Date(time).toISOString().replace(':00.000Z', 'Z'));

const formats = new Map(
  [...ZONES, 'UTC'].map((zone) => [zone, new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })]),
);

/** Without Temporal: the date and time that clocks in a zone show. */
function shown(time: number, zone: string): { day: string; clock: string } {
  const [day = '', clock = ''] = (formats.get(zone)?.format(time) ?? '').split(' ');
  return { day, clock };
}

/** Each date from one on, up to another one. */
function dates(from: string, until: string): string[] {
  const found: string[] = [];
  for (let day = Date.parse(from); day <= Date.parse(until); day += DAY_MS) found.push(new Date(day).toISOString().slice(0, 10));
  return found;
}

describe('a daily schedule', () => {
  it.each(ZONES)('has one time on each day of a year in %s, also where clocks change', (zone) => {
    for (const at of ['00:30', '02:30', '23:30']) {
      const found = occurrences(daily(at, zone), '2025-12-31T00:00:00Z', '2027-01-01T12:00:00Z').map((time) => shown(time, zone));
      const days = found.map(({ day }) => day).filter((day) => day.startsWith('2026'));
      expect(days, at).toEqual(dates('2026-01-01', '2026-12-31'));
      // But on a day on which clocks skip it.
      expect(found.filter(({ clock }) => clock !== at).length, at).toBeLessThanOrEqual(1);
    }
  });

  // Written by hand: 02:30 on the day before, of, and after each change.
  it.each<[string, string, string[]]>([
    ['Europe/Berlin', '2026-03-28T00:00:00Z', ['2026-03-28T01:30Z', '2026-03-29T01:30Z', '2026-03-30T00:30Z']],
    ['Europe/Berlin', '2026-10-24T00:00:00Z', ['2026-10-24T00:30Z', '2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    ['Europe/London', '2026-03-28T00:00:00Z', ['2026-03-28T02:30Z', '2026-03-29T01:30Z', '2026-03-30T01:30Z']],
    ['America/New_York', '2026-03-07T00:00:00Z', ['2026-03-07T07:30Z', '2026-03-08T07:30Z', '2026-03-09T06:30Z']],
    ['America/New_York', '2026-10-31T00:00:00Z', ['2026-10-31T06:30Z', '2026-11-01T07:30Z', '2026-11-02T07:30Z']],
    ['America/Los_Angeles', '2026-03-07T00:00:00Z', ['2026-03-07T10:30Z', '2026-03-08T10:30Z', '2026-03-09T09:30Z']],
    ['Australia/Sydney', '2026-04-03T15:00:00Z', ['2026-04-03T15:30Z', '2026-04-04T15:30Z', '2026-04-05T16:30Z']],
    ['Australia/Sydney', '2026-10-02T16:00:00Z', ['2026-10-02T16:30Z', '2026-10-03T16:30Z', '2026-10-04T15:30Z']],
    ['Australia/Lord_Howe', '2026-04-03T15:00:00Z', ['2026-04-03T15:30Z', '2026-04-04T16:00Z', '2026-04-05T16:00Z']],
    ['Australia/Lord_Howe', '2026-10-02T15:00:00Z', ['2026-10-02T16:00Z', '2026-10-03T15:30Z', '2026-10-04T15:30Z']],
    ['Asia/Kolkata', '2026-03-28T12:00:00Z', ['2026-03-28T21:00Z', '2026-03-29T21:00Z']],
  ])('at 02:30 in %s after %s', (zone, from, expected) => {
    const until = expected.at(-1)?.replace('Z', ':00Z') ?? from;
    expect(isoOf(occurrences(daily('02:30', zone), from, until))).toEqual(expected);
  });

  // Clocks are set forward at midnight, from 00:00 to 01:00.
  it.each<[string, string, string[]]>([
    ['America/Havana', '2026-03-07T12:00:00Z', ['2026-03-08T05:30Z', '2026-03-09T04:30Z']],
    ['Asia/Beirut', '2026-03-28T12:00:00Z', ['2026-03-28T22:30Z', '2026-03-29T21:30Z']],
    ['Africa/Cairo', '2026-04-23T12:00:00Z', ['2026-04-23T22:30Z', '2026-04-24T21:30Z']],
    ['America/Santiago', '2026-09-05T12:00:00Z', ['2026-09-06T04:30Z', '2026-09-07T03:30Z']],
  ])('moves a skipped 00:30 in %s by the hour that is skipped', (zone, from, expected) => {
    const until = expected.at(-1)?.replace('Z', ':00Z') ?? from;
    expect(isoOf(occurrences(daily('00:30', zone), from, until))).toEqual(expected);
  });

  it('has a time on a day whose last hour is skipped, and none on a day that is skipped', () => {
    // Nuuk: from Saturday 23:00 to Sunday 00:00.
    expect(isoOf(occurrences(daily('23:30', 'America/Nuuk'), '2026-03-27T12:00:00Z', '2026-03-30T12:00:00Z'))).toEqual([
      '2026-03-28T01:30Z',
      '2026-03-29T00:30Z',
      '2026-03-30T00:30Z',
    ]);
    const days = occurrences(daily('02:30', 'Pacific/Apia'), '2011-12-27T12:30:00Z', '2012-01-01T12:30:00Z');
    expect(days.map((time) => shown(time, 'Pacific/Apia').day)).toEqual([
      '2011-12-28',
      '2011-12-29',
      '2011-12-31',
      '2012-01-01',
      '2012-01-02',
    ]);
  });

  it('is what RFC 5545 says, where clocks do not change at that time', () => {
    for (const zone of ['Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago']) {
      const start = Temporal.ZonedDateTime.from(`2026-01-01T12:15[${zone}]`);
      const rule = new RRuleTemporal({ freq: 'DAILY', count: 400, tzid: zone, dtstart: start });
      const found = occurrences(daily('12:15', zone), '2025-12-31T11:00:00Z', '2028-01-01T00:00:00Z').slice(0, 400);
      const first = found.indexOf(start.epochMilliseconds);
      expect(first, zone).toBeLessThanOrEqual(1);
      expect(found.slice(first, first + 390), zone).toEqual(
        rule
          .all()
          .slice(0, 390)
          .map(({ epochMilliseconds }) => epochMilliseconds),
      );
    }
  });
});

describe('an hourly schedule', () => {
  it.each(ZONES.filter((zone) => zone !== 'Australia/Lord_Howe'))('has one time in each hour that passes in %s', (zone) => {
    // All changes of the year are in them.
    const spans: [string, string][] = [
      ['2026-03-01T00:00:00Z', '2026-05-01T00:00:00Z'],
      ['2026-09-01T00:00:00Z', '2026-11-08T00:00:00Z'],
    ];
    for (const [from, until] of spans) {
      const found = occurrences(hourly('00:15', zone), from, until);
      expect(found.length).toBe((Date.parse(until) - Date.parse(from)) / HOUR_MS);
      expect(new Set(found.slice(1).map((time, index) => time - (found[index] ?? 0)))).toEqual(new Set([HOUR_MS]));
      expect(new Set(found.map((time) => shown(time, zone).clock.slice(3)))).toEqual(new Set(['15']));
    }
  });

  it('keeps its minute where clocks are moved by half an hour', () => {
    const zone = 'Australia/Lord_Howe';
    const spring = occurrences(hourly('00:15', zone), '2026-10-03T13:00:00Z', '2026-10-03T17:30:00Z');
    expect(isoOf(spring)).toEqual(['2026-10-03T13:45Z', '2026-10-03T14:45Z', '2026-10-03T16:15Z', '2026-10-03T17:15Z']);
    const autumn = occurrences(hourly('00:45', zone), '2026-04-04T13:30:00Z', '2026-04-04T16:30:00Z');
    expect(isoOf(autumn)).toEqual(['2026-04-04T13:45Z', '2026-04-04T14:45Z', '2026-04-04T15:15Z', '2026-04-04T16:15Z']);
    expect([...spring, ...autumn].map((time) => shown(time, zone).clock.slice(3)).toSorted()).toEqual([
      ...Array.from({ length: 4 }, () => '15'),
      ...Array.from({ length: 4 }, () => '45'),
    ]);
  });
});

describe('a schedule of weekdays, weeks or months', () => {
  it('leaves out Saturday and Sunday', () => {
    const schedule: Schedule = { type: 'schedule', every: 'weekday', at: '08:00', time_zone: 'UTC' };
    // 2026-05-01 is a Friday.
    expect(isoOf(occurrences(schedule, '2026-04-30T09:00:00Z', '2026-05-05T09:00:00Z'))).toEqual([
      '2026-05-01T08:00Z',
      '2026-05-04T08:00Z',
      '2026-05-05T08:00Z',
    ]);
  });

  it.each(WEEKDAYS.map((day, index) => [day, `2026-05-${String(4 + index).padStart(2, '0')}T08:00Z`]))('finds each %s', (on, first) => {
    const schedule: Schedule = { type: 'schedule', every: 'week', on, at: '08:00', time_zone: 'UTC' } as Schedule;
    const [one, other] = occurrences(schedule, '2026-05-03T09:00:00Z', '2026-05-20T00:00:00Z');
    expect(isoOf([one ?? 0])).toEqual([first]);
    expect((other ?? 0) - (one ?? 0)).toBe(7 * DAY_MS);
  });

  it('takes the last day of a month that has no such day', () => {
    const monthly = (on: number): Schedule => ({ type: 'schedule', every: 'month', on, at: '08:00', time_zone: 'UTC' });
    const days = (on: number) =>
      occurrences(monthly(on), '2027-12-31T08:00:00Z', '2028-06-30T09:00:00Z').map((time) => shown(time, 'UTC').day);
    expect(days(31)).toEqual(['2028-01-31', '2028-02-29', '2028-03-31', '2028-04-30', '2028-05-31', '2028-06-30']);
    expect(days(1)).toEqual(['2028-01-01', '2028-02-01', '2028-03-01', '2028-04-01', '2028-05-01', '2028-06-01']);
  });
});

const anySchedule: fc.Arbitrary<Schedule> = fc
  .record({
    every: fc.constantFrom('hour', 'day', 'weekday', 'week', 'month'),
    minutes: fc.nat(1_439),
    on: fc.integer({ min: 1, max: 31 }),
    time_zone: fc.constantFrom(...ZONES),
  })
  .map(({ every, minutes, on, time_zone }) => {
    const two = (number: number) => String(number).padStart(2, '0');
    const at = `${every === 'hour' ? '00' : two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
    const place = every === 'week' ? { on: WEEKDAYS[on % 7] } : every === 'month' ? { on } : {};
    return { type: 'schedule', every, at, time_zone, ...place } as Schedule;
  });
const anyMoment = fc.integer({ min: Date.parse('2005-01-01'), max: Date.parse('2045-01-01') });

describe('nextOccurrence', () => {
  it('is later, and the first one from whichever moment before it', () => {
    fc.assert(
      fc.property(anySchedule, anyMoment, fc.double({ min: 0, max: 1, noNaN: true }), (schedule, after, share) => {
        const next = nextOccurrence(schedule, after);
        expect(next).toBeGreaterThan(after);
        expect(nextOccurrence(schedule, next - 1)).toBe(next);
        expect(nextOccurrence(schedule, Math.floor(after + share * (next - 1 - after)))).toBe(next);
        expect(nextOccurrence(schedule, next)).toBeGreaterThan(next);
      }),
      { numRuns: 500 },
    );
  });

  it('never finds two on one day for a daily schedule', () => {
    fc.assert(
      fc.property(anySchedule, anyMoment, (schedule, after) => {
        if (schedule.every === 'hour') return;
        const next = nextOccurrence(schedule, after);
        const { time_zone: zone } = schedule;
        expect(shown(nextOccurrence(schedule, next), zone).day > shown(next, zone).day).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('catchUp', () => {
  const schedule = daily('08:00', 'Europe/Berlin');
  const at = (text: string) => Date.parse(text);

  it('plans the time that has come', () => {
    expect(catchUp(schedule, at('2026-11-30T07:00:00Z'), at('2026-11-30T07:00:04Z'))).toEqual({
      plannedAt: at('2026-11-30T07:00:00Z'),
      late: false,
      next: at('2026-12-01T07:00:00Z'),
    });
  });

  it('collapses three missed days into the latest one', () => {
    expect(catchUp(schedule, at('2026-11-27T07:00:00Z'), at('2026-11-30T10:00:00Z'))).toEqual({
      plannedAt: at('2026-11-30T07:00:00Z'),
      late: false,
      next: at('2026-12-01T07:00:00Z'),
    });
  });

  it('says when the latest one is older than 12 hours', () => {
    const lateAt = (now: string) => catchUp(schedule, at('2026-11-27T07:00:00Z'), at(now)).late;
    expect(lateAt('2026-11-30T19:00:00Z')).toBe(false);
    expect(lateAt('2026-11-30T19:00:01Z')).toBe(true);
    expect(lateAt('2026-12-01T06:59:59Z')).toBe(true);
    expect(lateAt('2026-12-01T07:00:00Z')).toBe(false);
  });

  it('takes the latest time there was, and the first to come, for every schedule and standstill', () => {
    fc.assert(
      fc.property(anySchedule, anyMoment, fc.nat(400 * 24), fc.nat(HOUR_MS), (of, from, hours, more) => {
        const dueAt = nextOccurrence(of, from);
        const now = dueAt + hours * HOUR_MS + more;
        const { plannedAt, late, next } = catchUp(of, dueAt, now);
        expect(plannedAt).toBeGreaterThanOrEqual(dueAt);
        expect(plannedAt).toBeLessThanOrEqual(now);
        expect(next).toBeGreaterThan(now);
        expect(nextOccurrence(of, plannedAt)).toBe(next);
        expect(late).toBe(now - plannedAt > 12 * HOUR_MS);
      }),
      { numRuns: 300 },
    );
  });
});
