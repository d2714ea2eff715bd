import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actApproved, calendarState, newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { type ApiScene, startApiScene } from '../../../support/scenes/api-scene.ts';
import { respond } from '../../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';
import type { ConnectedGrant } from '../../../support/users/refreshing.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';
const BERLIN = 'Europe/Berlin';
const DAY = { from: '2027-05-03', to: '2027-05-03', zone: BERLIN };

let scene: ApiScene;
let me: ConnectedGrant;

beforeAll(async () => {
  scene = await startApiScene();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  me = await scene.connect();
  scene.api.reset();
});

const act = (action: string, input: object) => actApproved(scene.steward, me.token, action, input);
const refused = (action: string, input: object) =>
  callAction(scene.steward, action, input, { token: me.token }).then(
    () => expect.fail('it ran'),
    (error) => error,
  );
const day = (start: string, end: string, more: object = {}) => ({
  id: 'e1',
  status: 'confirmed',
  summary: 'Trip',
  start: { date: start },
  end: { date: end },
  organizer: { self: true },
  ...more,
});
const timed = (start: string, end: string, more: object = {}) => ({
  ...day('', ''),
  start: { dateTime: start },
  end: { dateTime: end },
  ...more,
});

/** The provider has these events in its calendar, and takes whatever is sent. */
function having(events: { id: string; start: object }[], timeZone = BERLIN): void {
  scene.api.on(EVENTS, (response, { query }) => {
    respond(response, { body: { timeZone, items: query.get('maxResults') === '1' ? [] : events } });
  });
  for (const event of events) scene.api.on(`${EVENTS}/${event.id}`, { body: event });
}
const sent = () => scene.api.calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body);

describe.each([
  ['on', '2027-05-03'],
  ['before', '2027-05-01'],
])('a whole day that ends %s its start', (_what, end) => {
  it('takes its day', async () => {
    having([day('2027-05-03', end)]);
    const times = { start: '2027-05-03', end: '2027-05-04', last_day: '2027-05-03', all_day: true };
    expect((await act('calendar.list', DAY)).items).toMatchObject([times]);
    expect(await act('calendar.get', { id: 'e1' })).toMatchObject(times);
    expect((await act('calendar.free', DAY)).items).toEqual([]);
  });

  it('keeps it when it moves', async () => {
    having([day('2027-05-03', end)]);
    await act('calendar.update', { id: 'e1', start: '2027-05-10' });
    expect(sent()).toMatchObject([{ start: { date: '2027-05-10' }, end: { date: '2027-05-11' } }]);
  });
});

describe('a zone of the provider’s that isn’t known', () => {
  it.each(['GMT-05:00', 'Mars/Olympus_Mons'])('leaves events readable: %s', async (timeZone) => {
    const event = timed('2027-05-03T09:00:00-05:00', '2027-05-03T10:00:00-05:00');
    having([{ ...event, start: { ...event.start, timeZone } }], timeZone);
    const { items, zone } = await act('calendar.list', DAY);
    expect(items).toMatchObject([{ start: '2027-05-03T09:00:00-05:00' }]);
    expect([items[0].zone, zone]).toEqual([undefined, undefined]);
    expect((await act('calendar.free', DAY)).zone).toBe(BERLIN);
    const error = await refused('calendar.free', { from: '2027-05-03', to: '2027-05-03' });
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(/^zone: is required/) });
  });
});

describe('events at the start of a range', () => {
  const FROM = { from: '2027-05-03T00:00', to: '2027-05-04T00:00' };
  const MIDNIGHT = '2027-05-03T00:00:00+02:00';

  it.each([FROM, { ...FROM, zone: BERLIN }])('are those without a length, and none that have ended', async (range) => {
    having([
      day('2027-05-02', '2027-05-03', { id: 'yesterday' }),
      timed('2027-05-02T23:00:00+02:00', MIDNIGHT, { id: 'ended' }),
      timed(MIDNIGHT, MIDNIGHT, { id: 'moment' }),
      timed(MIDNIGHT, '2027-05-03T01:00:00+02:00', { id: 'night' }),
    ]);
    expect((await act('calendar.list', range)).items.map(({ id }: any) => id)).toEqual(['moment', 'night']);
    // The provider excludes what ends at the lower bound (events.list, timeMin).
    expect(scene.api.calls.at(-1)?.query.get('timeMin')).toBe('2027-05-02T21:59:59.000Z');
  });
});

it.each(['America/New_York', 'Pacific/Auckland'])('whole days are those of the days asked for, in any zone: %s', async (zone) => {
  having(
    [
      day('2027-05-02', '2027-05-03', { id: 'before' }),
      day('2027-05-01', '2027-05-04', { id: 'longer' }),
      day('2027-05-03', '2027-05-04', { id: 'same' }),
      day('2027-05-04', '2027-05-05', { id: 'after' }),
    ],
    zone,
  );
  expect((await act('calendar.list', { ...DAY, zone })).items.map(({ id }: any) => id)).toEqual(['longer', 'same']);
});

describe('what the provider says about an event', () => {
  const SPAN = ['2027-05-03T09:00:00+02:00', '2027-05-03T10:00:00+02:00'] as const;
  const read = async (more: object) => {
    having([timed(...SPAN, more)]);
    const [listed] = (await act('calendar.list', DAY)).items;
    expect(await act('calendar.get', { id: 'e1' })).toMatchObject(listed);
    return listed;
  };

  it('tells rooms from people', async () => {
    const room = { email: 'blue@resource.calendar.google.com', displayName: 'Blue room', responseStatus: 'accepted' };
    const { attendees } = await read({
      attendees: [
        { email: me.email, self: true },
        { ...room, resource: true },
      ],
    });
    expect(attendees).toEqual([
      { email: me.email, answer: 'none' },
      { email: room.email, name: room.displayName, answer: 'accepted', resource: true },
    ]);
  });

  it('tells an end that is none', async () => {
    expect(await read({ endTimeUnspecified: true })).toMatchObject({ end_unspecified: true });
    expect(await read({ endTimeUnspecified: false })).not.toHaveProperty('end_unspecified');
  });

  const link = { entryPointType: 'video', uri: 'https://video.example/a' };
  it.each([
    ['is still made', { createRequest: { status: { statusCode: 'pending' } } }, 'pending'],
    ['could not be made', { createRequest: { status: { statusCode: 'failure' } } }, 'failed'],
    ['was made', { createRequest: { status: { statusCode: 'success' } }, entryPoints: [link] }, undefined],
    ['is another’s', { entryPoints: [link] }, undefined],
    ['has no state', { createRequest: {} }, undefined],
  ])('tells whether a video meeting %s', async (_what, conferenceData, status) => {
    const event = await read({ conferenceData });
    expect([event.meeting_status, event.meeting_link]).toEqual([status, 'entryPoints' in conferenceData ? link.uri : undefined]);
  });
});

it('the question about a deleted event of a series says when it was', async () => {
  const originalStartTime = { dateTime: '2027-05-03T09:00:00+02:00', timeZone: BERLIN };
  scene.api.on(`${EVENTS}/e1`, { body: { id: 'e1', status: 'cancelled', recurringEventId: 'e0', originalStartTime } });
  const { details } = await refused('calendar.restore', { id: 'e1' });
  expect(details.summary).toMatch(/^Restore the deleted event: “” on Mon, 3 May 2027, 09:00 Berlin time \(e1\);/);
});

describe('an invitation whose guests don’t see each other', () => {
  let steward: TestSteward;
  let guest: Person;
  let id: string;
  const SPAN = { from: '2020-01-01', to: '2030-01-01', query: 'Vertriebsmesse' };

  beforeAll(async () => {
    steward = await startSteward();
    guest = await newPerson(steward);
    [{ id }] = (await guest.act('calendar.list', SPAN)).items;
  });
  afterAll(() => steward.stop());

  it('says that not all are listed', async () => {
    const [listed] = (await guest.act('calendar.list', SPAN)).items;
    for (const event of [listed, await guest.act('calendar.get', { id })]) {
      expect(event.attendees).toMatchObject([{ email: guest.email }]);
      expect(event.attendees_omitted).toBe(true);
    }
  });

  it('keeps guests that can’t be read', async () => {
    const change = guest.act('calendar.update', { id, add_attendees: ['ana@example.org'] });
    await expect(change).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringMatching(/^Not all attendees/) });
  });

  it('is answered without a change of the others', async () => {
    await guest.act('calendar.respond', { id, answer: 'accepted' });
    const { events } = await calendarState(steward, guest.email);
    const answers = events.find((event) => event.id === id)?.attendees?.map(({ email, responseStatus }) => [email, responseStatus]);
    expect(answers).toEqual([
      [guest.email, 'accepted'],
      ['sales@partner.example', 'accepted'],
    ]);
  });
});
