import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';
const AT = { title: 'Lunch', start: '2027-03-21T09:00', end: '2027-03-21T10:00' };
const WEEKLY = { ...AT, recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=SU;COUNT=4'] };

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
});

/** Runs an action, and approves it if it asks. */
async function run(action: string, input: object): Promise<any> {
  try {
    return await callAction(steward, action, input, { token: me.token });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'approval_required') throw error;
    const user = await steward.context.sessions.authenticate(me.token);
    const decision = { user, surface: 'socket', approvalId: String(error.details?.approvalId), approved: true };
    return steward.context.executor.approve({ ...decision, signal: new AbortController().signal });
  }
}

const stored = async (id: string) => {
  const { updated: _, etag: __, ...event } = (await me.google('GET', `${EVENTS}/${id}`)).body;
  return event;
};
const listed = async () => (await me.act('calendar.list', { from: '2027-03-01', to: '2027-04-30' })).items;

async function undo({ meta }: any): Promise<any> {
  expect(meta.undo).toEqual({ action: expect.any(String), input: expect.any(Object), summary: expect.stringMatching(/^[^\n]+$/) });
  return run(meta.undo.action, meta.undo.input);
}

describe('what reverts calendar.create', () => {
  it.each([
    ['an event', AT],
    ['a series', WEEKLY],
  ])('deletes %s', async (_what, input) => {
    const before = await listed();
    const result = await run('calendar.create', { ...input, title: 'Hi”, inviting “nobody' });
    expect(result.meta.undo.summary).toMatch(/^Delete the (event|series) “Hi', inviting 'nobody”$/);
    await undo(result);
    expect(await listed()).toEqual(before);
  });

  it('isn’t named if people were invited', async () => {
    expect((await run('calendar.create', { ...AT, attendees: ['ana@example.org'] })).meta.undo).toBeUndefined();
  });
});

describe('what reverts calendar.update', () => {
  it.each([
    ['its texts', { title: 'Dinner', location: 'there', description: '' }, 'the title, the description and the place'],
    ['its time', { start: '2027-03-22T20:00', zone: 'America/New_York' }, 'the start, the end and the time zone'],
    ['an event of whole days', { start: '2027-03-22', end: '2027-03-24' }, 'the start, the end and the time zone'],
  ])('restores %s', async (_what, change, fields) => {
    const { id } = (await run('calendar.create', { ...AT, location: 'here', description: 'about\nit' })).data;
    const before = await stored(id);
    const result = await run('calendar.update', { id, ...change });
    expect(result.meta.undo.summary).toBe(`Put back ${fields} of the event “Lunch”`);
    await undo(result);
    // Written after a result that may contain others' text.
    expect(await stored(id)).toEqual({ ...before, ...('title' in change && { visibility: 'private' }) });
  });

  it('restores a place of several lines', async () => {
    const { id } = (await run('calendar.create', AT)).data;
    const location = 'City Hall\nHigh Street 1';
    await me.google('PATCH', `${EVENTS}/${id}`, { location });
    await undo(await run('calendar.update', { id, location: 'there' }));
    expect((await stored(id)).location).toBe(location);
  });

  it('restores a series, and one event of it', async () => {
    const { id } = (await run('calendar.create', WEEKLY)).data;
    const before = await listed();
    const monday = { start: '2027-03-22T11:00', recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'] };
    await undo(await run('calendar.update', { id, scope: 'series', ...monday }));
    expect(await listed()).toEqual(before);
    const second = before.find(({ series, start }: any) => series === id && start.startsWith('2027-03-28'));
    const result = await run('calendar.update', { id: second.id, start: '2027-03-29T15:00', title: 'Later' });
    expect(result.meta.undo.summary).toMatch(/; it stays private$/);
    await undo(result);
    expect(await listed()).toEqual(before.map((one: any) => (one === second ? { ...one, private: true } : one)));
  });

  it('restores guests with the user’s approval, and says that messages stay sent', async () => {
    const { id } = (await run('calendar.create', { ...AT, attendees: ['ana@example.org', 'ben@example.org'] })).data;
    const change = { id, add_attendees: ['eve@example.net'], remove_attendees: ['ben@example.org'], notify: true };
    const result = await run('calendar.update', change);
    expect(result.meta.undo).toEqual({
      action: 'calendar.update',
      input: { id, scope: 'this', add_attendees: ['ben@example.org'], remove_attendees: ['eve@example.net'], notify: false },
      summary: 'Put back the former guests and the guest list of the event “Lunch”; what was sent by mail stays sent',
    });
    const { action, input } = result.meta.undo;
    await expect(callAction(steward, action, input, { token: me.token })).rejects.toMatchObject({ code: 'approval_required' });
    await undo(result);
    expect((await stored(id)).attendees.map(({ email }: any) => email)).toEqual(['ana@example.org', 'ben@example.org']);
  });

  it('isn’t named for an event that became a series, or that had no title', async () => {
    const { id } = (await run('calendar.create', AT)).data;
    expect((await run('calendar.update', { id, title: 'Daily', recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] })).meta.undo).toBeUndefined();
    const other = (await run('calendar.create', AT)).data;
    await me.google('PATCH', `${EVENTS}/${other.id}`, { summary: null });
    expect((await run('calendar.update', { id: other.id, title: 'Now' })).meta.undo).toBeUndefined();
  });

  it('isn’t named if the former rules are none that a change may give', async () => {
    const { id } = (await run('calendar.create', WEEKLY)).data;
    await me.google('PATCH', `${EVENTS}/${id}`, { recurrence: [...WEEKLY.recurrence, 'EXDATE;VALUE=DATE:20270328'] });
    const { meta } = await run('calendar.update', { id, scope: 'series', recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] });
    expect(meta.undo).toBeUndefined();
  });

  it('isn’t named if changes to single events were reset', async () => {
    const { id } = (await run('calendar.create', WEEKLY)).data;
    const [first] = (await listed()).filter(({ series }: any) => series === id);
    await run('calendar.update', { id: first.id, title: 'Only this' });
    const { data, meta } = await run('calendar.update', { id, scope: 'series', start: '2027-03-21T12:00' });
    expect(data.exceptions_reset).toBe(1);
    expect(meta.undo).toBeUndefined();
  });
});

describe('what reverts calendar.respond', () => {
  const invitation = async () =>
    (await me.act('calendar.list', { query: 'Vertragsgespräch', from: '2020-01-01', to: '2030-01-01' })).items[0];

  it('restores the former response, also none', async () => {
    const { id } = await invitation();
    const before = await stored(id);
    const first = await run('calendar.respond', { id, answer: 'accepted' });
    expect(first.meta.undo).toEqual({
      action: 'calendar.respond',
      input: { id, scope: 'this', answer: 'none' },
      summary: 'Set the response to the event “Vertragsgespräch” back to none',
    });
    const second = await run('calendar.respond', { id, answer: 'declined', notify: true });
    expect(second.meta.undo.summary).toMatch(/back to accepted; what was sent by mail stays sent$/);
    await undo(second);
    expect((await invitation()).my_answer).toBe('accepted');
    await undo(first);
    expect(await stored(id)).toEqual(before);
  });

  it('isn’t named where the response stays the same', async () => {
    const { id } = await invitation();
    await run('calendar.respond', { id, answer: 'accepted' });
    expect((await run('calendar.respond', { id, answer: 'accepted' })).meta.undo).toBeUndefined();
  });
});

describe('what reverts calendar.delete', () => {
  it.each([
    ['an event', AT],
    ['a series', WEEKLY],
  ])('restores %s', async (_what, input) => {
    const { id } = (await run('calendar.create', input)).data;
    const before = await listed();
    const result = await run('calendar.delete', { id, scope: 'recurrence' in input ? 'series' : 'this' });
    expect(await listed()).not.toEqual(before);
    await undo(result);
    expect(await listed()).toEqual(before);
  });

  it('asks if it invites people again, and deletes again', async () => {
    const { id } = (await run('calendar.create', { ...AT, attendees: ['ana@example.org'] })).data;
    const result = await run('calendar.delete', { id });
    expect(result.meta.undo).toEqual({
      action: 'calendar.restore',
      input: { id },
      summary: 'Restore the event “Lunch”; what was sent by mail stays sent',
    });
    const error = await callAction(steward, 'calendar.restore', { id }, { token: me.token }).catch((thrown) => thrown);
    expect(error).toMatchObject({
      code: 'approval_required',
      details: {
        audience: [expect.objectContaining({ address: 'ana@example.org' })],
        summary: `Restore the deleted event, which ana@example.org can see: “Lunch” on Sun, 21 Mar 2027, 09:00 Berlin time (${id}); those with whom the calendar is shared may see it, too`,
      },
    });
    const restored = await undo(result);
    expect((await stored(id)).status).toBe('confirmed');
    await undo(restored);
    expect((await stored(id)).status).toBe('cancelled');
  });

  it('isn’t named for another’s event', async () => {
    const { items } = await me.act('calendar.list', { query: 'Vertragsgespräch', from: '2020-01-01', to: '2030-01-01' });
    expect((await run('calendar.delete', { id: items[0].id })).meta.undo).toBeUndefined();
  });
});

describe('calendar.restore', () => {
  it('restores deleted events only', async () => {
    const { id } = (await run('calendar.create', AT)).data;
    await expect(run('calendar.restore', { id })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(run('calendar.restore', { id: 'nothing' })).rejects.toMatchObject({ code: 'not_found' });
  });
});
