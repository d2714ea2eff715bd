import { describe, expect, it } from 'vitest';
import type { Target } from '../../../../src/actions/calendar/calendar-session.ts';
import { rescheduleSeries } from '../../../../src/actions/calendar/reschedule.ts';

const BERLIN = 'Europe/Berlin';
const ZONES = { start: BERLIN, end: BERLIN };

/** @param start and `end`: times with an offset */
function seriesOf(start: string, end: string, rule: string): Target['event'] {
  const at = (dateTime: string) => ({ dateTime, timeZone: BERLIN });
  return { start: at(start), end: at(end), recurrence: [`RRULE:FREQ=${rule}`] } as Target['event'];
}

function startAndEnd(target: Target, times: { start?: string; end?: string }, zones = ZONES): string[] {
  const { start, end } = rescheduleSeries(target, times, zones, true);
  return [start, end].map(({ dateTime, date }) => (dateTime ?? date ?? '').slice(0, 16));
}

describe('a series that moves without a new end', () => {
  it.each([
    [
      'a night in which clocks are set forward',
      '2026-03-27T22:00:00+01:00',
      '2026-03-28T06:00:00+01:00',
      '2026-03-28T22:00',
      '2026-03-29T07:00',
    ],
    [
      'a night in which they are set back',
      '2026-10-23T22:00:00+02:00',
      '2026-10-24T06:00:00+02:00',
      '2026-10-24T22:00',
      '2026-10-25T05:00',
    ],
    ['an end that clocks would skip', '2026-03-28T01:30:00+01:00', '2026-03-28T02:30:00+01:00', '2026-03-29T01:30', '2026-03-29T03:30'],
  ])('keeps the length of its events: %s', (_what, from, until, start, end) => {
    const event = seriesOf(from, until, 'DAILY');
    expect(startAndEnd({ event, named: event }, { start: `${start}:00` })).toEqual([start, end]);
  });

  it('ends in the zone of its end', () => {
    const event = seriesOf('2026-03-27T22:00:00+01:00', '2026-03-28T06:00:00+01:00', 'DAILY');
    const times = startAndEnd({ event, named: event }, { start: '2026-03-28T22:00:00' }, { start: BERLIN, end: 'UTC' });
    expect(times).toEqual(['2026-03-28T22:00', '2026-03-29T05:00']);
  });

  it('by months moves its first event by as many months as the named one', () => {
    const event = seriesOf('2026-05-04T09:00:00+02:00', '2026-05-04T10:00:00+02:00', 'MONTHLY');
    const named = seriesOf('2026-07-04T09:00:00+02:00', '2026-07-04T10:00:00+02:00', 'MONTHLY');
    expect(startAndEnd({ event, named }, { start: '2026-08-04T09:00:00' })).toEqual(['2026-06-04T09:00', '2026-06-04T10:00']);
  });
});
