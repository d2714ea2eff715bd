import { describe, expect, it } from 'vitest';
import { eventSource } from '../../../../src/actions/calendar/calendar-event.ts';

const EVENT = { id: 'e1', title: 'Lunch', start: '2027-03-21', end: '2027-03-22', all_day: true, busy: true };

describe('an event without guests', () => {
  it.each([
    [undefined, 'own'],
    ['focusTime', 'own'],
    ['outOfOffice', 'own'],
    ['fromGmail', 'others'],
    ['birthday', 'others'],
    ['workingLocation', 'others'],
    ['somethingNew', 'others'],
  ])('is the user’s own unless the provider made it: %s', (kind, integrity) => {
    expect(eventSource({ ...EVENT, ...(kind !== undefined && { kind }) }).integrity).toBe(integrity);
  });
});
