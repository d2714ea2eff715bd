import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { calendarNotices, newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { dayOf } from '../../../support/time/midday-clock.ts';
import { callAction } from '../../../support/users/agents.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';
const SHARED = '; those with whom the calendar is shared may see it, too';
let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
});

const create = (more: object = {}) =>
  me.act('calendar.create', { title: 'made', start: '2027-03-21T09:00', end: '2027-03-21T10:00', ...more });
/** A weekly series over the change to summer time on 28 March: its id, and its events. */
const series = async (more: object = {}) => {
  const { id } = await create({ recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'], ...more });
  return { id, events: await made() };
};
const made = async (): Promise<any[]> => (await me.act('calendar.list', { from: '2027-01-01', to: '2027-12-31', query: 'made' })).items;
const starts = async () => (await made()).map(({ start }) => start);
const update = (id: string, more: object) => me.act('calendar.update', { id, ...more });
const stored = async (id: string) => (await me.google('GET', `${EVENTS}/${id}`)).body;
const lastNotice = async () => (await calendarNotices(steward, me.email)).at(-1);
const invalid = (message: RegExp) => ({ code: 'invalid_request', message: expect.stringMatching(message) });

describe('calendar.update', () => {
  it('changes the given fields only', async () => {
    const { id } = await create({ location: 'here', description: 'about', attendees: ['a@example.com'] });
    const before = await stored(id);
    const event = await update(id, { title: 'made anew' });
    expect(event).toMatchObject({ title: 'made anew', location: 'here', description: 'about', start: '2027-03-21T09:00:00+01:00' });
    const { summary: _, updated: __, etag: ___, ...rest } = before;
    expect(await stored(id)).toMatchObject(rest);
    expect((await update(id, { location: '' })).location).toBe('');
  });

  it('keeps an event’s duration if only its start changes', async () => {
    const { id } = await create();
    expect(await update(id, { start: '2027-03-22T14:00' })).toMatchObject({
      start: '2027-03-22T14:00:00+01:00',
      end: '2027-03-22T15:00:00+01:00',
    });
    expect(await update(id, { start: '2027-03-22T14:00:00-04:00' })).toMatchObject({
      start: '2027-03-22T19:00:00+01:00',
      end: '2027-03-22T20:00:00+01:00',
    });
    expect(await update(id, { end: '2027-03-22T21:30' })).toMatchObject({
      start: '2027-03-22T19:00:00+01:00',
      end: '2027-03-22T21:30:00+01:00',
    });
    const days = await create({ start: '2027-05-01', end: '2027-05-04' });
    expect(await update(days.id, { start: '2027-06-01' })).toMatchObject({ start: '2027-06-01', end: '2027-06-04' });
  });

  it('turns an event into an all-day one and back', async () => {
    const { id } = await create();
    expect(await update(id, { start: '2027-03-21' })).toMatchObject({ start: '2027-03-21', end: '2027-03-22', all_day: true });
    await expect(update(id, { start: '2027-03-21T09:00' })).rejects.toMatchObject(invalid(/^end: is required/));
    const back = await update(id, { start: '2027-03-21T09:00', end: '2027-03-21T10:00' });
    expect(back).toMatchObject({ start: '2027-03-21T09:00:00+01:00', zone: 'Europe/Berlin', all_day: false });
  });

  it('changes one event of a series, and leaves the others', async () => {
    const { events } = await series();
    await update(events[1].id, { start: '2027-03-29T16:00', title: 'made late' });
    expect(await starts()).toEqual(['2027-03-21T09:00:00+01:00', '2027-03-29T16:00:00+02:00', '2027-04-04T09:00:00+02:00']);
    const [first, second] = await made();
    expect([first.title, second.title]).toEqual(['made', 'made late']);
  });

  it('changes the whole series by any of its events', async () => {
    const { id, events } = await series();
    expect(await update(events[2].id, { scope: 'series', title: 'made all' })).toMatchObject({ id, title: 'made all' });
    expect((await made()).map(({ title }) => title)).toEqual(['made all', 'made all', 'made all']);
  });

  it('moves a series by the same clock time as the named event, without losing events', async () => {
    const { events } = await series();
    // The third event is in summer time, the first in winter time.
    const event = await update(events[2].id, { scope: 'series', start: '2027-04-04T11:30', end: '2027-04-04T12:00' });
    expect(event).toMatchObject({ start: '2027-03-21T11:30:00+01:00', end: '2027-03-21T12:00:00+01:00' });
    expect(await starts()).toEqual(['2027-03-21T11:30:00+01:00', '2027-03-28T11:30:00+02:00', '2027-04-04T11:30:00+02:00']);
  });

  it('moves a series to another day with its rule, or only with a new one', async () => {
    const plain = await series();
    await update(plain.events[1].id, { scope: 'series', start: '2027-03-30T09:00' });
    expect(await starts()).toEqual(['2027-03-23T09:00:00+01:00', '2027-03-30T09:00:00+02:00', '2027-04-06T09:00:00+02:00']);
    await me.act('calendar.delete', { id: plain.id, scope: 'series' });
    const named = await series({ recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=SU;COUNT=2'] });
    const moved = await update(named.events[1].id, { scope: 'series', start: '2027-03-29T09:00' });
    expect(moved.recurrence).toEqual(['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2']);
    expect(await starts()).toEqual(['2027-03-22T09:00:00+01:00', '2027-03-29T09:00:00+02:00']);
    await me.act('calendar.delete', { id: named.id, scope: 'series' });
    const third = await series({ recurrence: ['RRULE:FREQ=MONTHLY;BYDAY=3SU;COUNT=2'] });
    const move = { scope: 'series', start: '2027-03-22T09:00' };
    await expect(update(third.id, move)).rejects.toMatchObject(invalid(/recurrence/));
    expect(await starts()).toEqual(['2027-03-21T09:00:00+01:00', '2027-04-18T09:00:00+02:00']);
    await update(third.id, { ...move, recurrence: ['RRULE:FREQ=MONTHLY;BYDAY=4MO;COUNT=2'] });
    expect(await starts()).toEqual(['2027-03-22T09:00:00+01:00', '2027-04-26T09:00:00+02:00']);
  });

  it('rejects a time that clocks skip, also for the first event of a series only', async () => {
    const { id } = await create();
    await expect(update(id, { start: '2027-03-28T02:30' })).rejects.toMatchObject(invalid(/^start: .* does not exist in Europe\/Berlin/));
    await expect(update(id, { end: '2027-03-28T02:30' })).rejects.toMatchObject(invalid(/^end: .* does not exist in Europe\/Berlin/));
    await me.act('calendar.delete', { id });
    const { events } = await series({ start: '2027-03-28T09:00', end: '2027-03-28T10:00' });
    const moved = update(events[1].id, { scope: 'series', start: '2027-04-04T02:30' });
    await expect(moved).rejects.toMatchObject(invalid(/^start: 02:30 does not exist in .* on Sun, 28 Mar 2027/));
    expect(await starts()).toEqual(['2027-03-28T09:00:00+02:00', '2027-04-04T09:00:00+02:00', '2027-04-11T09:00:00+02:00']);
  });

  it('returns how many single changes were lost with a moved series', async () => {
    const { id, events } = await series();
    await update(events[1].id, { start: '2027-03-29T16:00' });
    await me.act('calendar.delete', { id: events[2].id });
    expect(await update(id, { scope: 'series', title: 'made anew' })).not.toHaveProperty('exceptions_reset');
    const asked = callAction(
      steward,
      'calendar.update',
      { id, scope: 'series', start: '2027-03-21T11:00', add_attendees: ['a@example.com'], notify: false },
      { token: me.token },
    );
    await expect(asked).rejects.toMatchObject({
      code: 'approval_required',
      details: {
        summary: expect.stringMatching(
          /^Change, inviting a@example\.com, seen by a@example\.com without a mail: .*; individual changes to 2 of its events may be reset; until .*; one of its events is “made”; as a private event: those with whom the calendar is shared see only its time$/,
        ),
      },
    });
    expect(await update(id, { scope: 'series', start: '2027-03-21T11:00' })).toMatchObject({ exceptions_reset: 2 });
    expect(await starts()).toEqual(['2027-03-21T11:00:00+01:00', '2027-03-28T11:00:00+02:00', '2027-04-04T11:00:00+02:00']);
    expect(await update(id, { scope: 'series', start: '2027-03-21T12:00' })).not.toHaveProperty('exceptions_reset');
  });

  it('moves a series of whole days by days', async () => {
    const { events } = await series({ start: '2027-03-21', end: '2027-03-23' });
    await update(events[1].id, { scope: 'series', start: '2027-03-29' });
    expect((await made()).map(({ start, end }) => [start, end])).toEqual([
      ['2027-03-22', '2027-03-24'],
      ['2027-03-29', '2027-03-31'],
      ['2027-04-05', '2027-04-07'],
    ]);
  });

  it('turns an event into a series, in the event’s zone or the calendar’s', async () => {
    const { id } = await create({ start: '2027-03-21T09:00:00+01:00', end: '2027-03-21T10:00:00+01:00' });
    await update(id, { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] });
    expect(await starts()).toEqual(['2027-03-21T09:00:00+01:00', '2027-03-28T09:00:00+02:00']);
  });

  it('adds and removes attendees, and keeps the others’ responses', async () => {
    const { id } = await create({ attendees: ['a@example.com', 'b@example.com'] });
    await me.google('PATCH', `${EVENTS}/${id}`, {
      attendees: [
        { email: 'a@example.com', responseStatus: 'accepted', comment: 'I bring cake', displayName: 'Ada' },
        { email: 'b@example.com', responseStatus: 'declined' },
      ],
    });
    const added = await update(id, { add_attendees: ['A@example.com', 'c@example.com'] });
    expect(added.attendees).toEqual([
      { email: 'a@example.com', name: 'Ada', answer: 'accepted' },
      { email: 'b@example.com', answer: 'declined' },
      { email: 'c@example.com', answer: 'none' },
    ]);
    expect((await stored(id)).attendees[0].comment).toBe('I bring cake');
    const removed = await update(id, { remove_attendees: ['B@example.com'] });
    expect(removed.attendees.map(({ email }: any) => email)).toEqual(['a@example.com', 'c@example.com']);
    await expect(update(id, { remove_attendees: ['b@example.com'] })).rejects.toMatchObject(invalid(/b@example.com is not invited/));
  });

  it('notifies attendees only if requested', async () => {
    const { id } = await create({ attendees: ['a@example.com'] });
    await update(id, { title: 'made loud', notify: true });
    expect(await lastNotice()).toMatchObject({ about: 'changed', sendUpdates: 'all', to: ['a@example.com'] });
    await update(id, { title: 'made quietly', notify: false });
    expect(await lastNotice()).toMatchObject({ about: 'changed', sendUpdates: 'none' });
    await update(id, { title: 'made' });
    expect(await lastNotice()).toMatchObject({ about: 'changed', sendUpdates: 'none' });
  });

  it('rejects contradictory input, and changes nothing', async () => {
    const { id, events } = await series();
    const single = await create();
    const before = await stored(id);
    for (const [target, more, message] of [
      [single.id, {}, /^Give at least one change/],
      [single.id, { notify: false, scope: 'this' }, /^Give at least one change/],
      [single.id, { zone: 'Asia/Tokyo' }, /^zone:/],
      [single.id, { scope: 'series', title: 'x' }, /^scope: this event belongs to no series/],
      [single.id, { end: '2027-03-21T08:00' }, /^end: must not be before start/],
      [id, { title: 'x' }, /^id: is the id of a whole series/],
      [events[0].id, { recurrence: ['RRULE:FREQ=DAILY'] }, /^recurrence: applies to a whole series/],
    ] as const) {
      await expect(update(target, more), message.source).rejects.toMatchObject(invalid(message));
    }
    expect(await stored(id)).toEqual(before);
    await expect(update('unknown1', { title: 'x' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a change that invites people', () => {
  const asked = (action: string, input: object) => callAction(steward, action, input, { token: me.token });
  const summary = (text: string) => ({ code: 'approval_required', details: { summary: text } });

  it('requires approval, which names the event', async () => {
    const { id } = await create({ attendees: ['a@example.com'] });
    const sent = (await calendarNotices(steward, me.email)).length;
    const times = { title: 'Lunch', start: '2027-03-21T09:00', end: '2027-03-21T10:00' };
    await expect(asked('calendar.create', { ...times, attendees: ['b@example.com'] })).rejects.toMatchObject({ code: 'approval_required' });
    await expect(asked('calendar.update', { id, add_attendees: ['b@example.com'], notify: false })).rejects.toMatchObject(
      summary(
        `Change, inviting b@example.com, seen by a@example.com, b@example.com without a mail: the event “made” on Sun, 21 Mar 2027, 09:00 Berlin time (${id}); until Sun, 21 Mar 2027, 10:00 Berlin time${SHARED}`,
      ),
    );
    expect(await calendarNotices(steward, me.email)).toHaveLength(sent);
    expect((await stored(id)).attendees).toHaveLength(1);
  });

  it('asks for approval even if it only notifies them', async () => {
    const { id } = await create({ attendees: ['a@example.com'] });
    const sent = (await calendarNotices(steward, me.email)).length;
    await expect(asked('calendar.update', { id, title: 'made loud', notify: true })).rejects.toMatchObject(
      summary(
        `Change, notifying a@example.com by mail: the event “made” on Sun, 21 Mar 2027, 09:00 Berlin time (${id}); title “made loud”${SHARED}`,
      ),
    );
    expect(await calendarNotices(steward, me.email)).toHaveLength(sent);
    expect((await stored(id)).summary).toBe('made');
  });

  it('or that they see requires approval, and no other one', async () => {
    const { data } = await asked('calendar.create', { title: 'alone', start: '2027-03-22', attendees: [] });
    await asked('calendar.update', { id: (data as { id: string }).id, title: 'still alone' });
    const { id } = await create({ attendees: ['a@example.com'] });
    for (const change of [{ title: 'made without a word' }, { start: '2027-03-21T11:00' }, { remove_attendees: ['a@example.com'] }]) {
      await expect(asked('calendar.update', { id, ...change })).rejects.toMatchObject({
        code: 'approval_required',
        details: { audience: [{ kind: 'person', address: 'a@example.com' }] },
      });
    }
    await asked('calendar.update', { id: (data as { id: string }).id, notify: true, title: 'alone, and loud' });
    await me.act('calendar.update', { id, title: 'made without a word' });
    expect(await lastNotice()).toMatchObject({ about: 'changed', sendUpdates: 'none' });
  });
});

describe('calendar.delete', () => {
  it('requires approval, which says what will happen', async () => {
    const { id } = await series();
    const asked = callAction(steward, 'calendar.delete', { id, scope: 'series' }, { token: me.token });
    await expect(asked).rejects.toMatchObject({
      code: 'approval_required',
      details: { summary: `Delete the whole series “made” from Sun, 21 Mar 2027, 09:00 Berlin time (${id})` },
    });
    expect((await stored(id)).status).toBe('confirmed');
  });

  it('deletes one event of a series, or the whole series by any of its events', async () => {
    const { id, events } = await series();
    expect(await me.act('calendar.delete', { id: events[1].id })).toEqual({ deleted: events[1].id });
    expect(await starts()).toEqual(['2027-03-21T09:00:00+01:00', '2027-04-04T09:00:00+02:00']);
    expect(await me.act('calendar.delete', { id: events[2].id, scope: 'series' })).toEqual({ deleted: id });
    expect(await starts()).toEqual([]);
  });

  it('deletes a whole series only if requested', async () => {
    const { id } = await series();
    await expect(me.act('calendar.delete', { id })).rejects.toMatchObject(invalid(/^id: is the id of a whole series/));
    expect(await starts()).toHaveLength(3);
  });

  it('notifies attendees only if requested, and reports a deleted event', async () => {
    const { id } = await create({ attendees: ['a@example.com'] });
    await me.act('calendar.delete', { id });
    expect(await lastNotice()).toMatchObject({ event: id, about: 'deleted', sendUpdates: 'all', to: ['a@example.com'] });
    await expect(me.act('calendar.delete', { id })).rejects.toMatchObject({ code: 'not_found' });
    const quiet = await create({ attendees: ['a@example.com'] });
    await me.act('calendar.delete', { id: quiet.id, notify: false });
    expect(await lastNotice()).toMatchObject({ event: quiet.id, sendUpdates: 'none' });
  });
});

describe('calendar.respond', () => {
  const invitation = async (title: string) => {
    const day = (days: number) => dayOf(steward.clock, days);
    return (await me.act('calendar.list', { from: day(-9), to: day(9), query: title })).items[0];
  };

  it.each(['accepted', 'declined', 'tentative'])('responds to an invitation: %s', async (response) => {
    const { id, attendees } = await invitation('Vertragsgespräch');
    const event = await me.act('calendar.respond', { id, answer: response, comment: 'gern', notify: true });
    expect(event.my_answer).toBe(response);
    // Responses of other attendees are unchanged.
    expect(event.attendees).toEqual(attendees.map((one: any) => (one.email === me.email ? { ...one, answer: response } : one)));
    expect((await stored(id)).attendees.find((one: any) => one.self).comment).toBe('gern');
    expect(await lastNotice()).toMatchObject({ about: 'changed', sendUpdates: 'all' });
    await me.act('calendar.respond', { id, answer: response, notify: false });
    expect(await lastNotice()).toMatchObject({ sendUpdates: 'none' });
  });

  it('asks for approval if it notifies the organizer by mail or by a comment, and not otherwise', async () => {
    const { id, organizer } = await invitation('Vertragsgespräch');
    const asked = (more: object) => callAction(steward, 'calendar.respond', { id, answer: 'accepted', ...more }, { token: me.token });
    const question = (effect: string, comment = '') => {
      const event = `the event “Vertragsgespräch” on \\w{3}, \\d+ \\w{3,4} \\d{4}, 09:00 Berlin time \\(${id}\\)`;
      const summary = expect.stringMatching(new RegExp(`^Respond with accepted, ${effect} ${organizer}.*: ${event}${comment}$`));
      return { code: 'approval_required', details: { summary } };
    };
    const ownAnswer = async () => (await stored(id)).attendees.find((one: any) => one.self).responseStatus;
    await asked({ answer: 'tentative' });
    expect([await ownAnswer(), await lastNotice()]).toMatchObject(['tentative', { about: 'changed', sendUpdates: 'none' }]);
    await expect(asked({ notify: true })).rejects.toMatchObject(question('notifying the organizer'));
    await expect(asked({ comment: 'gern' })).rejects.toMatchObject(
      question('without a mail to the organizer', ', with the comment “gern”'),
    );
    expect(await ownAnswer()).toBe('tentative');
  });

  it('responds for one event, or for the whole series', async () => {
    const { id, series: seriesId } = await invitation('Jour fixe');
    await me.act('calendar.respond', { id, answer: 'declined' });
    const own = async (event: string) => (await me.act('calendar.get', { id: event })).my_answer;
    expect([await own(id), await own(seriesId)]).toEqual(['declined', 'accepted']);
    await me.act('calendar.respond', { id, answer: 'tentative', scope: 'series' });
    expect(await own(seriesId)).toBe('tentative');
  });

  it('rejects a response of an account that is not invited', async () => {
    const { id } = await create({ attendees: ['a@example.com'] });
    await expect(me.act('calendar.respond', { id, answer: 'accepted' })).rejects.toMatchObject(invalid(/not invited/));
  });
});
