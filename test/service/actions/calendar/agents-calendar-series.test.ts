import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callApproved, newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';
const AT = { title: 'Standup', start: '2026-12-07T09:00', end: '2026-12-07T09:30', zone: 'Europe/Berlin' };

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
});

const create = async (more: object): Promise<string> => (await me.act('calendar.create', { ...AT, ...more })).id;
const startsOf = async (id: string): Promise<string[]> =>
  (await me.google('GET', `${EVENTS}/${id}/instances`)).body.items.map(({ start }: any) => start.date ?? start.dateTime);
const at = (time: string, ...days: string[]) => days.map((day) => `2026-12-${day}T${time}:00+01:00`);
const invalid = { code: 'invalid_request', message: expect.stringContaining('recurrence') };

describe('a series that moves', () => {
  it('takes the dates that it leaves out and adds with it, and its end', async () => {
    const recurrence = [
      'RRULE:FREQ=DAILY;UNTIL=20261211T080000Z',
      'EXDATE;TZID=Europe/Berlin:20261209T090000',
      'RDATE;TZID=Europe/Berlin:20261220T090000',
    ];
    const id = await create({ recurrence });
    expect(await startsOf(id)).toEqual(at('09:00', '07', '08', '10', '11', '20'));
    const { meta } = await callApproved(steward, me.token, 'calendar.update', { id, scope: 'series', start: '2026-12-07T11:00' });
    expect(await startsOf(id)).toEqual(at('11:00', '07', '08', '10', '11', '20'));
    await me.act(meta.undo?.action ?? '', meta.undo?.input);
    expect(await startsOf(id)).toEqual(at('09:00', '07', '08', '10', '11', '20'));
    expect((await me.google('GET', `${EVENTS}/${id}`)).body.recurrence).toEqual(recurrence);
  });

  it('beyond its end keeps its events', async () => {
    const id = await create({ recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261208T080000Z'] });
    await me.act('calendar.update', { id, scope: 'series', start: '2026-12-14T09:00' });
    expect(await startsOf(id)).toEqual(at('09:00', '14', '15'));
  });

  it('of whole days does so, too', async () => {
    const recurrence = ['RRULE:FREQ=DAILY;UNTIL=20261210', 'EXDATE;VALUE=DATE:20261209'];
    const id = await create({ start: '2026-12-07', end: '2026-12-08', zone: undefined, recurrence });
    await me.act('calendar.update', { id, scope: 'series', start: '2026-12-10' });
    expect(await startsOf(id)).toEqual(['2026-12-10', '2026-12-11', '2026-12-13']);
  });

  it('with more left out than one line of a request may have loses none of it', async () => {
    const days = Array.from({ length: 200 }, (_, day) =>
      new Date(Date.UTC(2026, 11, 8 + day)).toISOString().slice(0, 10).replaceAll('-', ''),
    );
    const id = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=202'] });
    const line = `EXDATE;TZID=Europe/Berlin:${days.map((day) => `${day}T090000`).join(',')}`;
    await me.google('PATCH', `${EVENTS}/${id}`, { recurrence: ['RRULE:FREQ=DAILY;COUNT=202', line] });
    await me.act('calendar.update', { id, scope: 'series', start: '2026-12-07T11:00' });
    expect(await startsOf(id)).toEqual(['2026-12-07T11:00:00+01:00', '2027-06-26T11:00:00+02:00']);
  });

  it('stays as it is if one of its dates can’t be moved', async () => {
    const id = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
    await me.google('PATCH', `${EVENTS}/${id}`, { recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261211T080000Z', 'EXDATE;VALUE=DATE:20261209'] });
    const before = await startsOf(id);
    await expect(me.act('calendar.update', { id, scope: 'series', start: '2026-12-07T11:00' })).rejects.toMatchObject(invalid);
    expect(await startsOf(id)).toEqual(before);
  });
});

describe('a series until a day', () => {
  const until = ['RRULE:FREQ=DAILY;UNTIL=20261208'];
  const typed = ['RRULE:FREQ=DAILY;UNTIL=20261208T225959Z'];

  it('has the events of that day, whichever type its end is given in', async () => {
    const id = await create({ recurrence: until });
    expect(await startsOf(id)).toEqual(at('09:00', '07', '08'));
    expect((await me.act('calendar.get', { id })).recurrence).toEqual(typed);
    await me.act('calendar.update', { id, scope: 'series', recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
    await me.act('calendar.update', { id, scope: 'series', recurrence: until });
    expect((await me.act('calendar.get', { id })).recurrence).toEqual(typed);
  });

  it('leaves out no days, but times', async () => {
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;VALUE=DATE:20261208'];
    await expect(create({ recurrence })).rejects.toMatchObject({ ...invalid, message: expect.stringMatching(/^recurrence: EXDATE/) });
  });
});

describe('a series whose first event its rule doesn’t have', () => {
  const TUESDAYS = { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=2'] };
  const off = { code: 'invalid_request', message: expect.stringMatching(/^start: .* 7 Dec 2026 /) };

  it('would have one more, and is not made', async () => {
    await expect(create(TUESDAYS)).rejects.toMatchObject(off);
    const id = await create({});
    await expect(me.act('calendar.update', { id, ...TUESDAYS })).rejects.toMatchObject(off);
    await me.act('calendar.update', { id, ...TUESDAYS, start: '2026-12-08T09:00' });
    expect(await startsOf(id)).toEqual(at('09:00', '08', '15'));
  });

  it('that it has all the same moves with it', async () => {
    const id = await create({ recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] });
    await me.google('PATCH', `${EVENTS}/${id}`, TUESDAYS);
    expect(await startsOf(id)).toEqual(at('09:00', '07', '08', '15'));
    const { meta } = await callApproved(steward, me.token, 'calendar.update', { id, scope: 'series', start: '2026-12-08T11:00' });
    expect(await startsOf(id)).toEqual(at('11:00', '08', '09', '16'));
    expect(meta.undo).toBeUndefined();
  });
});

describe('a rule that ends before its first event', () => {
  const ENDED = ['RRULE:FREQ=DAILY;UNTIL=20261201T080000Z'];

  it.each([
    ['a time', {}],
    ['a whole day', { start: '2026-12-07', end: undefined, zone: undefined, recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261206'] }],
  ])('is no series: %s', async (_what, more) => {
    await expect(create({ recurrence: ENDED, ...more })).rejects.toMatchObject(invalid);
    expect((await me.act('calendar.list', { from: '2026-11-01', to: '2026-12-31', query: 'Standup' })).items).toEqual([]);
  });

  it.each([
    ['a series', { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] }, { scope: 'series', recurrence: ENDED }],
    ['an event', {}, { recurrence: ENDED }],
    [
      'a series that moves beyond it',
      { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] },
      { scope: 'series', start: '2027-01-11T09:00', recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261231T080000Z'] },
    ],
  ])('isn’t given to %s', async (_what, made, change) => {
    const id = await create(made);
    const before = (await me.google('GET', `${EVENTS}/${id}`)).body;
    await expect(me.act('calendar.update', { id, ...change })).rejects.toMatchObject(invalid);
    expect((await me.google('GET', `${EVENTS}/${id}`)).body).toEqual(before);
  });
});
