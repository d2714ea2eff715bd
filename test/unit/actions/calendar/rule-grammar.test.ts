import { describe, expect, it } from 'vitest';
import { recurrence } from '../../../../src/actions/calendar/calendar-inputs.ts';

describe('rules of a series', () => {
  it.each([
    'FREQ=WEEKLY;BYDAY=TU',
    'FREQ=MONTHLY;BYDAY=-1FR,+2MO;COUNT=5',
    'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=-1;WKST=SU;INTERVAL=2',
    'FREQ=DAILY;UNTIL=20271224',
    'FREQ=DAILY;UNTIL=20271224T080000Z',
    'FREQ=WEEKLY;BYSETPOS=1;BYDAY=MO,TU',
    'FREQ=WEEKLY;X-OWN=anything',
  ])('may be %s', (rule) => {
    expect(recurrence.safeParse([`RRULE:${rule}`]).success).toBe(true);
  });

  it.each([
    'FREQ=SOMETIMES',
    'FREQ=WEEKLY;',
    'FREQ=WEEKLY;BYDAY=XX',
    'FREQ=WEEKLY;BYDAY=',
    'FREQ=WEEKLY;COUNT=many',
    'FREQ=WEEKLY;COUNT=-1',
    'FREQ=WEEKLY;UNTIL=tomorrow',
    'FREQ=WEEKLY;INTERVAL=1.5',
    'FREQ=WEEKLY;WKST=2MO',
    'FREQ=WEEKLY;BYMONTH=March',
    'FREQ=WEEKLY=DAILY',
    'FREQ=WEEKLY;BYDAY',
  ])('may not be %s: its field says so', (rule) => {
    const { error } = recurrence.safeParse([`RRULE:${rule}`]);
    expect(error?.issues.map(({ path, message }) => [path, message])).toEqual([
      [[0], expect.stringMatching(/^must be (a rule such as )?RRULE:FREQ=/)],
    ]);
  });
});
