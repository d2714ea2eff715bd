import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { calendarNotices, newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { dayOf, middayClock } from '../../../support/time/midday-clock.ts';

const BERLIN = 'Europe/Berlin';
const EVENTS = '/calendar/v3/calendars/primary/events';
let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward({}, { clock: middayClock() });
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
});

const create = (more: object) => me.act('calendar.create', { title: 'made', ...more });
const meeting = (more: object = {}) => create({ start: '2027-03-01T09:00', end: '2027-03-01T10:00', ...more });
/** The events named "made", from one day to another. */
const made = async (from: string, to: string, more: object = {}): Promise<any[]> =>
  (await me.act('calendar.list', { from, to, query: 'made', ...more })).items;
const starts = async (from: string, to: string) => (await made(from, to)).map(({ start }) => start);
const stored = async (id: string) => (await me.google('GET', `${EVENTS}/${id}`)).body;
const lastNotice = async () => (await calendarNotices(steward, me.email)).at(-1);
const invalid = (message: RegExp | string) => ({ code: 'invalid_request', message: expect.stringMatching(message) });

describe('calendar.list', () => {
  it('lists the sandbox’s month: single events of series, compactly', async () => {
    const day = (days: number) => dayOf(steward.clock, days);
    const { items, zone } = await me.act('calendar.list', { from: day(-8), to: day(22), query: 'Jour fixe', max: 100 });
    expect(zone).toBe(BERLIN);
    const [first] = items;
    expect(first).toEqual({
      id: expect.stringMatching(/^\w+_\d{8}T\d{6}Z$/),
      title: 'Jour fixe: Größe & Umsatz',
      start: expect.stringMatching(/T10:00:00\+0[12]:00$/),
      end: expect.stringMatching(/T11:00:00\+0[12]:00$/),
      all_day: false,
      zone: BERLIN,
      series: first.id.split('_')[0],
      attendees: [
        { email: me.email, name: expect.any(String), answer: 'accepted' },
        { email: 'ana.mueller@example.org', name: 'Ana Müller', answer: 'accepted' },
        { email: 'tom@partner.example', answer: 'tentative', optional: true },
      ],
      my_answer: 'accepted',
      meeting_link: 'https://meet.google.com/abc-defg-hij',
      busy: true,
    });
    // One was moved and renamed, and one cancelled.
    expect(items.filter(({ title }: any) => title === 'Jour fixe (verschoben)')).toHaveLength(1);
    expect(items.length).toBeLessThan(5);
  });

  it.each([
    ['Arzttermin', { busy: true, private: true }],
    ['Telefonat Steuerbüro', { busy: true, tentative: true }],
    ['Home', { busy: false, kind: 'workingLocation' }],
  ])('marks what is private, tentative, or no meeting: %s', async (title, marks) => {
    const days = { from: dayOf(steward.clock, -8), to: dayOf(steward.clock, 8) };
    const { items } = await me.act('calendar.list', { ...days, query: title });
    expect(items.find((item: any) => item.title === title)).toMatchObject(marks);
  });

  it('pages through all events once, in order', async () => {
    const range = { from: '2027-01-01', to: '2027-12-31' };
    const all = (await me.act('calendar.list', { ...range, max: 100 })).items;
    const found: any[] = [];
    let page: string | undefined;
    do {
      const response = await me.act('calendar.list', { ...range, max: 30, ...(page !== undefined && { page }) });
      expect(response.items.length).toBeLessThanOrEqual(30);
      found.push(...response.items);
      page = response.next;
    } while (page !== undefined);
    expect(found.length).toBeGreaterThan(100);
    expect(found.slice(0, 100)).toEqual(all);
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
  });

  it('counts the whole last day where it is a date, and days begin in the calendar’s zone', async () => {
    await create({ start: '2027-03-05T23:30', end: '2027-03-05T23:45' });
    await create({ start: '2027-03-06T00:15', end: '2027-03-06T00:30' });
    expect(await starts('2027-03-05', '2027-03-05')).toEqual(['2027-03-05T23:30:00+01:00']);
    expect(await starts('2027-03-06', '2027-03-06')).toEqual(['2027-03-06T00:15:00+01:00']);
    const asked = await made('2027-03-05', '2027-03-05', { zone: 'America/New_York' });
    expect(asked.map(({ start }) => start)).toEqual(['2027-03-05T17:30:00-05:00', '2027-03-05T18:15:00-05:00']);
  });

  it('rejects an event that ends before it begins, whatever its zone or offsets', async () => {
    for (const times of [
      { start: '2027-05-04T10:00', end: '2027-05-04T09:00' },
      { start: '2027-05-04T10:00', end: '2027-05-04T09:00', zone: 'Asia/Tokyo' },
      { start: '2027-05-04T01:30:00-05:00', end: '2027-05-04T01:45:00-04:00' },
    ])
      await expect(create(times)).rejects.toThrow(/^end: must not be before start/);
  });

  it('rejects a start or end at a time that clocks skip; a day starts at its first valid time', async () => {
    const list = (from: string, to: string, zone?: string) => me.act('calendar.list', { from, to, ...(zone && { zone }) });
    await expect(list('2027-03-28T02:30', '2027-03-28T04:00')).rejects.toMatchObject(
      invalid(/^from: 02:30 does not exist in .* on Sun, 28 Mar 2027/),
    );
    await expect(list('2027-03-28', '2027-03-28T02:15')).rejects.toMatchObject(invalid(/^to: .* Give 01:15 or 03:15/));
    // There, clocks skip the hour after midnight.
    expect(await list('2026-09-06', '2026-09-06', 'America/Santiago')).toMatchObject({ items: [] });
  });

  it('uses times with an offset unchanged', async () => {
    await meeting();
    expect(await starts('2027-03-01T07:59:00Z', '2027-03-01T08:01:00Z')).toHaveLength(1);
    expect(await starts('2027-03-01T09:00:00Z', '2027-03-01T10:00:00Z')).toHaveLength(0);
  });

  it.each([
    ['a range that ends before it begins', { from: '2027-03-02', to: '2027-03-01' }, /^to:/],
    ['a day that doesn’t exist', { from: '2027-02-30', to: '2027-03-01' }, /^from:/],
    ['words', { from: 'tomorrow', to: '2027-03-01' }, /^from:/],
    ['a zone that doesn’t exist', { from: '2027-03-01', to: '2027-03-01', zone: 'Mars/Base' }, /^zone:/],
    ['a bare offset as zone', { from: '2027-03-01', to: '2027-03-01', zone: '+02:00' }, /^zone:/],
    ['a page of control characters', { from: '2027-03-01', to: '2027-03-01', page: 'a\nb' }, /^page:/],
    ['fields that are unknown', { from: '2027-03-01', to: '2027-03-01', calendarId: 'x' }, /calendarId/],
  ])('rejects %s', async (_, input, message) => {
    await expect(me.act('calendar.list', input)).rejects.toMatchObject(invalid(message));
  });

  it('requires the calendar’s scope', async () => {
    const other = await newPerson(steward, { untick: ['calendar.events.owned'] });
    const call = other.act('calendar.list', { from: '2027-03-01', to: '2027-03-02' });
    await expect(call).rejects.toMatchObject({ code: 'missing_scopes', details: { missingScopes: ['calendar.events.owned'] } });
  });
});

describe('all-day events', () => {
  const zone = process.env.TZ;
  it.each(['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'])('keep their dates, wherever the service runs: %s', async (here) => {
    process.env.TZ = here;
    try {
      expect(Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(here);
      for (const email of [me.email, 'demo.work@example.com', 'ana.mueller@example.org']) {
        me = email === me.email ? me : await newPerson(steward, { email });
        const title = `${here} ${email}`;
        const event = await me.act('calendar.create', { title, start: '2027-05-01', end: '2027-05-04' });
        const days = { start: '2027-05-01', end: '2027-05-04', last_day: '2027-05-03', all_day: true };
        expect(event).toMatchObject(days);
        expect(await me.act('calendar.get', { id: event.id })).toMatchObject(days);
        const { items } = await me.act('calendar.list', { from: '2027-05-03', to: '2027-05-03', query: title, zone: 'Asia/Tokyo' });
        expect(items[0]).toMatchObject(days);
        expect(items[0].zone).toBeUndefined();
        expect(await stored(event.id)).toMatchObject({ start: { date: '2027-05-01' }, end: { date: '2027-05-04' } });
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it('last one day unless an end is given, and never end on the day they begin', async () => {
    expect(await create({ start: '2027-02-28' })).toMatchObject({ start: '2027-02-28', end: '2027-03-01', last_day: '2027-02-28' });
    await expect(create({ start: '2027-05-01', end: '2027-05-01' })).rejects.toMatchObject(invalid(/^end: must be later than start/));
    await expect(create({ start: '2027-05-01', end: '2027-05-02T09:00' })).rejects.toMatchObject(invalid(/^end:/));
  });
});

describe('calendar.create', () => {
  it('interprets local times in the calendar’s zone, or in the given one', async () => {
    expect(await meeting()).toMatchObject({ start: '2027-03-01T09:00:00+01:00', zone: BERLIN, link: expect.stringMatching(/^https:/) });
    const abroad = await meeting({ zone: 'America/New_York' });
    expect(abroad).toMatchObject({ start: '2027-03-01T15:00:00+01:00', zone: 'America/New_York' });
    const exact = await create({ start: '2027-03-01T09:00:00-08:00', end: '2027-03-01T10:00:00-08:00' });
    expect(exact.start).toBe('2027-03-01T18:00:00+01:00');
  });

  it('creates series that keep their local time when clocks change, even with an offset', async () => {
    const recurrence = ['RRULE:FREQ=WEEKLY;COUNT=3'];
    const event = await create({ start: '2027-03-21T09:00:00+01:00', end: '2027-03-21T10:00:00+01:00', recurrence });
    expect(event).toMatchObject({ recurrence, zone: BERLIN });
    expect(await starts('2027-03-01', '2027-04-30')).toEqual([
      '2027-03-21T09:00:00+01:00',
      '2027-03-28T09:00:00+02:00',
      '2027-04-04T09:00:00+02:00',
    ]);
  });

  // On 28 March 2027, clocks in Berlin go from 02:00 to 03:00.
  it.each([
    ['start', { start: '2027-03-28T02:30', end: '2027-03-28T03:30' }],
    ['end', { start: '2027-03-28T01:30', end: '2027-03-28T02:30' }],
    ['start', { start: '2027-03-28T02:30', end: '2027-03-28T03:30', zone: BERLIN }],
    ['start', { start: '2027-03-28T02:30', end: '2027-03-28T03:30', recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] }],
  ])('rejects a time that clocks skip, and returns the nearest: %s of %j', async (field, times) => {
    const message = `${field}: 02:30 does not exist in ${BERLIN} on Sun, 28 Mar 2027, where clocks are set forward from 02:00 to 03:00. Give 01:30 or 03:30.`;
    await expect(create(times)).rejects.toMatchObject({ code: 'invalid_request', message });
    expect(await made('2027-03-27', '2027-03-29')).toEqual([]);
  });

  it.each([
    ['before what is skipped', { start: '2027-03-28T01:59', end: '2027-03-28T03:00' }, '2027-03-28T01:59:00+01:00'],
    ['from its end on', { start: '2027-03-28T03:00', end: '2027-03-28T03:30' }, '2027-03-28T03:00:00+02:00'],
    ['with an offset', { start: '2027-03-28T02:30:00+01:00', end: '2027-03-28T03:30:00+01:00' }, '2027-03-28T03:30:00+02:00'],
    ['where it exists', { start: '2027-03-28T02:30', end: '2027-03-28T03:30', zone: 'Asia/Tokyo' }, '2027-03-27T18:30:00+01:00'],
    ['shown twice', { start: '2027-10-31T02:30', end: '2027-10-31T03:30' }, '2027-10-31T02:30:00+02:00'],
  ])('accepts a time %s', async (_name, times, start) => {
    expect((await create(times)).start).toBe(start);
  });

  it.each([
    ['europe/BERLIN', BERLIN],
    ['asia/calcutta', 'Asia/Calcutta'],
    ['us/eastern', 'US/Eastern'],
    ['etc/gmt+5', 'Etc/GMT+5'],
    ['utc', 'UTC'],
  ])('takes a zone in any spelling: %s', async (zone, timeZone) => {
    const { id } = await meeting({ zone, end_zone: zone, recurrence: ['RRULE:FREQ=DAILY;COUNT=3', `EXDATE;TZID=${zone}:20270302T090000`] });
    expect((await me.google('GET', `${EVENTS}/${id}`)).body).toMatchObject({ start: { timeZone }, end: { timeZone } });
    expect((await me.act('calendar.get', { id })).recurrence[1]).toBe(`EXDATE;TZID=${timeZone}:20270302T090000`);
    expect((await me.act('calendar.list', { from: '2027-03-01', to: '2027-03-03', zone, query: 'made' })).items).toHaveLength(2);
  });

  it('creates series of whole days', async () => {
    await create({ start: '2027-03-27', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
    expect(await starts('2027-03-01', '2027-04-30')).toEqual(['2027-03-27', '2027-03-28', '2027-03-29']);
  });

  it('invites attendees, and notifies them only if requested', async () => {
    const attendees = ['Ana.Mueller@example.org', ' tom@partner.example ', 'ana.mueller@example.org'];
    const event = await meeting({ attendees });
    expect(event.attendees).toEqual([
      { email: 'ana.mueller@example.org', answer: 'none' },
      { email: 'tom@partner.example', answer: 'none' },
    ]);
    expect(await lastNotice()).toMatchObject({
      event: event.id,
      about: 'created',
      sendUpdates: 'all',
      to: ['ana.mueller@example.org', 'tom@partner.example'],
    });
    await meeting({ attendees, notify: false });
    expect(await lastNotice()).toMatchObject({ sendUpdates: 'none', to: [] });
  });

  it('keeps lines in a description, and adds a video meeting', async () => {
    const event = await meeting({ description: 'one\ntwo – ü', location: 'Café', meeting: true });
    expect(event).toMatchObject({
      description: 'one\ntwo – ü',
      location: 'Café',
      meeting_link: expect.stringMatching(/^https:\/\/meet\./),
    });
    expect((await meeting()).meeting_link).toBeUndefined();
  });

  it.each([
    ['no end of a time', { end: undefined }, /^end: is required/],
    ['a line break in the title', { title: 'a\r\nb' }, /^title:/],
    ['an empty title', { title: '' }, /^title:/],
    ['a control character in the description', { description: 'a\u0000b' }, /^description:/],
    ['an attendee that is not an address', { attendees: ['Ana'] }, /^attendees/],
    ['an attendee with a second header', { attendees: ['a@example.com\r\nBcc: b@example.com'] }, /^attendees/],
    ['101 attendees', { attendees: Array.from({ length: 101 }, (_, n) => `a${n}@example.com`) }, /^attendees:/],
    ['two rules', { recurrence: ['RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY'] }, /^recurrence:/],
    ['an invalid rule', { recurrence: ['DAILY'] }, /^recurrence/],
    ['a rule that there is not', { recurrence: ['RRULE:FREQ=SOMETIMES'] }, /^recurrence\.0: must be a rule/],
    ['a rule with two ends', { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2;UNTIL=20270401T000000Z'] }, /provider refused/],
    ['an end before the start', { end: '2027-03-01T08:00' }, /^end: must not be before start/],
    ['seconds that don’t exist', { start: '2027-03-01T09:00:61' }, /^start:/],
  ])('rejects %s', async (_, more, message) => {
    await expect(meeting(more)).rejects.toMatchObject(invalid(message));
  });
});

describe('calendar.get', () => {
  it('returns an event and its series', async () => {
    const series = await meeting({ recurrence: ['RRULE:FREQ=DAILY;COUNT=2'], description: 'about' });
    const [first] = await made('2027-03-01', '2027-03-01');
    expect(await me.act('calendar.get', { id: first.id })).toMatchObject({ series: series.id, description: 'about' });
    const whole = await me.act('calendar.get', { id: series.id });
    expect(whole.recurrence).toEqual(['RRULE:FREQ=DAILY;COUNT=2']);
    expect(whole.series).toBeUndefined();
  });

  it('does not find unknown events, those of other accounts, or deleted ones', async () => {
    const { id } = await meeting();
    await expect(me.act('calendar.get', { id: 'unknown1' })).rejects.toMatchObject({ code: 'not_found' });
    const other = await newPerson(steward);
    await expect(other.act('calendar.get', { id })).rejects.toMatchObject({ code: 'not_found' });
    await me.act('calendar.delete', { id });
    await expect(me.act('calendar.get', { id })).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['', '.', '..', '../acl', 'a/b', 'a b', 'x'.repeat(1_025)])('rejects an invalid id: %j', async (id) => {
    await expect(me.act('calendar.get', { id })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
