import { describe, expect, it } from 'vitest';
import { meaningOf } from '../../../public/language/meaning.js';

describe('what is entered, in words,', () => {
  it.each<[string, string, string | undefined]>([
    ['recurrence', 'RRULE:FREQ=DAILY;COUNT=2', 'Each day, 2 times'],
    ['recurrence', ' RRULE:FREQ=DAILY;COUNT=2 \r\n\nEXDATE:20270329T120000', 'Each day, 2 times; Not on Mon, 29 Mar 2027'],
    ['recurrence', 'RRULE:FREQ=DAILY;BYHOUR=9', undefined],
    ['recurrence', 'RRULE:FREQ=DAILY;COUNT=2\nEvery Monday', undefined],
    ['recurrence', '', undefined],
    ['zone', 'Pacific/Auckland', 'Auckland time'],
    ['end_zone', 'UTC', 'UTC'],
    ['zone', 'Mars/Olympus\u202e', undefined],
    ['zone', '', undefined],
    ['title', 'UTC', undefined],
  ])('of %s %j is %j', (name, text, words) => {
    expect(meaningOf(name, text)).toBe(words);
  });

  it('is not looked for in what is longer than anyone enters', () => {
    expect(meaningOf('recurrence', 'RRULE:FREQ=DAILY;COUNT=2\n'.repeat(20))).toContain('Each day, 2 times');
    expect(meaningOf('recurrence', 'RRULE:FREQ=DAILY;COUNT=2\n'.repeat(21))).toBeUndefined();
    expect(meaningOf('recurrence', `RRULE:FREQ=DAILY;COUNT=2;X=${'x'.repeat(10_000)}`)).toBeUndefined();
  });
});
