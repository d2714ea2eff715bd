import { describe, expect, it } from 'vitest';
import { counts } from '../../../public/language/en/counts.js';
import { Formatter } from '../../../public/language/formatter.js';

const inZone = (timeZone: string, language?: string) => new Formatter({ language, timeZone });

describe('a time', () => {
  it.each([
    ['UTC', '2026-11-25T23:30:00Z', 'Wed, 25 Nov 2026, 23:30 UTC'],
    ['Europe/Berlin', '2026-11-25T23:30:00Z', 'Thu, 26 Nov 2026, 00:30 Berlin time'],
    ['America/New_York', '2026-11-25T23:30:00Z', 'Wed, 25 Nov 2026, 18:30 New York time'],
    ['Asia/Kathmandu', '2026-11-25T23:30:00+01:00', 'Thu, 26 Nov 2026, 04:15 Kathmandu time'],
    ['Asia/Calcutta', '2026-11-25T23:30:00Z', 'Thu, 26 Nov 2026, 05:00 Kolkata time'],
    ['Asia/Saigon', '2026-11-25T23:30:00Z', 'Thu, 26 Nov 2026, 06:30 Ho Chi Minh City time'],
    ['America/Argentina/Buenos_Aires', '2026-11-25T23:30:00Z', 'Wed, 25 Nov 2026, 20:30 Buenos Aires time'],
    ['Etc/GMT+5', '2026-11-25T23:30:00Z', 'Wed, 25 Nov 2026, 18:30 UTC-05:00'],
    ['+02:00', '2026-11-25T23:30:00Z', 'Thu, 26 Nov 2026, 01:30 UTC+02:00'],
  ])('is that of clocks in the reader’s zone: %s', (zone, moment, written) => {
    expect(inZone(zone).zonedTime(moment)).toBe(written);
  });

  it.each(['en-US-u-ca-buddhist', 'en-US-u-nu-arab', 'en-US-u-ca-hebrew-nu-thai', 'en-US-u-hc-h12', 'en-US-u-tz-uslax', 'en-TH', 'en-IR'])(
    'is written in everyone’s calendar and digits, whatever the tag of the language: %s',
    (language) => {
      expect(inZone('UTC', language).dateTime('2026-11-25T15:00:00Z')).toBe('Wed, Nov 25, 2026, 15:00');
      expect(inZone('UTC', language).number(1234.5)).toBe('1,234.5');
    },
  );

  it.each([
    ['before clocks are set forward', '2026-03-29T00:59:00Z', '01:59'],
    ['after it', '2026-03-29T01:00:00Z', '03:00'],
    ['before clocks are set back', '2026-10-25T00:30:00Z', '02:30'],
    ['after it', '2026-10-25T01:30:00Z', '02:30'],
  ])('is right %s', (_when, moment, written) => {
    expect(inZone('Europe/Berlin').time(moment)).toBe(written);
  });

  it('is the same in every zone where it has no offset, and a day is the same day', () => {
    for (const zone of ['Pacific/Auckland', 'UTC', 'Pacific/Honolulu']) {
      expect(inZone(zone).dateTime('2026-11-25T09:00')).toBe('Wed, 25 Nov 2026, 09:00');
      expect(inZone(zone).dateTime('2026-11-25')).toBe('Wed, 25 Nov 2026');
      expect(inZone(zone).localDay('2026-11-25')).toBe('2026-11-25');
    }
    expect(inZone('Pacific/Auckland').localDay('2026-11-25T12:00:00Z')).toBe('2026-11-26');
  });

  it('has a 24-hour clock in each variety of English, and midnight is 00:00', () => {
    expect(inZone('UTC', 'en').time('2026-11-25T00:00:00Z')).toBe('00:00');
    expect(inZone('UTC', 'en-US').dateTime('2026-11-25T15:00:00Z')).toBe('Wed, Nov 25, 2026, 15:00');
  });

  it('is in English where there are no texts in the language', () => {
    expect(inZone('UTC', 'de').longDay('2026-11-25')).toBe('Wednesday, 25 November 2026');
  });

  it.each([['soon'], ['5'], ['2026-13-45'], [''], ['25 Nov 2026']])('is written as it is where it is none: %s', (text) => {
    expect(inZone('UTC').dateTime(text)).toBe(text);
    expect(inZone('UTC').zonedTime(text)).toBe(text);
  });
});

describe('the hours of an event', () => {
  const event = { start: '2026-11-25T14:00:00Z', end: '2026-11-25T14:45:00Z' };

  it('are those of its calendar, with the reader’s in brackets where clocks differ', () => {
    expect(inZone('Europe/London').hours({ ...event, zone: 'Europe/Berlin' })).toBe('15:00–15:45 Berlin time (14:00 yours)');
    expect(inZone('Pacific/Auckland').hours({ ...event, zone: 'Europe/Berlin' })).toBe('15:00–15:45 Berlin time (Thu 26 Nov, 03:00 yours)');
  });

  it('have no zone where clocks show the same', () => {
    expect(inZone('Europe/Paris').hours({ ...event, zone: 'Europe/Berlin' })).toBe('15:00–15:45');
    expect(inZone('Europe/Paris').hours(event)).toBe('15:00–15:45');
    expect(inZone('Europe/Paris').hours({ ...event, zone: 'Mars/Olympus' })).toBe('15:00–15:45');
  });

  it('name the day of an end on another one', () => {
    expect(inZone('UTC').hours({ start: '2026-11-25T22:00:00Z', end: '2026-11-26T01:00:00Z' })).toBe('22:00 to Thu 26 Nov, 01:00');
    expect(inZone('UTC').hours({ start: '2026-11-25T22:00:00Z', end: '2026-11-25T22:00:00Z' })).toBe('22:00');
    expect(inZone('UTC').wholeDays({ start: '2026-11-25', lastDay: '2026-11-26' })).toBe('until Thu 26 Nov');
    expect(inZone('UTC').wholeDays({ start: '2026-11-25', lastDay: '2026-11-25' })).toBe('all day');
  });
});

describe('an amount', () => {
  it.each([
    [2340.55, 'USD', '$2,340.55'],
    [-4.5, 'EUR', '-€4.50'],
    [1200, 'JPY', '¥1,200'],
    [3, 'KWD', 'KWD 3.000'],
    [3, 'points', '3.00 points'],
    [3, null, '3.00'],
    [null, 'USD', '–'],
  ])('%s %s is %s', (amount, currency, written) => {
    expect(inZone('UTC').money(amount, currency).replaceAll('\u00a0', ' ')).toBe(written);
  });

  it('of bytes, things, minutes and seconds has its unit', () => {
    const words = inZone('UTC');
    expect([0, 999, 160_000, 1_234_567].map((bytes) => words.bytes(bytes))).toEqual(['0 bytes', '999 bytes', '160 kB', '1.23 MB']);
    expect([counts.messages(1, words), counts.messages(1_500, words)]).toEqual(['1 message', '1,500 messages']);
    expect([0, 45, 60, 90].map((minutes) => words.minutes(minutes))).toEqual(['0 min', '45 min', '1 h', '1 h 30 min']);
    expect([245_000, 59_001, -5].map((ms) => words.countdown(ms))).toEqual(['4:05', '1:00', '0:00']);
  });
});

it('a list has one “and”', () => {
  expect(inZone('UTC').list(['a', 'b', 'c'])).toBe('a, b and c');
  expect(inZone('UTC').list(['a', 'b', 'c'], 'disjunction')).toBe('a, b or c');
});
