import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callGoogle } from '../support/emulators/workspace-content.ts';
import { connect } from '../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';
const BERLIN = 'Europe/Berlin';
let steward: TestSteward;
let email: string;
let accounts = 0;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
/** A new calendar for each test. */
beforeEach(async () => {
  accounts += 1;
  email = `calendar${accounts}@example.com`;
  await connect(steward, { email });
  await steward.control('workspace/quota', { api: 'calendar', units_per_minute: 100_000 });
});

const call = (verb: string, path: string, body?: unknown) => callGoogle(steward, verb, path, body, email);
const list = (query: Record<string, string>) => call('GET', `${EVENTS}?${new URLSearchParams(query)}`);
const insert = async (body: object) => {
  const response = await call('POST', `${EVENTS}?sendUpdates=none`, body);
  expect(response.status).toBe(200);
  return response.body;
};
const timed = (start: string, end: string, more: object = {}) => ({
  summary: 'made',
  start: { dateTime: start, timeZone: BERLIN },
  end: { dateTime: end, timeZone: BERLIN },
  ...more,
});
/** Starts of the events named "made", from one date to another. */
const starts = async (from: string, to: string, query: Record<string, string> = {}) => {
  const window = { timeMin: `${from}T00:00:00Z`, timeMax: `${to}T00:00:00Z`, q: 'made' };
  const { body } = await list({ ...window, singleEvents: 'true', orderBy: 'startTime', ...query });
  return body.items.map((item: any) => item.start.date ?? item.start.dateTime);
};
const reasonOf = (response: { body: any }) => response.body.error.errors[0].reason;

describe('GET /calendar/v3/calendars/:id/events', () => {
  it('returns the requested fields', async () => {
    expect((await list({ fields: 'timeZone,kind' })).body).toEqual({ timeZone: BERLIN, kind: 'calendar#events' });
    expect((await list({ fields: 'items(' })).status).toBe(400);
  });
});

describe('sandbox calendar: events.list', () => {
  it('contains a month around now, with every kind of event', async () => {
    const now = steward.clock.now();
    const window = { timeMin: new Date(now - 20 * 86_400_000).toISOString(), timeMax: new Date(now + 30 * 86_400_000).toISOString() };
    const { body } = await list({ ...window, singleEvents: 'true', orderBy: 'startTime' });
    expect(body.timeZone).toBe(BERLIN);
    expect(body.items.length).toBeGreaterThan(25);
    const items: any[] = body.items;
    for (const kind of [
      (item: any) => item.start.date !== undefined,
      (item: any) => item.start.date !== undefined && Date.parse(item.end.date) - Date.parse(item.start.date) > 86_400_000,
      (item: any) => item.recurringEventId !== undefined && item.originalStartTime.dateTime !== item.start.dateTime,
      (item: any) => item.hangoutLink !== undefined,
      (item: any) => item.visibility === 'private',
      (item: any) => item.transparency === 'transparent',
      (item: any) => item.attendees?.some((one: any) => one.self && one.responseStatus === 'declined'),
      (item: any) => /[^\x20-\x7e]/.test(item.summary ?? ''),
      (item: any) => item.summary === undefined,
    ]) {
      expect(items.some(kind), kind.toString()).toBe(true);
    }
    expect(items.every((item) => item.recurrence === undefined)).toBe(true);
  });

  it('orders by start only single events, and requires offsets, like the provider', async () => {
    expect((await list({ orderBy: 'startTime' })).status).toBe(400);
    expect((await list({ timeMin: '2026-01-01T00:00:00' })).status).toBe(400);
    expect(reasonOf(await list({ timeMin: '2026-01-02T00:00:00Z', timeMax: '2026-01-01T00:00:00Z' }))).toBe('timeRangeEmpty');
    expect((await list({ timeZone: 'Mars/Base' })).status).toBe(400);
    expect((await list({ pageToken: 'nonsense' })).status).toBe(400);
  });

  it('supports the account’s own calendar only', async () => {
    expect((await call('GET', `/calendar/v3/calendars/${encodeURIComponent(email)}/events`)).status).toBe(200);
    expect((await call('GET', '/calendar/v3/calendars/someone%40example.com/events')).status).toBe(404);
  });

  it('pages through everything once', async () => {
    const window = { timeMin: '2026-01-01T00:00:00Z', timeMax: '2028-01-01T00:00:00Z', singleEvents: 'true', orderBy: 'startTime' };
    const all = (await list({ ...window, maxResults: '2500' })).body.items.map(({ id }: any) => id);
    const found: string[] = [];
    let pageToken: string | undefined;
    do {
      const { body } = await list({ ...window, maxResults: '40', ...(pageToken !== undefined && { pageToken }) });
      found.push(...body.items.map(({ id }: any) => id));
      pageToken = body.nextPageToken;
    } while (pageToken !== undefined);
    expect(found).toEqual(all);
    expect(new Set(found).size).toBe(found.length);
  });

  it('returns times in the requested zone', async () => {
    await insert(timed('2027-07-01T09:00:00', '2027-07-01T10:00:00'));
    expect(await starts('2027-07-01', '2027-07-02', { timeZone: 'Asia/Kolkata' })).toEqual(['2027-07-01T12:30:00+05:30']);
  });

  it('lists series and their exceptions unless single events are requested', async () => {
    const { body } = await list({ singleEvents: 'false', q: 'Jour fixe' });
    expect(body.items.map(({ status, recurrence }: any) => [status, recurrence !== undefined])).toEqual([
      ['confirmed', true],
      ['confirmed', false],
      ['cancelled', false],
    ]);
  });
});

describe('sandbox calendar: series', () => {
  const expansions: [string, string[], string[]][] = [
    ['daily, counted', ['RRULE:FREQ=DAILY;COUNT=3'], ['01', '02', '03']],
    ['every other day until a date', ['RRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20270305T235959Z'], ['01', '03', '05']],
    ['on weekdays', ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=4'], ['01', '03', '08', '10']],
    ['every other week', ['RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3'], ['01', '15', '29']],
    [
      'with dates left out',
      ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE;TZID=Europe/Berlin:20270302T090000', 'EXDATE:20270303T080000Z'],
      ['01', '04'],
    ],
    ['on the last Wednesday', ['RRULE:FREQ=MONTHLY;BYDAY=-1WE;COUNT=1'], ['01', '31']],
    ['on the second Tuesday', ['RRULE:FREQ=MONTHLY;BYDAY=2TU;COUNT=1'], ['01', '09']],
    ['on days of the month', ['RRULE:FREQ=MONTHLY;BYMONTHDAY=5,-1;COUNT=2'], ['01', '05', '31']],
  ];
  it.each(expansions)('are expanded: %s', async (_, recurrence, days) => {
    await insert(timed('2027-03-01T09:00:00', '2027-03-01T10:00:00', { recurrence }));
    expect((await starts('2027-02-01', '2027-04-01')).map((start: string) => start.slice(8, 10))).toEqual(days);
  });

  it('skip months without the day', async () => {
    await insert(timed('2027-01-31T09:00:00', '2027-01-31T10:00:00', { recurrence: ['RRULE:FREQ=MONTHLY;COUNT=3'] }));
    expect((await starts('2027-01-01', '2027-12-01')).map((start: string) => start.slice(0, 10))).toEqual([
      '2027-01-31',
      '2027-03-31',
      '2027-05-31',
    ]);
  });

  it('keep their time of day when clocks change', async () => {
    await insert(timed('2027-03-21T09:00:00', '2027-03-21T10:00:00', { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] }));
    expect(await starts('2027-03-01', '2027-04-01')).toEqual(['2027-03-21T09:00:00+01:00', '2027-03-28T09:00:00+02:00']);
  });

  it('require a zone even with an offset', async () => {
    const at = { dateTime: '2027-03-01T09:00:00+01:00' };
    const response = await call('POST', EVENTS, {
      start: at,
      end: { dateTime: '2027-03-01T10:00:00+01:00' },
      recurrence: ['RRULE:FREQ=DAILY'],
    });
    expect(response.status).toBe(400);
    expect(response.body.error.message).toBe('Missing time zone definition for start time.');
    const single = await call('POST', EVENTS, { start: at, end: { dateTime: '2027-03-01T10:00:00+01:00' } });
    expect(single.status).toBe(200);
  });

  it('keep the zone of their end', async () => {
    const end = { dateTime: '2027-03-01T10:00:00', timeZone: 'America/New_York' };
    const { id } = await insert({ ...timed('2027-03-01T09:00:00', '', { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] }), end });
    const { items } = (await call('GET', `${EVENTS}/${id}/instances`)).body;
    expect(items.map((one: any) => [one.start.timeZone, one.end.timeZone])).toEqual(Array(2).fill([BERLIN, 'America/New_York']));
  });

  it('have exceptions: changed and deleted events', async () => {
    const series = await insert(timed('2027-03-01T09:00:00', '2027-03-01T10:00:00', { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] }));
    const { body } = await call('GET', `${EVENTS}/${series.id}/instances`);
    const [first, second, third] = body.items;
    expect(first).toMatchObject({ recurringEventId: series.id, id: `${series.id}_20270301T080000Z` });
    await call('PATCH', `${EVENTS}/${second.id}`, {
      start: { dateTime: '2027-03-20T12:00:00+01:00' },
      end: { dateTime: '2027-03-20T13:00:00+01:00' },
    });
    expect((await call('DELETE', `${EVENTS}/${third.id}`)).status).toBe(204);
    expect((await starts('2027-02-01', '2027-04-01')).map((start: string) => start.slice(8, 10))).toEqual(['01', '04', '20']);
    // The moved event is found at its new time, before the end of the rule or after it.
    expect(await starts('2027-03-19', '2027-03-21')).toHaveLength(1);
    expect(reasonOf(await call('DELETE', `${EVENTS}/${third.id}`))).toBe('deleted');
    await call('DELETE', `${EVENTS}/${series.id}`);
    expect(await starts('2027-02-01', '2027-04-01')).toEqual([]);
    expect((await call('GET', `${EVENTS}/${series.id}`)).body.status).toBe('cancelled');
  });
});

const NEW_YORK = 'America/New_York';
/** Dates of `rule` up to `until`, of events at nine in New York. */
const datesOf = async (start: string, recurrence: string[], until: string) => {
  const at = (time: string) => ({ dateTime: `${start}T${time}`, timeZone: NEW_YORK });
  await insert({ summary: 'made', start: at('09:00:00'), end: at('10:00:00'), recurrence });
  const found: string[] = await starts('1990-01-01', until, { timeZone: NEW_YORK });
  expect(found.every((moment) => moment.includes('T09:00:00-0'))).toBe(true);
  return found.map((moment) => moment.slice(0, 10));
};

describe('sandbox calendar: recurrence rules (RFC 5545 section 3.8.5.3)', () => {
  it.each<[string, string, string, string[]]>([
    ['WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO', '1997-08-05', '2000', ['1997-08-05', '1997-08-10', '1997-08-19', '1997-08-24']],
    ['WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU', '1997-08-05', '2000', ['1997-08-05', '1997-08-17', '1997-08-19', '1997-08-31']],
    [
      'WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH',
      '1997-09-02',
      '2000',
      ['1997-09-02', '1997-09-04', '1997-09-16', '1997-09-18', '1997-09-30', '1997-10-02', '1997-10-14', '1997-10-16'],
    ],
    [
      'YEARLY;COUNT=10;BYMONTH=6,7',
      '1997-06-10',
      '2010',
      [1997, 1998, 1999, 2000, 2001].flatMap((year) => [`${year}-06-10`, `${year}-07-10`]),
    ],
    [
      'YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3',
      '1997-03-10',
      '2010',
      ['1997-03-10', ...[1999, 2001, 2003].flatMap((year) => [`${year}-01-10`, `${year}-02-10`, `${year}-03-10`])],
    ],
    [
      'YEARLY;BYMONTH=3;BYDAY=TH',
      '1997-03-13',
      '1999',
      ['1997-03-13', '1997-03-20', '1997-03-27', '1998-03-05', '1998-03-12', '1998-03-19', '1998-03-26'],
    ],
    ['YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8', '1996-11-05', '2008', ['1996-11-05', '2000-11-07', '2004-11-02']],
    ['MONTHLY;BYDAY=FR;BYMONTHDAY=13', '1998-02-13', '2001', ['1998-02-13', '1998-03-13', '1998-11-13', '1999-08-13', '2000-10-13']],
    ['MONTHLY;COUNT=5;BYMONTHDAY=15,30', '2007-01-15', '2010', ['2007-01-15', '2007-01-30', '2007-02-15', '2007-03-15', '2007-03-30']],
    ['MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3', '1997-09-04', '2000', ['1997-09-04', '1997-10-07', '1997-11-06']],
    [
      'MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
      '1997-09-29',
      '1998-03-31',
      ['1997-09-29', '1997-10-30', '1997-11-27', '1997-12-30', '1998-01-29', '1998-02-26', '1998-03-30'],
    ],
    ['MONTHLY;COUNT=4;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', '1997-09-30', '2000', ['1997-09-30', '1997-10-31', '1997-11-28', '1997-12-31']],
    ['YEARLY;BYWEEKNO=20;BYDAY=MO', '1997-05-12', '2000', ['1997-05-12', '1998-05-11', '1999-05-17']],
    [
      'YEARLY;INTERVAL=3;COUNT=7;BYYEARDAY=1,100,200',
      '1997-01-01',
      '2010',
      ['1997-01-01', '1997-04-10', '1997-07-19', '2000-01-01', '2000-04-09', '2000-07-18', '2003-01-01'],
    ],
  ])('FREQ=%s from %s', async (rule, start, until, dates) => {
    expect(await datesOf(start, [`RRULE:FREQ=${rule}`], until.length === 4 ? `${until}-01-01` : until)).toEqual(dates);
  });

  it('adds the dates of RDATE', async () => {
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=2', `RDATE;TZID=${NEW_YORK}:19970910T090000`];
    expect(await datesOf('1997-09-02', recurrence, '2000-01-01')).toEqual(['1997-09-02', '1997-09-03', '1997-09-10']);
  });

  it.each([
    [[], ['01', '03', '10', '17']],
    [[`EXDATE;TZID=${NEW_YORK}:19970901T090000`], ['03', '10', '17']],
  ])('has an event at its start though the rule has none then, and doesn’t count it: %j', async (more, days) => {
    const dates = await datesOf('1997-09-01', ['RRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=3', ...more], '2000-01-01');
    expect(dates.map((date) => date.slice(8))).toEqual(days);
  });

  it('skips times that clocks skip, without counting them', async () => {
    await insert(timed('2027-03-27T02:30:00', '2027-03-27T03:00:00', { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }));
    const found = await starts('2027-03-01', '2027-05-01');
    expect(found).toEqual(['2027-03-27T02:30:00+01:00', '2027-03-29T02:30:00+02:00', '2027-03-30T02:30:00+02:00']);
  });

  it.each([
    ['more than one event a day', ['RRULE:FREQ=SECONDLY;COUNT=1000000000']],
    ['several times of day', [`RRULE:FREQ=DAILY;BYHOUR=9,10;BYMINUTE=${Array.from({ length: 60 }, (_, minute) => minute)}`]],
    ['an interval beyond all calendars', ['RRULE:FREQ=DAILY;INTERVAL=99999999999;COUNT=3']],
    ['no interval', ['RRULE:FREQ=DAILY;INTERVAL=0']],
    ['a count of zero', ['RRULE:FREQ=DAILY;COUNT=0']],
    ['ten million characters', [`RRULE:FREQ=DAILY;BYDAY=${'MO,'.repeat(3_333_333)}TU`]],
    ['an unknown zone', ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;TZID=Mars/Base:20270301T090000']],
    ['a second start', ['RRULE:FREQ=DAILY;COUNT=3\nDTSTART:20280101T000000Z']],
    ['no rule', ['RDATE:20270301T090000Z']],
    ['a day as the end of times', ['RRULE:FREQ=DAILY;UNTIL=20270303']],
    ['an end in no zone', ['RRULE:FREQ=DAILY;UNTIL=20270303T090000']],
    ['an end before the start', ['RRULE:FREQ=DAILY;UNTIL=20270228T080000Z']],
    ['its only event left out', ['RRULE:FREQ=DAILY;COUNT=1', 'EXDATE;TZID=Europe/Berlin:20270301T090000']],
    ['an end and a count', ['RRULE:FREQ=DAILY;COUNT=3;UNTIL=20270303T080000Z']],
    ['a day that there isn’t', ['RRULE:FREQ=DAILY;COUNT=3', 'RDATE:20270230T090000Z']],
    ['a date in words', ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:tomorrow']],
    ['an unknown part', ['RRULE:FREQ=DAILY;COUNT=3;BYMOON=1']],
    ['a part twice', ['RRULE:FREQ=DAILY;COUNT=3;COUNT=4']],
    ['a 13th month', ['RRULE:FREQ=YEARLY;BYMONTH=13']],
    ['a 32nd day', ['RRULE:FREQ=MONTHLY;BYMONTHDAY=32']],
    ['an unknown weekday', ['RRULE:FREQ=WEEKLY;BYDAY=MO,XX']],
    ['a second Tuesday of a week', ['RRULE:FREQ=WEEKLY;BYDAY=2TU']],
    ['days of the month in weeks', ['RRULE:FREQ=WEEKLY;BYMONTHDAY=7']],
    ['a rule without a frequency', ['RRULE:COUNT=3']],
    ['a start line', ['DTSTART:20270301T080000Z', 'RRULE:FREQ=DAILY;COUNT=3']],
  ])('rejects %s', async (_, recurrence) => {
    const response = await call('POST', EVENTS, timed('2027-03-01T09:00:00', '2027-03-01T10:00:00', { recurrence }));
    expect([response.status, reasonOf(response)]).toEqual([400, 'invalid']);
  });

  it.each([
    'EXDATE;TZID=Europe/Berlin:20270302T090000',
    'EXDATE:20270302T080000Z',
    'EXDATE:20270302',
    'RDATE;VALUE=DATE:20270302,20270303T080000Z',
  ])('rejects times among whole days: %s', async (line) => {
    const whole = (recurrence: string[]) => ({ start: { date: '2027-03-01' }, end: { date: '2027-03-02' }, recurrence });
    const response = await call('POST', EVENTS, whole(['RRULE:FREQ=DAILY;COUNT=3', line]));
    expect([response.status, reasonOf(response)]).toEqual([400, 'invalid']);
    expect((await call('POST', EVENTS, whole(['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;VALUE=DATE:20270302']))).status).toBe(200);
  });

  it.each(['EXDATE;VALUE=DATE:20270302', 'EXDATE:20270302'])('takes days among times, which leave out nothing: %s', async (line) => {
    await insert(timed('2027-03-01T09:00:00', '2027-03-01T10:00:00', { recurrence: ['RRULE:FREQ=DAILY;COUNT=3', line] }));
    expect(await starts('2027-02-01', '2027-04-01')).toHaveLength(3);
  });

  it.each([
    ['RRULE:FREQ=DAILY;COUNT=1000000000', 2_500],
    ['RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU', 2_500],
    ['RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 1],
    ['RRULE:FREQ=YEARLY', 151],
  ])('lists at most one page of %s', async (rule, count) => {
    await insert(timed('2027-03-01T09:00:00', '2027-03-01T10:00:00', { recurrence: [rule] }));
    expect(await starts('2027-01-01', '9999-01-01', { maxResults: '2500' })).toHaveLength(count);
  });
});

describe('sandbox calendar: an event moved ahead of its series’ others', () => {
  it('is found at its new time', async () => {
    const series = await insert(timed('2027-03-01T09:00:00', '2027-03-01T10:00:00', { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'] }));
    const { body } = await call('GET', `${EVENTS}/${series.id}/instances`);
    const times = { start: { dateTime: '2027-02-01T12:00:00+01:00' }, end: { dateTime: '2027-02-01T13:00:00+01:00' } };
    await call('PATCH', `${EVENTS}/${body.items[3].id}`, times);
    expect(await starts('2027-01-31', '2027-02-03')).toEqual(['2027-02-01T12:00:00+01:00']);
  });
});

describe('sandbox calendar: changes', () => {
  const at = (time: string, timeZone: string) => ({ dateTime: `2027-03-01T${time}:00`, timeZone });

  it('PATCH: only its organizer changes what guests may do', async () => {
    const { items } = (await call('GET', `${EVENTS}?q=Supplier`)).body;
    const { status, body } = await call('PATCH', `${EVENTS}/${items[0].id}`, { guestsCanModify: true });
    expect({ status, error: body.error.errors[0] }).toMatchObject({
      status: 403,
      error: { domain: 'calendar', reason: 'forbiddenForNonOrganizer' },
    });
    const own = (await call('POST', EVENTS, { summary: 'Own', start: { date: '2031-05-01' }, end: { date: '2031-05-02' } })).body;
    expect((await call('PATCH', `${EVENTS}/${own.id}`, { guestsCanModify: true })).body.guestsCanModify).toBe(true);
  });

  it('merge fields, replace lists, and remove fields with null', async () => {
    const event = await insert(
      timed('2027-03-01T09:00:00', '2027-03-01T10:00:00', {
        location: 'here',
        attendees: [{ email: 'a@example.com' }, { email: 'b@example.com' }],
      }),
    );
    expect(event.attendees[0].responseStatus).toBe('needsAction');
    const { body } = await call('PATCH', `${EVENTS}/${event.id}`, { location: null, attendees: [{ email: 'b@example.com' }] });
    expect(body.location).toBeUndefined();
    expect(body.summary).toBe('made');
    expect(body.attendees.map((one: any) => one.email)).toEqual(['b@example.com']);
  });

  it('change only the caller’s response if the list is marked as incomplete', async () => {
    const event = await insert(timed('2027-03-01T09:00:00', '2027-03-01T10:00:00', { attendees: [{ email }, { email: 'b@example.com' }] }));
    const body = { attendeesOmitted: true, attendees: [{ email, responseStatus: 'declined' }] };
    const changed = (await call('PATCH', `${EVENTS}/${event.id}`, body)).body;
    expect(changed.attendees.map((one: any) => one.responseStatus)).toEqual(['declined', 'needsAction']);
  });

  it.each([
    ['date and time at once', { start: { date: '2027-03-01', dateTime: '2027-03-01T09:00:00Z' }, end: { date: '2027-03-02' } }],
    ['a date and a time', { start: { date: '2027-03-01' }, end: { dateTime: '2027-03-01T09:00:00Z' } }],
    ['an end before the start', { start: { dateTime: '2027-03-01T09:00:00Z' }, end: { dateTime: '2027-03-01T08:00:00Z' } }],
    ['a day that ends on itself', { start: { date: '2027-03-01' }, end: { date: '2027-03-01' } }],
    ['a local time without a zone', { start: { dateTime: '2027-03-01T09:00:00' }, end: { dateTime: '2027-03-01T10:00:00' } }],
    ['no end', { start: { date: '2027-03-01' } }],
    [
      'an attendee that is not an address',
      { start: { date: '2027-03-01' }, end: { date: '2027-03-02' }, attendees: [{ email: 'nobody' }] },
    ],
    ['an unknown zone', { start: at('09:00', 'Mars/Base'), end: at('10:00', 'Europe/Berlin') }],
    ['a zone in small letters', { start: at('09:00', 'europe/berlin'), end: at('10:00', 'europe/berlin') }],
    ['an offset as a zone', { start: at('09:00', '+01:00'), end: at('10:00', '+01:00') }],
    [
      'a series whose end has no zone',
      { start: at('09:00', BERLIN), end: { dateTime: '2027-03-01T10:00:00+01:00' }, recurrence: ['RRULE:FREQ=DAILY'] },
    ],
    [
      'a time as the end of whole days',
      { start: { date: '2027-03-01' }, end: { date: '2027-03-02' }, recurrence: ['RRULE:FREQ=DAILY;UNTIL=20270303T000000Z'] },
    ],
    ['an invalid rule', { start: { date: '2027-03-01' }, end: { date: '2027-03-02' }, recurrence: ['RRULE:FREQ=HOURLYISH'] }],
  ])('are rejected with %s', async (_, body) => {
    expect((await call('POST', EVENTS, body)).status).toBe(400);
  });

  it('survive a restart', async () => {
    const event = await insert({ summary: 'kept', start: { date: '2027-03-01' }, end: { date: '2027-03-02' } });
    steward = await steward.restart();
    expect((await call('GET', `${EVENTS}/${event.id}`)).body.summary).toBe('kept');
  });
});

describe('sandbox calendar: etags', () => {
  const conditional = async (verb: string, id: string, etag: string, body?: object) => {
    const [{ userId, grantId } = { userId: '', grantId: '' }] = await steward.sql<{ userId: string; grantId: string }>(
      'select user_id as "userId", grant_id as "grantId" from workspace_accounts where email = $1',
      [email],
    );
    const response = await fetch(`${steward.url}/sandbox/workspace/api${EVENTS}/${id}`, {
      method: verb,
      headers: {
        authorization: `Bearer ${await steward.context.tokens.current(userId, grantId)}`,
        'content-type': 'application/json',
        'if-match': etag,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.text() };
  };

  it('change with each change, and refuse one that is made on condition of another', async () => {
    const { id, etag } = await insert(timed('2027-03-21T09:00:00', '2027-03-21T10:00:00'));
    const changed = (await call('PATCH', `${EVENTS}/${id}`, { summary: 'made anew' })).body;
    expect(changed.etag).not.toBe(etag);
    for (const [verb, body] of [
      ['PATCH', { summary: 'x' }],
      ['PUT', timed('2027-03-21T09:00:00', '2027-03-21T10:00:00')],
      ['DELETE'],
    ] as const) {
      const refused = await conditional(verb, id, etag, body);
      expect([refused.status, JSON.parse(refused.body).error.errors[0].reason]).toEqual([412, 'conditionNotMet']);
    }
    expect((await call('GET', `${EVENTS}/${id}`)).body).toEqual(changed);
    expect((await conditional('PATCH', id, `"0", ${changed.etag}`, { summary: 'made again' })).status).toBe(200);
    expect((await conditional('DELETE', id, '*')).status).toBe(204);
  });

  it('of an event of a series is that of the series until it is changed', async () => {
    const { id, etag } = await insert(timed('2027-03-21T09:00:00', '2027-03-21T10:00:00', { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] }));
    const [first] = (await call('GET', `${EVENTS}/${id}/instances`)).body.items;
    expect(first.etag).toBe(etag);
    expect((await conditional('PATCH', first.id, etag, { summary: 'made late' })).status).toBe(200);
    expect((await conditional('PATCH', first.id, etag, { summary: 'made later' })).status).toBe(412);
  });

  it('keeps a visibility, and refuses one that there isn’t', async () => {
    const made = await insert(timed('2027-03-21T09:00:00', '2027-03-21T10:00:00', { visibility: 'private' }));
    expect(made.visibility).toBe('private');
    expect((await call('PATCH', `${EVENTS}/${made.id}`, { visibility: 'secret' })).status).toBe(400);
  });
});
