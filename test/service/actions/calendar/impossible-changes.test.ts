import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';

const GUEST = 'ana@partner.example';
const ZONE = 'Europe/Berlin';
const TIMES = { start: '2027-05-03T09:00', end: '2027-05-03T10:00' };
const ENDED = ['RRULE:FREQ=DAILY;UNTIL=20270501T000000Z'];

let steward: TestSteward;
let me: Person;
let series: string;
let single: string;

beforeAll(async () => {
  steward = await startSteward();
  me = await newPerson(steward);
  const guests = { attendees: [GUEST], zone: ZONE, ...TIMES };
  series = (await me.act('calendar.create', { ...guests, title: 'Daily', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] })).id;
  single = (await me.act('calendar.create', { ...guests, title: 'Once' })).id;
});
afterAll(() => steward.stop());

const openQuestions = async () => {
  const { userId } = await steward.context.sessions.authenticate(me.token);
  return (await steward.context.executor.approvals(userId)).length;
};

const NEW = { title: 'Lunch', attendees: [GUEST] };
const IMPOSSIBLE: [string, string, () => object][] = [
  ['a series that ends before it begins', 'calendar.create', () => ({ ...NEW, ...TIMES, recurrence: ENDED })],
  ['the same in a zone', 'calendar.create', () => ({ ...NEW, ...TIMES, zone: 'Asia/Tokyo', recurrence: ENDED })],
  ['the same of whole days', 'calendar.create', () => ({ ...NEW, start: '2027-05-03', recurrence: ['RRULE:FREQ=DAILY;UNTIL=20270501'] })],
  ['an end before the start', 'calendar.create', () => ({ ...NEW, start: TIMES.end, end: TIMES.start })],
  ['no end', 'calendar.create', () => ({ ...NEW, start: TIMES.start })],
  ['a time that clocks skip', 'calendar.create', () => ({ ...NEW, start: '2027-03-28T02:30', end: '2027-03-28T04:00', zone: ZONE })],
  ['a change that ends a series before it begins', 'calendar.update', () => ({ id: series, scope: 'series', recurrence: ENDED })],
  ['a start after the end', 'calendar.update', () => ({ id: single, start: '2027-05-03T09:00', end: '2027-05-03T08:00' })],
  ['an all-day start of a meeting with a time', 'calendar.update', () => ({ id: single, start: '2027-05-03', end: '2027-05-03T08:00' })],
  ['rules of one event of a series', 'calendar.update', () => ({ id: `${series}_20270504T070000Z`, recurrence: ['RRULE:FREQ=DAILY'] })],
  ['to uninvite who isn’t invited', 'calendar.update', () => ({ id: single, remove_attendees: ['ben@example.org'] })],
  ['an answer to what one isn’t invited to', 'calendar.respond', () => ({ id: single, answer: 'accepted', comment: 'Yes' })],
];

describe('what can’t succeed', () => {
  it.each(IMPOSSIBLE)('is rejected before the user is asked: %s', async (_name, action, input) => {
    const call = callAction(steward, action, input(), { token: me.token });
    await expect(call).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await openQuestions()).toBe(0);
  });
});
