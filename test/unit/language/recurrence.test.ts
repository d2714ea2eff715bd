import { describe, expect, it } from 'vitest';
import { ruleWords } from '../../../public/language/en/recurrence.js';

describe('the rule of a series', () => {
  it.each([
    ['RRULE:FREQ=DAILY', 'Each day, without an end'],
    ['RRULE:FREQ=DAILY;COUNT=1', 'Each day, once'],
    ['RRULE:FREQ=WEEKLY;BYDAY=TU', 'Each week on Tuesday, without an end'],
    ['RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;COUNT=10', 'Every 2 weeks on Monday, Wednesday and Friday, 10 times'],
    ['RRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20270601T100000Z', 'Each month on the last Friday, until Tue, 1 Jun 2027'],
    ['RRULE:FREQ=MONTHLY;BYMONTHDAY=1,15;UNTIL=20270601', 'Each month on day 1 and 15, until Tue, 1 Jun 2027'],
    ['RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=2', 'Each month on the last day, 2 times'],
    ['RRULE:FREQ=YEARLY', 'Each year, without an end'],
    ['RRULE:FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24', 'Each year on 24 December, without an end'],
    ['RRULE:FREQ=YEARLY;INTERVAL=2;BYMONTH=11;BYDAY=4TH;COUNT=3', 'Every 2 years on the fourth Thursday of November, 3 times'],
    ['EXDATE;TZID=Europe/Berlin:20270329T120000', 'Not on Mon, 29 Mar 2027'],
    ['RDATE;VALUE=DATE:20270329,20270330', 'Also on Mon, 29 Mar 2027 and Tue, 30 Mar 2027'],
  ])('%s is “%s”', (line, words) => {
    expect(ruleWords(line)).toBe(words);
  });

  it.each([
    'RRULE:FREQ=HOURLY',
    'RRULE:FREQ=MONTHLY;BYDAY=MO',
    'RRULE:FREQ=WEEKLY;BYDAY=2MO',
    'RRULE:FREQ=YEARLY;BYDAY=MO',
    'RRULE:FREQ=YEARLY;BYMONTH=13;BYMONTHDAY=1',
    'RRULE:FREQ=YEARLY;BYMONTH=3,4;BYMONTHDAY=1',
    'RRULE:FREQ=YEARLY;BYMONTH=3',
    'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=MO',
    'RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1;BYDAY=1MO',
    'RRULE:FREQ=MONTHLY;BYMONTH=3;BYMONTHDAY=1',
    'RRULE:FREQ=WEEKLY;BYMONTHDAY=-1',
    'RRULE:FREQ=WEEKLY;BYSETPOS=1',
    'RRULE:FREQ=WEEKLY;BYDAY=XX',
    'RRULE:FREQ=DAILY;COUNT=3;UNTIL=20270601',
    'RRULE:FREQ=DAILY;UNTIL=20279901',
    'RRULE:FREQ=DAILY;COUNT=0x10',
    'RRULE:FREQ=constructor',
    'RRULE:FREQ=WEEKLY;BYDAY=toString',
    'RRULE:FREQ=DAILY;INTERVAL=0',
    'RDATE;VALUE=PERIOD:20270329T120000/PT1H',
    'no rule',
  ])('%s has no words, and stays as it is', (line) => {
    expect(ruleWords(line)).toBe(line);
  });
});
