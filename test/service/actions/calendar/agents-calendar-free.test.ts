import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actApproved, newPerson } from '../../../support/emulators/workspace-content.ts';
import { type ApiScene, startApiScene } from '../../../support/scenes/api-scene.ts';
import { respond } from '../../../support/servers/scripted-server.ts';
import { startSteward } from '../../../support/steward.ts';
import { dayOf, middayClock } from '../../../support/time/midday-clock.ts';
import type { ConnectedGrant } from '../../../support/users/refreshing.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';
const BERLIN = 'Europe/Berlin';
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

/** The calendar's pages of every list. */
function holding(pages: object[][], zone = BERLIN): void {
  scene.api.on(EVENTS, (response, { query }) => {
    const page = Number(query.get('pageToken') ?? 0);
    const items = query.get('maxResults') === '1' ? [] : pages[page];
    respond(response, { body: { timeZone: zone, items, ...(page + 1 < pages.length && { nextPageToken: String(page + 1) }) } });
  });
}

const act = (action: string, input: object) => actApproved(scene.steward, me.token, action, input);
const event = (start: string, end: string, more: object = {}) => ({
  id: `e${start}`,
  status: 'confirmed',
  summary: 'x',
  start: start.length === 10 ? { date: start } : { dateTime: start },
  end: end.length === 10 ? { date: end } : { dateTime: end },
  ...more,
});
const free = (input: object) => act('calendar.free', input);
/** `09:00-10:30` of each slot, in the result's zone. */
const slots = async (input: object) =>
  (await free(input)).items.map(({ start, end }: any) => `${start.slice(11, 16)}-${end.slice(11, 16)}`);
const DAY = { from: '2027-05-03', to: '2027-05-03', day_start: '08:00', day_end: '18:00' };

describe('calendar.free', () => {
  it('finds the whole of an empty day', async () => {
    holding([[]]);
    expect(await free({ from: '2027-05-03', to: '2027-05-04' })).toEqual({
      items: [{ start: '2027-05-03T00:00:00+02:00', end: '2027-05-05T00:00:00+02:00', minutes: 2880 }],
      zone: BERLIN,
    });
    expect(Object.fromEntries(scene.api.calls.at(-1)?.query ?? [])).toMatchObject({
      timeMin: '2027-05-02T22:00:00.000Z',
      timeMax: '2027-05-04T22:00:00.000Z',
      singleEvents: 'true',
      orderBy: 'startTime',
    });
  });

  it('excludes busy times: overlapping, nested and adjoining events as one', async () => {
    holding([
      [
        event('2027-05-03T09:00:00+02:00', '2027-05-03T12:00:00+02:00'),
        event('2027-05-03T09:30:00+02:00', '2027-05-03T10:00:00+02:00'),
        event('2027-05-03T11:00:00+02:00', '2027-05-03T12:30:00+02:00'),
        event('2027-05-03T12:30:00+02:00', '2027-05-03T13:00:00+02:00'),
        event('2027-05-03T15:00:00+02:00', '2027-05-03T15:00:00+02:00'),
      ],
    ]);
    expect(await slots(DAY)).toEqual(['08:00-09:00', '13:00-18:00']);
  });

  it.each([
    ['marked as free', { transparency: 'transparent' }],
    ['declined', { attendees: [{ email: 'a@example.com' }, { email: 'me@example.com', self: true, responseStatus: 'declined' }] }],
    ['about the place of work', { eventType: 'workingLocation' }],
    ['deleted', { status: 'cancelled' }],
  ])('ignores events that are %s', async (_, more) => {
    holding([[event('2027-05-03T09:00:00+02:00', '2027-05-03T12:00:00+02:00', more)]]);
    expect(await slots(DAY)).toEqual(['08:00-18:00']);
  });

  it.each([
    ['unanswered', { attendees: [{ email: 'me@example.com', self: true, responseStatus: 'needsAction' }] }],
    ['tentative', { status: 'tentative', attendees: [{ email: 'me@example.com', self: true, responseStatus: 'tentative' }] }],
    ['declined by others', { attendees: [{ email: 'a@example.com', responseStatus: 'declined' }] }],
    ['out of office', { eventType: 'outOfOffice' }],
  ])('is blocked by events that are %s', async (_, more) => {
    holding([[event('2027-05-03T09:00:00+02:00', '2027-05-03T12:00:00+02:00', more)]]);
    expect(await slots(DAY)).toEqual(['08:00-09:00', '12:00-18:00']);
  });

  it('is blocked by all-day events for their days in the user’s zone, and no longer', async () => {
    holding([[event('2027-05-04', '2027-05-06')]]);
    const { items } = await free({ from: '2027-05-03', to: '2027-05-07' });
    expect(items.map(({ start, end }: any) => [start, end])).toEqual([
      ['2027-05-03T00:00:00+02:00', '2027-05-04T00:00:00+02:00'],
      ['2027-05-06T00:00:00+02:00', '2027-05-08T00:00:00+02:00'],
    ]);
    const abroad = await free({ from: '2027-05-03', to: '2027-05-07', zone: 'Pacific/Auckland' });
    expect(abroad.items[0].end).toBe('2027-05-04T00:00:00+12:00');
  });

  it('includes events that continue after midnight', async () => {
    holding([
      [event('2027-05-02T22:00:00+02:00', '2027-05-03T08:30:00+02:00'), event('2027-05-03T17:00:00+02:00', '2027-05-04T09:00:00+02:00')],
    ]);
    expect(await slots({ ...DAY, to: '2027-05-04' })).toEqual(['08:30-17:00', '09:00-18:00']);
  });

  it('keeps working hours in local time when clocks change', async () => {
    holding([[]]);
    const { items } = await free({ ...DAY, from: '2027-03-27', to: '2027-03-28' });
    expect(items.map(({ start, minutes }: any) => [start, minutes])).toEqual([
      ['2027-03-27T08:00:00+01:00', 600],
      ['2027-03-28T08:00:00+02:00', 600],
    ]);
    const night = await free({ from: '2027-03-28', to: '2027-03-28' });
    expect(night.items).toEqual([{ start: '2027-03-28T00:00:00+01:00', end: '2027-03-29T00:00:00+02:00', minutes: 1380 }]);
    const long = await free({ from: '2027-10-31', to: '2027-10-31' });
    expect(long.items[0].minutes).toBe(1500);
  });

  it('returns only requested days and slots that are long enough', async () => {
    holding([[event('2027-05-03T08:25:00+02:00', '2027-05-03T17:00:00+02:00')]]);
    const week = { ...DAY, from: '2027-05-02', to: '2027-05-09', weekdays: ['MO', 'SU'] };
    expect((await free({ ...week, minutes: 60 })).items.map(({ start }: any) => start.slice(0, 16))).toEqual([
      '2027-05-02T08:00',
      '2027-05-03T17:00',
      '2027-05-09T08:00',
    ]);
    expect((await free({ ...week, minutes: 25 })).items).toHaveLength(4);
  });

  it('respects a range that begins and ends within a day', async () => {
    holding([[]]);
    expect(await slots({ ...DAY, from: '2027-05-03T10:15', to: '2027-05-03T11:00:00+02:00' })).toEqual(['10:15-11:00']);
  });

  it('reads every page before it returns a free slot', async () => {
    holding([
      [event('2027-05-03T08:00:00+02:00', '2027-05-03T10:00:00+02:00')],
      [event('2027-05-03T10:00:00+02:00', '2027-05-03T12:00:00+02:00')],
      [event('2027-05-03T12:00:00+02:00', '2027-05-03T18:00:00+02:00')],
    ]);
    expect(await slots(DAY)).toEqual([]);
  });

  it('gives up on a calendar that never ends, instead of reporting it as free', async () => {
    holding(Array.from({ length: 50 }, () => []));
    await expect(free(DAY)).rejects.toMatchObject({ code: 'too_large' });
  });

  it('returns where to continue if there are many slots', async () => {
    const hours = Array.from({ length: 92 * 24 }, (_, hour) => Date.UTC(2027, 0, 1) + hour * 3_600_000);
    const iso = (at: number) => new Date(at).toISOString();
    holding([hours.map((at) => event(iso(at), iso(at + 1_800_000)))], 'UTC');
    const { items, next } = await free({ from: '2027-01-01', to: '2027-04-02' });
    expect(items).toHaveLength(300);
    expect(next).toBe('2027-01-13T12:30:00+00:00');
  });

  it.each([
    ['more than 92 days', { from: '2027-01-01', to: '2027-05-01' }],
    ['hours that end before they begin', { ...DAY, day_start: '18:00', day_end: '09:00' }],
    ['an invalid time of day', { ...DAY, day_start: '25:00' }],
    ['no weekday', { ...DAY, weekdays: [] }],
  ])('rejects %s', async (_, input) => {
    holding([[]]);
    await expect(free(input)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('agrees with calendar.list on the sandbox’s month, minute by minute', async () => {
    const sandbox = await startSteward({}, { clock: middayClock() });
    try {
      const person = await newPerson(sandbox);
      const day = (days: number) => dayOf(sandbox.clock, days);
      const range = { from: day(-7), to: day(20) };
      const { items: events } = await person.act('calendar.list', { ...range, max: 100, zone: 'UTC' });
      const { items } = await person.act('calendar.free', { ...range, minutes: 1, zone: 'UTC' });
      const instant = (value: string) => Date.parse(value.length === 10 ? `${value}T00:00:00Z` : value);
      const covered = (spans: any[], at: number) => spans.some(({ start, end }) => instant(start) <= at && at < instant(end));
      const busy = events.filter((one: any) => one.busy);
      expect(busy.length).toBeGreaterThan(10);
      for (let at = instant(range.from); at < instant(range.to) + 86_400_000; at += 60_000) {
        if (covered(busy, at) === covered(items, at)) expect.fail(`${new Date(at).toISOString()} is both or neither`);
      }
    } finally {
      await sandbox.stop();
    }
  });
});

describe('a provider with unusual responses', () => {
  const answering = (body: string) => scene.api.on(EVENTS, { body });
  const list = () => act('calendar.list', { from: '2027-05-03T00:00:00Z', to: '2027-05-04T00:00:00Z' });

  it.each([
    ['a page of HTML', '<!doctype html><title>Sign in</title>'],
    ['half of a response', '{"timeZone":"Europe/Berlin","items":[{"id":'],
    ['a zone that doesn’t exist', '{"timeZone":"../etc","items":[]}'],
    ['an event without times', '{"timeZone":"UTC","items":[{"id":"a","status":"confirmed"}]}'],
    ['invalid times', '{"timeZone":"UTC","items":[{"id":"a","start":{"dateTime":"soon"},"end":{"date":"2027-01-01"}}]}'],
    ['an invalid list', '{"timeZone":"UTC","items":{"length":1}}'],
    ['null', 'null'],
  ])('is rejected: %s', async (_, body) => {
    answering(body);
    await expect(list()).rejects.toMatchObject({ code: 'provider_error' });
    await expect(free(DAY)).rejects.toMatchObject({ code: 'provider_error' });
  });

  it('is not queried for days if it does not return its zone', async () => {
    answering('{"items":[]}');
    expect(await list()).toEqual({ items: [] });
    await expect(free(DAY)).rejects.toMatchObject({ code: 'provider_error' });
  });

  it('is cleaned and whole: long and hostile texts, links that are not web addresses, endless attendees', async () => {
    const attendees = Array.from({ length: 500 }, (_, index) => ({ email: `a${index}@example.com`, displayName: 'Line\nbreak\u0007' }));
    const odd = {
      summary: `\u0000${'x'.repeat(100_000)}\ud800`,
      hangoutLink: 'javascript:alert(1)',
      attendees,
      extendedProperties: { private: { a: 'b' } },
    };
    answering(
      JSON.stringify({
        timeZone: 'UTC',
        items: [event('2027-05-03T09:00:00Z', '2027-05-03T10:00:00Z', odd), { id: 'gone', status: 'cancelled' }],
      }),
    );
    const { items } = await list();
    expect(items).toHaveLength(1);
    expect(items[0].title).toBe(` ${'x'.repeat(100_000)}\ufffd`);
    expect(items[0].meeting_link).toBeUndefined();
    expect(items[0].attendees).toHaveLength(15);
    expect(items[0]).toMatchObject({ attendees_omitted: true });
    expect(items[0].attendees[0].name).toBe('Line break ');
    expect(items[0].extendedProperties).toBeUndefined();
  });

  it('may name a meeting in its conference data only, and call an event confidential', async () => {
    const [phone, video] = [
      { entryPointType: 'phone', uri: 'https://tel.example/1' },
      { entryPointType: 'video', uri: 'https://video.example/a' },
    ];
    const more = { conferenceData: { entryPoints: [phone, video] }, visibility: 'confidential' };
    holding([[event('2027-05-03T09:00:00Z', '2027-05-03T10:00:00Z', more)]]);
    expect((await list()).items).toMatchObject([{ meeting_link: video.uri, private: true }]);
  });

  it('does not get a partial list of attendees back', async () => {
    const self = { email: me.email, self: true, responseStatus: 'needsAction' };
    const big = event('2027-05-03T09:00:00Z', '2027-05-03T10:00:00Z', { id: 'big', attendees: [self], attendeesOmitted: true });
    scene.api.on(`${EVENTS}/big`, { body: big });
    const patches = () => scene.api.calls.filter(({ method }) => method !== 'GET').map(({ path, body }) => [path, body]);
    await expect(act('calendar.update', { id: 'big', add_attendees: ['b@example.com'] })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(patches()).toEqual([]);
    await act('calendar.respond', { id: 'big', answer: 'accepted' });
    const body = { attendeesOmitted: true, attendees: [{ ...self, responseStatus: 'accepted' }] };
    expect(patches()).toEqual([[`${EVENTS}/big`, body]]);
  });

  it('does not retry a change with an invalid response, whose outcome is unknown', async () => {
    const known = event('2027-05-03T09:00:00Z', '2027-05-03T10:00:00Z', { id: 'known' });
    scene.api.on(`${EVENTS}/known`, (response, { method }) => respond(response, { body: method === 'GET' ? known : '<!doctype html>' }));
    await expect(act('calendar.update', { id: 'known', title: 'x' })).rejects.toMatchObject({ code: 'outcome_unknown' });
    // Read to tell who sees the change, and again for the change itself.
    expect(scene.api.calls.map(({ method }) => method)).toEqual(['GET', 'GET', 'PATCH']);
  });
});
