import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callApproved, newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';
const [BERLIN, NEW_YORK, TOKYO] = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo'];

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
});

/** From 10:00 in Berlin to 13:00 in New York: nine hours. */
const FLIGHT = {
  title: 'Flight',
  start: '2026-12-07T10:00',
  zone: BERLIN,
  end: '2026-12-07T13:00',
  end_zone: NEW_YORK,
};
const create = async (more: object = {}): Promise<string> => (await me.act('calendar.create', { ...FLIGHT, ...more })).id;
const timesOf = async (id: string) => {
  const { start, end } = (await me.google('GET', `${EVENTS}/${id}`)).body;
  const shown = (time: any) => [
    time.dateTime === undefined ? time.date : new Date(time.dateTime).toISOString().slice(0, 16),
    time.timeZone,
  ];
  return [shown(start), shown(end)];
};
const UNCHANGED = [
  ['2026-12-07T09:00', BERLIN],
  ['2026-12-07T18:00', NEW_YORK],
];

describe('an event that starts in one zone and ends in another', () => {
  it('is made and shown with both', async () => {
    const event = await me.act('calendar.create', FLIGHT);
    expect(event).toMatchObject({ zone: BERLIN, end_zone: NEW_YORK });
    expect([Date.parse(event.start), Date.parse(event.end)]).toEqual([Date.UTC(2026, 11, 7, 9), Date.UTC(2026, 11, 7, 18)]);
    expect(await timesOf(event.id)).toEqual(UNCHANGED);
    expect(await me.act('calendar.get', { id: event.id })).toMatchObject({ zone: BERLIN, end_zone: NEW_YORK });
  });

  it('is made in the calendar’s zone and the one of its end, and never backwards', async () => {
    expect(await timesOf(await create({ zone: undefined }))).toEqual(UNCHANGED);
    expect(await timesOf(await create({ zone: undefined, start: '2026-12-07T09:00:00Z' }))).toEqual(UNCHANGED);
    await expect(create({ end: '2026-12-07T03:59' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^end: must not be/),
    });
    await expect(create({ end: '2027-03-14T02:30' })).rejects.toMatchObject({
      message: expect.stringMatching(/^end: .* does not exist in America\/New_York/),
    });
  });

  it.each<[string, object, string[][]]>([
    [
      'a new start keeps its length',
      { start: '2026-12-07T11:00' },
      [
        ['2026-12-07T10:00', BERLIN],
        ['2026-12-07T19:00', NEW_YORK],
      ],
    ],
    [
      'a new end is in its zone',
      { end: '2026-12-07T14:00' },
      [
        ['2026-12-07T09:00', BERLIN],
        ['2026-12-07T19:00', NEW_YORK],
      ],
    ],
    [
      'both are in theirs',
      { start: '2026-12-08T10:00', end: '2026-12-08T13:30' },
      [
        ['2026-12-08T09:00', BERLIN],
        ['2026-12-08T18:30', NEW_YORK],
      ],
    ],
    [
      'a new start in another zone',
      { start: '2026-12-07T18:00', zone: TOKYO },
      [
        ['2026-12-07T09:00', TOKYO],
        ['2026-12-07T18:00', NEW_YORK],
      ],
    ],
    [
      'a new end in another zone',
      { end: '2026-12-08T01:00', zone: TOKYO },
      [
        ['2026-12-07T09:00', BERLIN],
        ['2026-12-07T16:00', TOKYO],
      ],
    ],
    [
      'a new zone of the end',
      { start: '2026-12-07T11:00', end_zone: TOKYO },
      [
        ['2026-12-07T10:00', BERLIN],
        ['2026-12-07T19:00', TOKYO],
      ],
    ],
    [
      'both in one zone',
      { start: '2026-12-07T10:00', end: '2026-12-07T13:00', zone: BERLIN },
      [
        ['2026-12-07T09:00', BERLIN],
        ['2026-12-07T12:00', BERLIN],
      ],
    ],
    [
      'times with an offset',
      { end: '2026-12-07T14:00:00-05:00' },
      [
        ['2026-12-07T09:00', BERLIN],
        ['2026-12-07T19:00', NEW_YORK],
      ],
    ],
    [
      'whole days',
      { start: '2026-12-07', end: '2026-12-09' },
      [
        ['2026-12-07', undefined],
        ['2026-12-09', undefined],
      ],
    ] as any,
  ])('changes as asked, and back: %s', async (_what, change, expected) => {
    const id = await create();
    const { meta } = await callApproved(steward, me.token, 'calendar.update', { id, ...change });
    expect(await timesOf(id)).toEqual(expected);
    await me.act(meta.undo?.action ?? '', meta.undo?.input);
    expect(await timesOf(id)).toEqual(UNCHANGED);
  });

  it('can be made of an event in one zone, which else keeps one', async () => {
    const id = await create({ end: '2026-12-07T12:00', end_zone: undefined });
    await me.act('calendar.update', { id, start: '2026-12-07T04:00', zone: NEW_YORK });
    expect(await timesOf(id)).toEqual([
      ['2026-12-07T09:00', NEW_YORK],
      ['2026-12-07T11:00', NEW_YORK],
    ]);
    await me.act('calendar.update', { id, end: '2026-12-08T03:00', end_zone: TOKYO });
    expect(await timesOf(id)).toEqual([
      ['2026-12-07T09:00', NEW_YORK],
      ['2026-12-07T18:00', TOKYO],
    ]);
    const days = await create({ start: '2026-12-07', end: '2026-12-08', zone: undefined, end_zone: undefined });
    await me.act('calendar.update', { ...FLIGHT, id: days });
    expect(await timesOf(days)).toEqual(UNCHANGED);
  });

  it('is named in questions with both zones', async () => {
    const asked = (action: string, input: object) => callAction(steward, action, input, { token: me.token });
    const summary = (text: RegExp) => ({ code: 'approval_required', details: { summary: expect.stringMatching(text) } });
    const attendees = ['ana@example.org'];
    await expect(asked('calendar.create', { ...FLIGHT, attendees })).rejects.toMatchObject(
      summary(/ on Mon, 7 Dec 2026, 10:00 Berlin time to Mon, 7 Dec 2026, 13:00 New York time/),
    );
    const id = await create({ attendees });
    await expect(asked('calendar.update', { id, start: '2026-12-07T11:00', end: '2026-12-07T14:00' })).rejects.toMatchObject(
      summary(/; start Mon, 7 Dec 2026, 11:00 Berlin time; end Mon, 7 Dec 2026, 14:00 New York time/),
    );
    await expect(asked('calendar.update', { id, end: '2026-12-07T23:00', end_zone: TOKYO })).rejects.toMatchObject(
      summary(/; end Mon, 7 Dec 2026, 23:00 Tokyo time; end zone Asia\/Tokyo/),
    );
  });

  it('as a series keeps both in each event, moved by one of them', async () => {
    const id = await create({ recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'] });
    const instances = async () =>
      (await me.google('GET', `${EVENTS}/${id}/instances`)).body.items.map(({ start, end }: any) => [
        new Date(start.dateTime).toISOString().slice(5, 16),
        start.timeZone,
        new Date(end.dateTime).toISOString().slice(5, 16),
        end.timeZone,
      ]);
    const events = (await me.google('GET', `${EVENTS}/${id}/instances`)).body.items;
    await me.act('calendar.update', { id: events[1].id, scope: 'series', start: '2026-12-14T11:00' });
    const weeks = (from: string, to: string) => ['07', '14', '21'].map((day) => [`12-${day}T${from}`, BERLIN, `12-${day}T${to}`, NEW_YORK]);
    expect(await instances()).toEqual(weeks('10:00', '19:00'));
    await me.act('calendar.update', { id, scope: 'series', end: '2026-12-07T15:00' });
    expect(await instances()).toEqual(weeks('10:00', '20:00'));
    await me.act('calendar.update', { id, scope: 'series', start: '2026-12-07T10:00', end: '2026-12-07T13:00' });
    expect(await instances()).toEqual(weeks('09:00', '18:00'));
    await me.act('calendar.update', { id: events[0].id, end: '2026-12-07T12:00' });
    expect((await instances()).map((one: string[]) => one.slice(2))).toEqual([
      ['12-07T17:00', NEW_YORK],
      ['12-14T18:00', NEW_YORK],
      ['12-21T18:00', NEW_YORK],
    ]);
  });

  it('needs a time for a zone of its end', async () => {
    const change = me.act('calendar.update', { id: await create(), end_zone: TOKYO, title: 'x' });
    await expect(change).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringMatching(/^end_zone: requires/) });
  });
});
