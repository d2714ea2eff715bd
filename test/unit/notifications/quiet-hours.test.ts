import { describe, expect, it } from 'vitest';
import { quietUntil } from '../../../src/notifications/delivery/quiet-hours.ts';

const NIGHT = { from: '22:00', to: '07:00' };
const BERLIN = 'Europe/Berlin';

describe('quietUntil', () => {
  it.each<[string, { from: string; to: string }, string, string, string | undefined]>([
    ['before them', NIGHT, BERLIN, '2027-01-15T20:59:59Z', undefined],
    ['from their first moment', NIGHT, BERLIN, '2027-01-15T21:00:00Z', '2027-01-16T06:00:00.000Z'],
    ['after midnight', NIGHT, BERLIN, '2027-01-16T05:59:59Z', '2027-01-16T06:00:00.000Z'],
    ['at their end', NIGHT, BERLIN, '2027-01-16T06:00:00Z', undefined],
    ['on one day', { from: '12:00', to: '14:00' }, BERLIN, '2027-01-16T11:30:00Z', '2027-01-16T13:00:00.000Z'],
    ['in the night in which the clock goes forward', NIGHT, BERLIN, '2027-03-27T22:00:00Z', '2027-03-28T05:00:00.000Z'],
    ['in the night in which the clock goes back', NIGHT, BERLIN, '2027-10-30T21:00:00Z', '2027-10-31T06:00:00.000Z'],
    ['until a time that the day does not have', { from: '22:00', to: '02:30' }, BERLIN, '2027-03-28T00:30:00Z', '2027-03-28T01:30:00.000Z'],
    [
      'until a time that the day has twice, first',
      { from: '22:00', to: '02:30' },
      BERLIN,
      '2027-10-31T00:10:00Z',
      '2027-10-31T00:30:00.000Z',
    ],
    [
      'until a time that the day has twice, then',
      { from: '22:00', to: '02:30' },
      BERLIN,
      '2027-10-31T01:10:00Z',
      '2027-10-31T01:30:00.000Z',
    ],
    ['in a zone with a part of an hour', NIGHT, 'Pacific/Chatham', '2027-01-15T10:00:00Z', '2027-01-15T17:15:00.000Z'],
  ])('%s', (_when, hours, zone, now, expected) => {
    expect(quietUntil(hours, zone, Date.parse(now))?.toISOString()).toBe(expected);
  });
});
