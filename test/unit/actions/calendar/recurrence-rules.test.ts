import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { occurrences } from '../../../../sandbox/google/calendar-recurrence.ts';
import { assertFirst, assertLasts, movedRules, type SeriesMove, typedRules } from '../../../../src/actions/calendar/recurrence-rules.ts';

const BERLIN = 'Europe/Berlin';
const NEW_YORK = 'America/New_York';

/** @param from and `to`: a date or a local time */
function move(from: string, to: string, zones: Partial<SeriesMove> = {}): SeriesMove {
  const local = (text: string) => Temporal.PlainDateTime.from(text);
  const [wasAllDay, isAllDay] = [from, to].map((text) => !text.includes('T')) as [boolean, boolean];
  return { from: local(from), to: local(to), oldZone: BERLIN, zone: BERLIN, wasAllDay, isAllDay, ...zones };
}
const LATER = move('2026-12-07T09:00', '2026-12-07T11:00');
const NEXT_DAY = move('2026-12-07', '2026-12-08');
const rejected = expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining('recurrence') });

describe('the rules of a series that moves', () => {
  it.each<[string, SeriesMove, string, string]>([
    ['UNTIL in UTC', LATER, 'RRULE:FREQ=DAILY;UNTIL=20261211T080000Z', 'RRULE:FREQ=DAILY;UNTIL=20261211T100000Z'],
    ['UNTIL in the middle', LATER, 'RRULE:FREQ=WEEKLY;UNTIL=20261211T080000Z;WKST=SU', 'RRULE:FREQ=WEEKLY;UNTIL=20261211T100000Z;WKST=SU'],
    ['UNTIL in small letters', LATER, 'rrule:freq=daily;until=20261211t080000z', 'rrule:freq=daily;until=20261211T100000Z'],
    ['UNTIL in summer', LATER, 'RRULE:FREQ=DAILY;UNTIL=20270601T070000Z', 'RRULE:FREQ=DAILY;UNTIL=20270601T090000Z'],
    ['UNTIL without a zone', LATER, 'RRULE:FREQ=DAILY;UNTIL=20261211T090000', 'RRULE:FREQ=DAILY;UNTIL=20261211T100000Z'],
    ['UNTIL of whole days', NEXT_DAY, 'RRULE:FREQ=DAILY;UNTIL=20261231', 'RRULE:FREQ=DAILY;UNTIL=20270101'],
    ['UNTIL of whole days as a time', NEXT_DAY, 'RRULE:FREQ=DAILY;UNTIL=20261231T235959Z', 'RRULE:FREQ=DAILY;UNTIL=20270101'],
    ['UNTIL that stands for no end', LATER, 'RRULE:FREQ=DAILY;UNTIL=99991231T235959Z', 'RRULE:FREQ=DAILY;UNTIL=99991231T235959Z'],
    ['UNTIL that stands for no end, of whole days', NEXT_DAY, 'RRULE:FREQ=DAILY;UNTIL=99991231', 'RRULE:FREQ=DAILY;UNTIL=99991231'],
    ['a day as UNTIL of times', LATER, 'RRULE:FREQ=DAILY;UNTIL=20261211', 'RRULE:FREQ=DAILY;UNTIL=20261211T225959Z'],
    [
      'a day as UNTIL of times that move by days to another zone',
      move('2026-12-07T09:00', '2026-12-09T22:00', { zone: NEW_YORK }),
      'RRULE:FREQ=DAILY;UNTIL=20261211',
      'RRULE:FREQ=DAILY;UNTIL=20261214T045959Z',
    ],
    [
      'a day as UNTIL of times that become days',
      move('2026-12-07T09:00', '2026-12-08'),
      'RRULE:FREQ=DAILY;UNTIL=20261211',
      'RRULE:FREQ=DAILY;UNTIL=20261212',
    ],
    ['COUNT', LATER, 'RRULE:FREQ=DAILY;COUNT=5', 'RRULE:FREQ=DAILY;COUNT=5'],
    ['EXRULE', LATER, 'EXRULE:FREQ=WEEKLY;UNTIL=20261211T080000Z', 'EXRULE:FREQ=WEEKLY;UNTIL=20261211T100000Z'],
    ['EXDATE', LATER, 'EXDATE;TZID=Europe/Berlin:20261209T090000', 'EXDATE;TZID=Europe/Berlin:20261209T110000'],
    ['EXDATE in small letters', LATER, 'exdate;tzid=Europe/Berlin:20261209t090000', 'EXDATE;TZID=Europe/Berlin:20261209T110000'],
    ['a quoted TZID', LATER, 'EXDATE;TZID="Europe/Berlin":20261209T090000', 'EXDATE;TZID=Europe/Berlin:20261209T110000'],
    [
      'several parameters and values',
      LATER,
      'EXDATE;VALUE=DATE-TIME;TZID=Europe/Berlin:20261209T090000,20270328T090000',
      'EXDATE;TZID=Europe/Berlin:20261209T110000,20270328T110000',
    ],
    ['a date in another zone', LATER, `EXDATE;TZID=${NEW_YORK}:20261209T030000`, 'EXDATE;TZID=Europe/Berlin:20261209T110000'],
    ['a date in UTC', LATER, 'RDATE:20261209T080000Z', 'RDATE;TZID=Europe/Berlin:20261209T110000'],
    ['a date without a zone', LATER, 'RDATE:20261209T090000', 'RDATE;TZID=Europe/Berlin:20261209T110000'],
    [
      'periods',
      LATER,
      'RDATE;VALUE=PERIOD:20261209T080000Z/20261209T090000Z,20261210T080000Z/PT3H',
      'RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20261209T110000/20261209T120000,20261210T110000/PT3H',
    ],
    ['days', NEXT_DAY, 'EXDATE;VALUE=DATE:20261209,20261231', 'EXDATE;VALUE=DATE:20261210,20270101'],
    ['days without a parameter', NEXT_DAY, 'EXDATE:20261209', 'EXDATE;VALUE=DATE:20261210'],
    ['times that become days', move('2026-12-07T09:00', '2026-12-08'), 'EXDATE:20261209T080000Z', 'EXDATE;VALUE=DATE:20261210'],
    [
      'UNTIL of times that become days',
      move('2026-12-07T09:00', '2026-12-08'),
      'RRULE:FREQ=DAILY;UNTIL=20261209T080000Z',
      'RRULE:FREQ=DAILY;UNTIL=20261210',
    ],
    [
      'days that become times',
      move('2026-12-07', '2026-12-07T09:00'),
      'EXDATE;VALUE=DATE:20261209',
      'EXDATE;TZID=Europe/Berlin:20261209T090000',
    ],
    [
      'UNTIL of days that become times',
      move('2026-12-07', '2026-12-07T09:00'),
      'RRULE:FREQ=DAILY;UNTIL=20261209',
      'RRULE:FREQ=DAILY;UNTIL=20261209T080000Z',
    ],
    [
      'another zone',
      move('2026-12-07T09:00', '2026-12-07T09:00', { zone: NEW_YORK }),
      'RRULE:FREQ=DAILY;UNTIL=20261211T080000Z',
      'RRULE:FREQ=DAILY;UNTIL=20261211T140000Z',
    ],
  ])('move with it: %s', (_what, by, line, moved) => {
    expect(movedRules([line], by)).toEqual([moved]);
  });

  it.each<[string, SeriesMove, string]>([
    ['an hour of whole days', move('2026-12-07T00:00', '2026-12-07'), 'RRULE:FREQ=DAILY;BYHOUR=0,12'],
    ['more than one event a day', LATER, 'RRULE:FREQ=HOURLY;INTERVAL=5;BYDAY=MO'],
    ['a day of the year', NEXT_DAY, 'rrule:freq=yearly;byyearday=341'],
    ['an hour', LATER, 'RRULE:FREQ=DAILY;BYHOUR=9'],
    ['an unknown zone', LATER, 'EXDATE;TZID=W. Europe Standard Time:20261209T090000'],
    ['a day among times', LATER, 'EXDATE;VALUE=DATE:20261209'],
    ['a period among days', move('2026-12-07T09:00', '2026-12-08'), 'RDATE;VALUE=PERIOD:20261209T080000Z/PT1H'],
    ['no date', LATER, 'EXDATE:tomorrow'],
    ['a day that there isn’t', LATER, 'RDATE:20270230T090000Z'],
    ['no end', LATER, 'RRULE:FREQ=DAILY;UNTIL=soon'],
    ['a day beyond all calendars', NEXT_DAY, 'RDATE;VALUE=DATE:99991231'],
    ['another property', LATER, 'X-SKIP:20261209T090000'],
  ])('are refused if they don’t tell what they are then: %s', (_what, by, line) => {
    expect(() => movedRules([line], by)).toThrow(rejected);
  });

  const by = (days: number, first = '2026-12-07T09:00') => {
    const from = Temporal.PlainDateTime.from(first);
    return move(first, from.add({ days }).toString({ smallestUnit: 'minute' }));
  };
  const byMonths = (from: string, to: string) => move(`${from}T09:00`, `${to}T09:00`);
  it.each<[string, SeriesMove, string, string]>([
    ['a day of the week', by(1), 'WEEKLY;BYDAY=MO;COUNT=3', 'WEEKLY;BYDAY=TU;COUNT=3'],
    ['a day of the week, back', by(-1), 'WEEKLY;BYDAY=MO', 'WEEKLY;BYDAY=SU'],
    ['days of the week', by(1), 'WEEKLY;BYDAY=MO,WE,FR', 'WEEKLY;BYDAY=TU,TH,SA'],
    ['days of the week, by more than one', by(9), 'WEEKLY;UNTIL=20270601T080000Z;BYDAY=MO,SU', 'WEEKLY;UNTIL=20270610T080000Z;BYDAY=WE,TU'],
    ['a week', by(14), 'WEEKLY;INTERVAL=2;BYDAY=MO,WE;WKST=SU', 'WEEKLY;INTERVAL=2;BYDAY=MO,WE;WKST=SU'],
    ['a day every other week', by(1), 'WEEKLY;INTERVAL=2;BYDAY=MO', 'WEEKLY;INTERVAL=2;BYDAY=TU'],
    ['days every other week', by(1), 'WEEKLY;INTERVAL=2;BYDAY=SA,SU', 'WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=TU'],
    ['days every other week from Sunday on', by(-1), 'WEEKLY;WKST=SU;INTERVAL=2;BYDAY=MO,TU', 'WEEKLY;WKST=SA;INTERVAL=2;BYDAY=SU,MO'],
    ['no day of the week', by(3), 'WEEKLY;INTERVAL=2', 'WEEKLY;INTERVAL=2'],
    ['work days', by(1), 'DAILY;BYDAY=MO,TU,WE,TH,FR', 'DAILY;BYDAY=TU,WE,TH,FR,SA'],
    ['each Monday', by(1), 'MONTHLY;BYDAY=MO', 'MONTHLY;BYDAY=TU'],
    ['a day of the month', by(1), 'MONTHLY;BYMONTHDAY=7', 'MONTHLY;BYMONTHDAY=8'],
    ['days of the month', by(-6), 'MONTHLY;INTERVAL=2;BYMONTHDAY=7,21', 'MONTHLY;INTERVAL=2;BYMONTHDAY=1,15'],
    ['a day from the end of the month', by(-2, '2026-12-31T09:00'), 'MONTHLY;BYMONTHDAY=-1', 'MONTHLY;BYMONTHDAY=-3'],
    [
      'the 30th of months that have one',
      by(1, '2026-12-30T09:00'),
      'MONTHLY;BYMONTH=1,3,12;BYMONTHDAY=30',
      'MONTHLY;BYMONTH=1,3,12;BYMONTHDAY=31',
    ],
    ['no day of the month', by(21), 'MONTHLY', 'MONTHLY'],
    ['a second Monday, by a week', by(7, '2026-12-14T09:00'), 'MONTHLY;BYDAY=2MO', 'MONTHLY;BYDAY=3MO'],
    ['a last Friday, by a week', by(-7, '2026-12-25T09:00'), 'MONTHLY;BYDAY=-1FR', 'MONTHLY;BYDAY=-2FR'],
    ['a 20th Monday of the year', by(7, '2026-05-18T09:00'), 'YEARLY;BYDAY=20MO', 'YEARLY;BYDAY=21MO'],
    [
      'the second Saturday as a range',
      by(1, '2026-12-12T09:00'),
      'MONTHLY;BYDAY=SA;BYMONTHDAY=8,9,10,11,12,13,14',
      'MONTHLY;BYDAY=SU;BYMONTHDAY=9,10,11,12,13,14,15',
    ],
    ['a month', by(1), 'YEARLY;BYMONTH=12', 'YEARLY;BYMONTH=12'],
    ['a day of a year', by(1), 'YEARLY;BYMONTH=12;BYMONTHDAY=7', 'YEARLY;BYMONTH=12;BYMONTHDAY=8'],
    ['into another month and year', by(1, '2026-12-31T09:00'), 'YEARLY;BYMONTHDAY=31;BYMONTH=12', 'YEARLY;BYMONTHDAY=1;BYMONTH=1'],
    ['of no day, into another month', by(-7, '2026-12-07T09:00'), 'YEARLY;BYMONTH=12', 'YEARLY;BYMONTH=11'],
    ['small letters', by(1), 'weekly;byday=mo', 'weekly;byday=TU'],
    ['a day and a time', move('2026-12-07T22:00', '2026-12-08T01:30'), 'WEEKLY;BYDAY=MO', 'WEEKLY;BYDAY=TU'],
    ['whole days', NEXT_DAY, 'WEEKLY;BYDAY=MO;UNTIL=20261228', 'WEEKLY;BYDAY=TU;UNTIL=20261229'],
    ['another day in another zone', move('2026-12-07T01:00', '2026-12-06T19:00', { zone: NEW_YORK }), 'WEEKLY;BYDAY=MO', 'WEEKLY;BYDAY=SU'],
    [
      'a time that is on another day in UTC',
      move('2026-12-07T00:30', '2026-12-07T02:30'),
      'WEEKLY;BYDAY=MO;BYSETPOS=1',
      'WEEKLY;BYDAY=MO;BYSETPOS=1',
    ],
    ['hours, by a day', by(1), 'WEEKLY;BYDAY=MO;BYHOUR=9,17', 'WEEKLY;BYDAY=TU;BYHOUR=9,17'],
    ['every few hours, by a time', LATER, 'HOURLY;INTERVAL=5;COUNT=4', 'HOURLY;INTERVAL=5;COUNT=4'],
    ['every few minutes, by a time', LATER, 'MINUTELY;INTERVAL=90', 'MINUTELY;INTERVAL=90'],
    ['every few hours, by a day', by(1), 'HOURLY;UNTIL=20261208T080000Z', 'HOURLY;UNTIL=20261209T080000Z'],
    ['no day, by a month', byMonths('2026-05-04', '2026-06-04'), 'MONTHLY', 'MONTHLY'],
    ['no day, by a month and counted', byMonths('2026-05-15', '2026-06-15'), 'MONTHLY;COUNT=6', 'MONTHLY;COUNT=6'],
    ['no day, back by a month', byMonths('2026-03-28', '2026-02-28'), 'MONTHLY', 'MONTHLY'],
    ['no day, into the next year', byMonths('2026-12-07', '2027-01-07'), 'MONTHLY', 'MONTHLY'],
    ['no day of every third month', byMonths('2026-05-04', '2026-06-04'), 'MONTHLY;INTERVAL=3', 'MONTHLY;INTERVAL=3'],
    ['no day of every other year', byMonths('2026-05-04', '2027-05-04'), 'YEARLY;INTERVAL=2', 'YEARLY;INTERVAL=2'],
    ['no day of a year, in a leap year by a month', byMonths('2026-02-04', '2026-03-04'), 'YEARLY', 'YEARLY'],
    ['a day of the month, by a month', byMonths('2026-05-15', '2026-06-15'), 'MONTHLY;BYMONTHDAY=15', 'MONTHLY;BYMONTHDAY=15'],
    ['days of the month, by a month', byMonths('2026-05-15', '2026-06-15'), 'MONTHLY;BYMONTHDAY=1,15', 'MONTHLY;BYMONTHDAY=1,15'],
    [
      'months of the year, by some months',
      byMonths('2026-11-15', '2027-02-15'),
      'YEARLY;BYMONTH=5,11;BYMONTHDAY=15',
      'YEARLY;BYMONTH=8,2;BYMONTHDAY=15',
    ],
    [
      'months of every other year, all into the next one',
      byMonths('2026-11-15', '2027-02-15'),
      'YEARLY;INTERVAL=2;BYMONTH=10,11;BYMONTHDAY=15',
      'YEARLY;INTERVAL=2;BYMONTH=1,2;BYMONTHDAY=15',
    ],
    ['a month of every other year', byMonths('2026-05-15', '2026-06-15'), 'YEARLY;INTERVAL=2;BYMONTH=5', 'YEARLY;INTERVAL=2;BYMONTH=6'],
    [
      'a month of every third year, back into the last one',
      byMonths('2026-02-15', '2025-12-15'),
      'YEARLY;INTERVAL=3;BYMONTH=2;BYMONTHDAY=15',
      'YEARLY;INTERVAL=3;BYMONTH=12;BYMONTHDAY=15',
    ],
    ['a last day, by months', byMonths('2026-05-04', '2026-06-04'), 'MONTHLY;UNTIL=20270304T080000Z', 'MONTHLY;UNTIL=20270404T070000Z'],
  ])('name the days that it moves to: %s', (_what, move, rule, moved) => {
    expect(movedRules([`RRULE:FREQ=${rule}`], move)).toEqual([`RRULE:FREQ=${moved}`]);
  });

  it.each<[string, SeriesMove, string]>([
    ['the 31st', by(-1, '2026-12-31T09:00'), 'MONTHLY;BYMONTHDAY=31'],
    ['to the 29th', by(1, '2026-12-28T09:00'), 'MONTHLY;BYMONTHDAY=28'],
    ['no day, to the 29th', by(1, '2026-12-28T09:00'), 'MONTHLY'],
    ['into the next month', by(4, '2026-12-28T09:00'), 'MONTHLY;BYMONTHDAY=28'],
    ['no day, to another one in the next month', by(25), 'MONTHLY'],
    ['the 31st, by a month', move('2026-07-31T09:00', '2026-08-31T09:00'), 'MONTHLY;BYMONTHDAY=31'],
    ['no day, the 29th, by a month', move('2026-05-29T09:00', '2026-06-29T09:00'), 'MONTHLY'],
    ['a third Monday, by a month', move('2027-02-15T09:00', '2027-03-15T09:00'), 'MONTHLY;BYDAY=3MO'],
    ['one of several days beyond the 28th, by a month', move('2026-05-15T09:00', '2026-06-15T09:00'), 'MONTHLY;BYMONTHDAY=15,31'],
    ['days of two months out of step', move('2026-05-15T09:00', '2026-06-15T09:00'), 'YEARLY;INTERVAL=2;BYMONTH=5,12;BYMONTHDAY=15'],
    ['a day of each month, out of step', move('2026-05-15T09:00', '2026-06-15T09:00'), 'YEARLY;INTERVAL=2;BYMONTHDAY=15'],
    ['no month of every other year', move('2026-05-15T09:00', '2026-06-15T09:00'), 'YEARLY;INTERVAL=2;BYMONTH=15'],
    ['hours of a weekday, by a day', by(1), 'HOURLY;INTERVAL=5;BYDAY=MO'],
    ['over the end of the month', by(1, '2026-12-31T09:00'), 'MONTHLY;BYMONTHDAY=-1'],
    ['one of several days into the next month', by(10), 'MONTHLY;BYMONTHDAY=7,21'],
    ['a second Monday', by(1, '2026-12-14T09:00'), 'MONTHLY;BYDAY=2MO'],
    ['a last Friday', by(1, '2026-12-25T09:00'), 'MONTHLY;BYDAY=-1FR'],
    ['a fourth Monday, by a week', by(7, '2026-12-28T09:00'), 'MONTHLY;BYDAY=4MO'],
    ['a first and each Monday', by(7), 'MONTHLY;BYDAY=1MO,TU'],
    ['each Monday every other month', by(7), 'MONTHLY;INTERVAL=2;BYDAY=MO'],
    ['each Monday of a month', by(7), 'YEARLY;BYMONTH=12;BYDAY=MO'],
    ['the last working day', by(-1, '2026-12-31T09:00'), 'MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1'],
    ['a week of the year', by(7), 'YEARLY;BYWEEKNO=50'],
    ['29 February', by(1, '2028-02-29T09:00'), 'YEARLY'],
    ['over the end of February', by(9, '2026-02-20T09:00'), 'YEARLY'],
    ['each day of a month', by(1), 'DAILY;BYMONTH=12'],
    ['weeks of a month', by(7), 'WEEKLY;BYMONTH=12;BYDAY=MO'],
    ['a day out of step, into the next month', by(5, '2026-12-28T09:00'), 'MONTHLY;INTERVAL=2;BYMONTHDAY=10'],
    ['an unknown day', by(1), 'WEEKLY;BYDAY=XX'],
    ['another calendar', by(1), 'YEARLY;RSCALE=CHINESE'],
  ])('are refused if no rule has exactly the days that it moves to: %s', (_what, move, rule) => {
    expect(() => movedRules([`RRULE:FREQ=${rule}`], move)).toThrow(rejected);
  });

  it('leave out days that are as many months later', () => {
    const by = move('2026-05-04T09:00', '2026-06-04T10:00');
    const lines = (...dates: string[]) => ['RRULE:FREQ=MONTHLY', `EXDATE;TZID=Europe/Berlin:${dates}`];
    expect(movedRules(lines('20260804T090000', '20270204T090000'), by)).toEqual(lines('20260904T100000', '20270304T100000'));
  });

  it('stay as they are if only the end of the events changes', () => {
    expect(movedRules(['EXDATE;TZID=Unknown/Zone:20261209T090000'], move('2026-12-07T09:00', '2026-12-07T09:00'))).toBeUndefined();
  });

  it.each<[string, { dateTime: string; timeZone: string }, SeriesMove, string[]]>([
    [
      'over a change of clocks',
      { dateTime: '2027-03-25T09:00:00', timeZone: BERLIN },
      move('2027-03-25T09:00', '2027-03-25T11:30'),
      ['RRULE:FREQ=DAILY;UNTIL=20270330T070000Z', 'EXDATE;TZID=Europe/Berlin:20270327T090000,20270328T090000', 'RDATE:20270402T100000Z'],
    ],
    [
      'to another zone and day',
      { dateTime: '2027-03-10T20:00:00', timeZone: BERLIN },
      move('2027-03-10T20:00', '2027-03-11T08:15', { zone: NEW_YORK }),
      ['RRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20270331T180000Z', 'EXDATE:20270312T190000Z,20270328T180000Z'],
    ],
  ])('leave the same events: %s', (_what, start, by, rules) => {
    const local = (at: number, zone: string) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDateTime();
    const before = occurrences({ start, recurrence: rules }, BERLIN, Infinity).map((at) => local(at, by.oldZone).add(by.from.until(by.to)));
    const first = Temporal.PlainDateTime.from(start.dateTime).add(by.from.until(by.to)).toString({ smallestUnit: 'second' });
    const moved = { start: { dateTime: first, timeZone: by.zone }, recurrence: movedRules(rules, by) ?? [] };
    const after = occurrences(moved, BERLIN, Infinity).map((at) => local(at, by.zone));
    expect(after.map(String)).toEqual(before.map(String));
    expect(after.length).toBeGreaterThan(3);
  });
});

describe('the rules of a series have an UNTIL', () => {
  it.each([
    ['in UTC', '2026-12-07T09:00:00', '20261211T080000Z', '20261211T080000Z'],
    ['of a day, which counts as a whole', '2026-12-07T09:00:00', '20261211', '20261211T225959Z'],
    ['that stands for no end', '2026-12-07T09:00:00', '99991231T235959Z', '99991231T235959Z'],
    ['of a day in summer', '2026-12-07T09:00:00+01:00', '20270611', '20270611T215959Z'],
    ['in no zone', '2026-12-07T09:00:00', '20261211T090000', '20261211T080000Z'],
    ['of whole days', '2026-12-07', '20261211', '20261211'],
    ['of whole days as a time', '2026-12-07', '20261211T235959Z', '20261211'],
    ['that is no date', '2026-12-07', 'soon', 'soon'],
  ])('%s', (_what, start, until, typed) => {
    const skipped = start.includes('T') ? 'EXDATE:20261214T080000Z' : 'EXDATE;VALUE=DATE:20261214';
    const rules = (value: string) => [`RRULE:FREQ=WEEKLY;UNTIL=${value};BYDAY=MO`, skipped];
    expect(typedRules(rules(until), start, BERLIN)).toEqual(rules(typed));
  });

  it('that no year of four digits has in UTC', () => {
    const rules = typedRules(['RRULE:FREQ=DAILY;UNTIL=99991231'], '2026-12-07T09:00:00', NEW_YORK);
    expect(rules).toEqual(['RRULE:FREQ=DAILY;UNTIL=99991231T235959Z']);
  });

  it.each(['EXDATE;VALUE=DATE:20261209', 'EXDATE:20261209T080000Z,20261210', 'RDATE;VALUE=DATE:20261209'])(
    'and no day among times: %s',
    (line) => {
      expect(() => typedRules(['RRULE:FREQ=DAILY', line], '2026-12-07T09:00:00', BERLIN)).toThrow(rejected);
    },
  );

  it.each([
    ['EXDATE:20261209T090000', 'EXDATE;TZID=Europe/Berlin:20261209T090000'],
    ['EXDATE;VALUE=DATE-TIME:20261209T090000,20270609T070000Z', 'EXDATE;TZID=Europe/Berlin:20261209T090000,20270609T090000'],
    ['RDATE;VALUE=PERIOD:20261209T090000/PT1H', 'RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20261209T090000/PT1H'],
    ['EXDATE;TZID=America/New_York:20261209T030000', 'EXDATE;TZID=America/New_York:20261209T030000'],
    ['RDATE;VALUE=PERIOD:20261209T080000Z/PT1H', 'RDATE;VALUE=PERIOD:20261209T080000Z/PT1H'],
  ])('and times in a zone: %s', (line, typed) => {
    expect(typedRules(['RRULE:FREQ=DAILY', line], '2026-12-07T09:00:00', BERLIN)).toEqual(['RRULE:FREQ=DAILY', typed]);
  });

  it.each([
    'EXDATE:tomorrow',
    'RDATE:20270230T090000Z',
    'EXDATE;X=a;b:20261209T090000',
    'EXDATE;TZID=Mars/Base:20261209T090000',
    'EXDATE:',
  ])('and nothing that is no time among times: %s', (line) => {
    expect(() => typedRules(['RRULE:FREQ=DAILY', line], '2026-12-07T09:00:00', BERLIN)).toThrow(rejected);
  });

  it.each([
    ['EXDATE;VALUE=DATE:20261209', 'EXDATE;VALUE=DATE:20261209'],
    ['RDATE;VALUE=DATE:20261209,20261210', 'RDATE;VALUE=DATE:20261209,20261210'],
    ['EXDATE:20261209', 'EXDATE;VALUE=DATE:20261209'],
    ['EXDATE;TZID=Europe/Berlin:20261209T090000', 'EXDATE;VALUE=DATE:20261209'],
    ['EXDATE:20261209T230000Z,20261210', 'EXDATE;VALUE=DATE:20261209,20261210'],
    ['RDATE;VALUE=DATE-TIME:20261209T070000Z', 'RDATE;VALUE=DATE:20261209'],
    ['RDATE;TZID="Europe/Berlin":20261209T090000,20261209T170000', 'RDATE;VALUE=DATE:20261209'],
  ])('and no time among whole days: %s', (line, typed) => {
    expect(typedRules(['RRULE:FREQ=DAILY', line], '2026-12-07', BERLIN)).toEqual(['RRULE:FREQ=DAILY', typed]);
  });

  it.each(['RDATE;VALUE=PERIOD:20261209T080000Z/PT1H', 'EXDATE:tomorrow', 'EXDATE;VALUE=DATE:20260230', 'EXDATE;X=a;b:20261209'])(
    'and nothing that is no day among whole days: %s',
    (line) => {
      expect(() => typedRules(['RRULE:FREQ=DAILY', line], '2026-12-07', BERLIN)).toThrow(rejected);
    },
  );
});

describe('a rule that ends before the first event', () => {
  const rule = (until: string) => ['EXDATE:20261201T080000Z', `RRULE:FREQ=DAILY;UNTIL=${until}`];
  it.each([
    ['2026-12-07T09:00:00', '20261207T080000Z', '20261207T075959Z'],
    ['2026-12-07T09:00:00+01:00', '20261207T080000Z', '20261207T075959Z'],
    ['2026-12-07T09:00:00', '20261207T090000', '20261207T085959'],
    ['2026-12-07T09:00:00', '20261207', '20261206'],
    ['2026-12-07', '20261207', '20261206'],
    ['2026-12-07', '20261207T000000Z', '20261206T235959Z'],
  ])('is refused: from %s until %s is valid, until %s is not', (start, valid, before) => {
    expect(() => assertLasts(rule(valid), start, BERLIN)).not.toThrow();
    expect(() => assertLasts(rule(before), start, BERLIN)).toThrow(rejected);
  });
});

describe('a series whose first event its rule doesn’t have', () => {
  // Monday, the first of five in this month, the 2nd last day but one of a leap year’s February.
  const MONDAY = '2027-03-01T09:00:00';
  const LEAP_DAY = '2028-02-29';
  it.each([
    [MONDAY, 'WEEKLY;BYDAY=MO', 'WEEKLY;BYDAY=TU,TH,SA;COUNT=5'],
    [MONDAY, 'DAILY;BYDAY=FR,MO', 'DAILY;BYDAY=FR'],
    [MONDAY, 'MONTHLY;BYDAY=1MO', 'MONTHLY;BYDAY=2MO'],
    [MONDAY, 'MONTHLY;BYDAY=-5MO', 'MONTHLY;BYDAY=-1MO'],
    [MONDAY, 'MONTHLY;BYDAY=MO,TU;BYSETPOS=1', 'MONTHLY;BYDAY=WE;BYSETPOS=1'],
    [MONDAY, 'MONTHLY;BYMONTHDAY=1,15', 'MONTHLY;BYMONTHDAY=15'],
    [MONDAY, 'YEARLY;BYMONTH=3', 'YEARLY;BYMONTH=4'],
    [MONDAY, 'YEARLY;BYMONTH=3;BYDAY=+1MO', 'YEARLY;BYMONTH=3;BYDAY=2MO'],
    [MONDAY, 'YEARLY;BYDAY=9MO', 'YEARLY;BYDAY=1MO'],
    [MONDAY, 'YEARLY;BYDAY=-44MO', 'YEARLY;BYDAY=-5MO'],
    [MONDAY, 'YEARLY;BYWEEKNO=9;BYDAY=MO', 'YEARLY;BYWEEKNO=9;BYDAY=TU'],
    [LEAP_DAY, 'MONTHLY;BYMONTHDAY=-1', 'MONTHLY;BYMONTHDAY=-2'],
    [LEAP_DAY, 'YEARLY;BYDAY=TU;BYMONTHDAY=29', 'YEARLY;BYDAY=MO;BYMONTHDAY=29'],
    [LEAP_DAY, 'YEARLY', 'YEARLY;BYMONTHDAY=31'],
    ['2027-03-01T23:30:00-05:00', 'WEEKLY;BYDAY=TU', 'WEEKLY;BYDAY=MO'],
  ])('is refused: from %s FREQ=%s is valid, FREQ=%s is not', (start, valid, other) => {
    const rule = (text: string) => [`RRULE:FREQ=${text}`];
    expect(() => assertFirst(rule(valid), start, BERLIN)).not.toThrow();
    expect(() => assertFirst(rule(valid.toLowerCase()), start, BERLIN)).not.toThrow();
    expect(() => assertFirst(rule(other), start, BERLIN)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(/^start: /) }),
    );
  });

  it('may be left out of it', () => {
    const rules = ['RRULE:FREQ=WEEKLY;BYDAY=WE', 'EXDATE;TZID=Europe/Berlin:20270301T090000'];
    expect(() => assertFirst(rules, MONDAY, BERLIN)).not.toThrow();
  });
});
