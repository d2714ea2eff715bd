import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../../../src/errors.ts';
import { type ApiScene, startApiScene } from '../../../support/scenes/api-scene.ts';
import { respond } from '../../../support/servers/scripted-server.ts';
import { callAction } from '../../../support/users/agents.ts';
import type { ConnectedGrant } from '../../../support/users/refreshing.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';
const RANGE = { from: '2027-03-22', to: '2027-03-23', zone: 'Europe/Berlin' };
const ANA = 'ana@example.org';
const BEN = 'ben@example.org';
const HUGE = 'x'.repeat(13_000_000);

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

const call = (action: string, input: object) => callAction(scene.steward, action, input, { token: me.token });
const refused = (action: string, input: object) =>
  call(action, input).then(
    (result) => Promise.reject(new Error(`it succeeded: ${JSON.stringify(result)}`)),
    (error: AppError) => error,
  );
const busy = async (people: string[]) => (await call('calendar.busy', { people, ...RANGE })).data as any;
const event = (hour: number, more: object = {}) => ({
  id: `e${hour}`,
  status: 'confirmed',
  summary: 'Secret plan',
  start: { dateTime: `2027-03-22T${hour}:00:00Z`, timeZone: 'Europe/London' },
  end: { dateTime: `2027-03-22T${hour + 1}:00:00Z` },
  organizer: { email: me.email, self: true },
  ...more,
});
const guest = (email: string, responseStatus = 'needsAction') => ({ email, responseStatus });
const page = (items: unknown[], more: object = {}) => ({ timeZone: 'Europe/Berlin', items, ...more });
const at = (hour: number, answer: string) => ({
  start: `2027-03-22T${hour + 1}:00:00+01:00`,
  end: `2027-03-22T${hour + 2}:00:00+01:00`,
  answer,
});

describe('calendar.busy', () => {
  it('tells when people are in the user’s events, and that their own calendars weren’t read', async () => {
    const attendees = [guest('Ana@Example.org', 'accepted'), guest(BEN, 'declined')];
    scene.api.on(EVENTS, {
      body: page([
        event(10, { attendees }),
        event(12, { organizer: { email: BEN }, attendees: [guest(me.email, 'declined')] }),
        event(13, { attendees: [guest(ANA)], transparency: 'transparent' }),
        event(14, { attendees: [guest(ANA, 'tentative'), guest(BEN)] }),
        { id: 'gone', status: 'cancelled' },
        event(15),
      ]),
    });
    const { data, meta } = await call('calendar.busy', { people: [ANA, BEN, 'cy@example.org', 'ANA@example.org'], ...RANGE });
    expect(data).toEqual({
      items: [
        { email: ANA, busy: [at(10, 'accepted'), at(14, 'tentative')], calendar: 'not_readable' },
        { email: BEN, busy: [at(12, 'organizer'), at(14, 'none')], calendar: 'not_readable' },
        { email: 'cy@example.org', busy: [], calendar: 'not_readable' },
      ],
      zone: 'Europe/Berlin',
    });
    expect(meta.labels).toMatchObject({ integrity: 'own' });
    expect(JSON.stringify(data)).not.toContain('Secret');
  });

  it('tells the provider nothing about these people', async () => {
    scene.api.on(EVENTS, { body: page([]) });
    await busy([ANA]);
    expect(scene.api.calls.map(({ method, url }) => [method, url.includes('ana')])).toEqual([['GET', false]]);
  });

  it('reads every page, and the next seven days by default', async () => {
    scene.api.on(EVENTS, (response, { query }) => {
      const isFirst = query.get('pageToken') === null;
      respond(response, { body: page([event(isFirst ? 10 : 11, { attendees: [guest(ANA)] })], isFirst ? { nextPageToken: 'p2' } : {}) });
    });
    expect((await busy([ANA])).items[0].busy).toHaveLength(2);
    await call('calendar.busy', { people: [ANA] });
    const { query } = scene.api.calls.at(-1) ?? {};
    const days = (Date.parse(query?.get('timeMax') ?? '') - Date.parse(query?.get('timeMin') ?? '')) / 86_400_000;
    expect(days).toBe(7);
  });

  it.each([
    ['null', 'null'],
    ['a list that is none', page({} as unknown[])],
    ['an item that is null', page([null])],
    ['an event without a time', page([{ id: 'e1', status: 'confirmed' }])],
  ])('fails on %s', async (_what, body) => {
    scene.api.on(EVENTS, { body });
    expect(await refused('calendar.busy', { people: [ANA], ...RANGE })).toMatchObject({ code: 'provider_error' });
  });

  it('fails on attendees that are none, and on too much', async () => {
    scene.api.on(EVENTS, { body: page([event(10, { attendees: 'x' })]) });
    expect(await refused('calendar.busy', { people: [ANA], ...RANGE })).toMatchObject({ code: 'provider_error' });
    scene.api.on(EVENTS, { body: page([event(10, { summary: HUGE })]) });
    expect(await refused('calendar.busy', { people: [ANA], ...RANGE })).toMatchObject({ code: 'too_large' });
    scene.api.on(EVENTS, { body: page(Array.from({ length: 1_001 }, () => event(10, { attendees: [guest(ANA)] }))) });
    expect(await refused('calendar.busy', { people: [ANA], ...RANGE })).toMatchObject({ code: 'too_large' });
  });

  it.each([
    ['nobody', { people: [] }],
    ['what is no address', { people: ['Ana'] }],
    ['21 people', { people: Array.from({ length: 21 }, (_, index) => `a${index}@example.org`) }],
    ['a year', { people: [ANA], from: '2027-01-01', to: '2027-12-31', zone: 'UTC' }],
  ])('rejects %s', async (_what, input) => {
    expect(await refused('calendar.busy', input)).toMatchObject({ code: 'invalid_request' });
  });
});

describe('calendar.restore, with a provider that returns anything', () => {
  const ONE = `${EVENTS}/e1`;
  const changes = () => scene.api.calls.filter(({ method }) => method !== 'GET').length;

  it.each([
    ['null', 'null', 'provider_error'],
    ['attendees that are none', { id: 'e1', status: 'cancelled', attendees: {} }, 'provider_error'],
    ['no status', { id: 'e1' }, 'invalid_request'],
    ['12 MB', { id: 'e1', status: 'cancelled', summary: HUGE }, 'too_large'],
  ])('restores nothing: %s', async (_what, body, code) => {
    scene.api.on(ONE, { body });
    const error = await refused('calendar.restore', { id: 'e1' });
    // What can't be read counts as seen by others.
    expect([code, 'approval_required']).toContain(error.code);
    expect(changes()).toBe(0);
  });

  it('asks where the provider doesn’t say who was invited', async () => {
    scene.api.on(ONE, { body: { id: 'e1', status: 'cancelled', recurringEventId: 'e0' } });
    const { code, details } = await refused('calendar.restore', { id: 'e1' });
    expect(code).toBe('approval_required');
    expect(details?.audience).toEqual([{ kind: 'unknown' }]);
    expect(details?.summary).toBe('Restore the deleted event: “” (e1); those with whom the calendar is shared may see it, too');
  });
});
