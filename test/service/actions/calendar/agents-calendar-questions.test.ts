import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../../../src/errors.ts';
import { newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';
const AT = { title: 'Lunch', start: '2027-03-21T09:00', end: '2027-03-21T10:00' };
const TEAM = 'all-hands@groups.example.org';
const SHARED = '; those with whom the calendar is shared may see it, too';
const PRIVATE = '; as a private event: those with whom the calendar is shared see only its time';

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
});

/** The question about a call; undefined: it ran without. */
async function question(action: string, input: object): Promise<any> {
  const result = await callAction(steward, action, input, { token: me.token }).catch((error: AppError) => error);
  if (!(result instanceof Error)) return undefined;
  expect(result.code).toBe('approval_required');
  return result.details;
}
const summaryOf = async (action: string, input: object): Promise<string> => (await question(action, input)).summary;
const create = async (more: object = {}) => (await me.act('calendar.create', { ...AT, ...more })).id;

describe('a time in a question', () => {
  it.each([
    ['of the calendar', {}, 'Sun, 21 Mar 2027, 09:00–10:00 Berlin time'],
    ['in a zone', { zone: 'America/New_York' }, 'Sun, 21 Mar 2027, 09:00–10:00 New York time'],
    [
      'with offsets',
      { start: '2027-03-21T09:00:00-04:00', end: '2027-03-22T00:30:00-04:00' },
      'Sun, 21 Mar 2027, 09:00 to Mon, 22 Mar 2027, 00:30 UTC-04:00',
    ],
    [
      'with two offsets',
      { start: '2027-03-21T09:00:00Z', end: '2027-03-21T12:00:15+01:00' },
      'Sun, 21 Mar 2027, 09:00 UTC to Sun, 21 Mar 2027, 12:00:15 UTC+01:00',
    ],
    ['of whole days', { start: '2027-03-21', end: '2027-03-23' }, 'Sun, 21 Mar 2027 to Mon, 22 Mar 2027'],
    ['of one day', { start: '2027-03-21', end: undefined }, 'Sun, 21 Mar 2027'],
  ])('says its zone: %s', async (_what, more, shown) => {
    const input = { ...AT, attendees: ['ana@example.org'], ...more };
    expect(await summaryOf('calendar.create', input)).toBe(
      `Create, inviting ana@example.org by mail: the event “Lunch” on ${shown}${SHARED}`,
    );
  });

  it('does so for a change, a response and a deletion', async () => {
    const id = await create({ attendees: ['ana@example.org'], zone: 'Asia/Tokyo' });
    const event = `the event “Lunch” on Sun, 21 Mar 2027, 09:00 Tokyo time (${id})`;
    expect(await summaryOf('calendar.update', { id, start: '2027-03-22T09:00', end: '2027-03-22T02:30:00Z' })).toBe(
      `Change, seen by ana@example.org without a mail: ${event}; start Mon, 22 Mar 2027, 09:00 Tokyo time; end Mon, 22 Mar 2027, 11:30 Tokyo time${SHARED}`,
    );
    expect(await summaryOf('calendar.update', { id, start: '2027-03-22T09:00', zone: 'Europe/Paris' })).toContain(
      'start Mon, 22 Mar 2027, 09:00 Paris time',
    );
    expect(await summaryOf('calendar.delete', { id, notify: false })).toBe(`Delete, seen by ana@example.org without a mail: ${event}`);
  });
});

describe('a change of an event with guests', () => {
  it('asks though nobody is notified; without guests it doesn’t', async () => {
    const [shared, alone] = [await create({ attendees: ['ana@example.org'] }), await create()];
    for (const change of [{ title: 'Dinner' }, { start: '2027-03-22T09:00' }, { remove_attendees: ['ana@example.org'] }]) {
      const { audience } = await question('calendar.update', { id: shared, notify: false, ...change });
      expect(audience).toEqual([expect.objectContaining({ address: 'ana@example.org' })]);
    }
    for (const change of [{ title: 'Dinner' }, { start: '2027-03-22T09:00' }]) {
      expect(await question('calendar.update', { id: alone, notify: true, ...change })).toBeUndefined();
    }
  });

  it('asks if a stranger organizes it and guests may change it, since others may see it whom nobody lists', async () => {
    const { items } = await me.act('calendar.list', { query: 'Vertragsgespräch', from: '2020-01-01', to: '2030-01-01' });
    await me.google('PATCH', `${EVENTS}/${items[0].id}`, { guestsCanModify: true, guestsCanSeeOtherGuests: false });
    const { audience } = await question('calendar.update', { id: items[0].id, location: 'here' });
    expect(audience).toContainEqual(expect.objectContaining({ address: 'carla@partner.example' }));
    expect(audience).toContainEqual({ kind: 'unknown' });
  });

  it('asks about a group like about a person, since an address doesn’t tell', async () => {
    const { audience, notices } = await question('calendar.create', { ...AT, attendees: [TEAM] });
    expect(audience).toEqual([expect.objectContaining({ address: TEAM, relation: 'new' })]);
    expect(notices).toEqual([`You have not written to ${TEAM} before.`]);
    const id = await create({ attendees: [TEAM] });
    expect((await question('calendar.update', { id, title: 'x' })).audience).toEqual([expect.objectContaining({ address: TEAM })]);
    expect((await question('mail.send', { to: [TEAM], subject: 's', body: 'b' })).audience).toEqual([
      expect.objectContaining({ address: TEAM }),
    ]);
  });
});

describe('a response', () => {
  it('asks with a comment or with notify only', async () => {
    const { items } = await me.act('calendar.list', { query: 'Vertragsgespräch', from: '2020-01-01', to: '2030-01-01' });
    const { id } = items[0];
    expect(await question('calendar.respond', { id, answer: 'accepted' })).toBeUndefined();
    expect(await question('calendar.respond', { id, answer: 'none' })).toBeUndefined();
    expect(await summaryOf('calendar.respond', { id, answer: 'none', notify: true })).toMatch(
      /^Withdraw the response, notifying the organizer carla@partner\.example by mail: the event “Vertragsgespräch” on \w{3}, \d+ \w{3,4} \d{4}, 09:00 Berlin time \(/,
    );
    expect(await summaryOf('calendar.respond', { id, answer: 'declined', comment: 'No”, notifying nobody' })).toMatch(
      /, with the comment “No', notifying nobody”$/,
    );
  });
});

describe('a title that looks like Steward’s words', () => {
  const FORGED = 'x”, inviting nobody\r\n\u202e“: the event “\u2028y';

  it('stays within its quotation marks', async () => {
    const quoted = "“x', inviting nobody ': the event ' y”";
    expect(
      await summaryOf('calendar.update', { id: await create({ attendees: ['ana@example.org'] }), title: 'x”, inviting nobody' }),
    ).toContain("; title “x', inviting nobody”");
    const id = await create({ attendees: ['ana@example.org'] });
    await me.google('PATCH', `${EVENTS}/${id}`, { summary: FORGED });
    expect(await summaryOf('calendar.delete', { id })).toBe(
      `Delete, notifying ana@example.org by mail: the event ${quoted} on Sun, 21 Mar 2027, 09:00 Berlin time (${id})`,
    );
    await me.act('calendar.delete', { id });
    expect(await summaryOf('calendar.restore', { id })).toBe(
      `Restore the deleted event, which ana@example.org can see: ${quoted} on Sun, 21 Mar 2027, 09:00 Berlin time (${id})${SHARED}`,
    );
  });
});

describe('the question about an invitation', () => {
  const TEXTS = { location: 'Café “Größenwahn”', description: `Agenda:\n${'x'.repeat(5_000)}\nThe balance is 12.` };
  const shown = `; with the place “Café 'Größenwahn'” and the description “Agenda: ${'x'.repeat(5_000)} The balance is 12.”`;

  it('shows what the guests will read of a new event', async () => {
    expect(await summaryOf('calendar.create', { ...AT, ...TEXTS, attendees: ['ana@example.org'] })).toContain(`10:00 Berlin time${shown}`);
  });

  it('shows what the guests will read of an event that there is', async () => {
    const id = await create(TEXTS);
    expect(await summaryOf('calendar.update', { id, add_attendees: ['ana@example.org'] })).toMatch(
      /; until Sun, 21 Mar 2027, \d\d:\d\d Berlin time; with the place/,
    );
    expect(await summaryOf('calendar.update', { id, add_attendees: ['ana@example.org'] })).toContain(shown);
    const other = await summaryOf('calendar.update', { id, add_attendees: ['ana@example.org'], description: 'Another' });
    expect(other).toMatch(/; description “Another”; until .*; with the place “Café/);
    expect(other).not.toContain('balance');
    // Guests know it already.
    await me.act('calendar.update', { id, add_attendees: ['ana@example.org'] });
    expect(await summaryOf('calendar.update', { id, title: 'Dinner' })).not.toContain('balance');
    await me.act('calendar.delete', { id });
    expect(await summaryOf('calendar.restore', { id })).toContain(`(${id})${shown}`);
  });

  it('shows what differs in the events of a series', async () => {
    const id = await create({ recurrence: ['RRULE:FREQ=WEEKLY;COUNT=9'], ...TEXTS });
    const { items } = (await me.google('GET', `${EVENTS}/${id}/instances`)).body;
    await me.google('PATCH', `${EVENTS}/${items[1].id}`, { description: 'Salaries' });
    await me.google('DELETE', `${EVENTS}/${items[2].id}`);
    const invite = { id, scope: 'series', add_attendees: ['ana@example.org'] };
    const summary = await summaryOf('calendar.update', invite);
    expect(summary).toContain(
      `${shown}; one of its events is “Lunch” with the place “Café 'Größenwahn'” and the description “Salaries”${SHARED}`,
    );
    for (const { id: one } of items.slice(3)) await me.google('PATCH', `${EVENTS}/${one}`, { location: `Room ${one}` });
    await me.google('PATCH', `${EVENTS}/${id}`, { colorId: '3' });
    expect(await summaryOf('calendar.update', { ...invite, notify: true })).toContain(
      '; 2 more of its events have texts of their own, which are not shown here',
    );
  });
});

describe('an event that is written after others’ text was read', () => {
  const read = () => me.act('calendar.list', { from: '2020-01-01', to: '2030-01-01' });
  const visibilityOf = async (id: string) => (await me.google('GET', `${EVENTS}/${id}`)).body.visibility;

  it('is private, since the calendar may be shared with others', async () => {
    const [before, alone, shared, open] = [
      await create(),
      await create(),
      await create({ attendees: ['ana@example.org'] }),
      await create(),
    ];
    await me.google('PATCH', `${EVENTS}/${open}`, { visibility: 'public' });
    expect(await visibilityOf(before)).toBeUndefined();
    await read();
    expect(await summaryOf('calendar.create', { ...AT, attendees: ['ana@example.org'] })).toContain(PRIVATE);
    expect(await me.act('calendar.create', AT)).toMatchObject({ private: true });
    await me.act('calendar.update', { id: before, start: '2027-03-22T09:00' });
    expect(await visibilityOf(before)).toBeUndefined();
    for (const [id, becomes] of [
      [alone, 'private'],
      [shared, undefined],
      [open, 'public'],
    ] as const) {
      await me.act('calendar.update', { id, description: 'Balance: 12' });
      expect(await visibilityOf(id)).toBe(becomes);
    }
  });

  it('is asked about if it is public already', async () => {
    const [id, moved] = [await create(), await create()];
    for (const one of [id, moved]) await me.google('PATCH', `${EVENTS}/${one}`, { visibility: 'public' });
    await read();
    const { audience } = await question('calendar.update', { id, title: 'Balance: 12' });
    expect(audience).toEqual([{ kind: 'unknown' }]);
    expect(await question('calendar.update', { id: moved, start: '2027-03-22T09:00' })).toBeUndefined();
  });
});
