import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ApiScene, startApiScene } from '../../../support/scenes/api-scene.ts';
import { linkBank } from '../../../support/scenes/flows.ts';
import { newToken } from '../../../support/scenes/mcp-scene.ts';
import { approve } from '../../../support/users/askers.ts';
import type { ConnectedGrant } from '../../../support/users/refreshing.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';
const JSON_TYPE = { 'content-type': 'application/json' };
const SHARED = '; those with whom the calendar is shared may see it, too';
const PRIVATE = '; as a private event: those with whom the calendar is shared see only its time';
const NEW = { title: 'Rent', start: '2027-05-03T09:00Z', end: '2027-05-03T10:00Z' };
const TEXTS: [string, object][] = [
  ['title', { title: 'Rent' }],
  ['description', { description: 'Balance: 12' }],
  ['location', { location: 'At home' }],
];
const TIMES: [string, object][] = [
  ['start', { start: '2027-05-04T09:00Z' }],
  ['end', { end: '2027-05-04T11:00Z' }],
  ['recurrence', { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }],
];

let scene: ApiScene;
let me: ConnectedGrant;
let client: string;

beforeAll(async () => {
  scene = await startApiScene();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  me = await scene.connect();
  await linkBank(scene.steward, me.token);
  client = (await newToken(scene.steward, me)).token;
  scene.api.reset();
});

const call = async (action: string, input: object, token = client) =>
  (await scene.steward.call(`/agents/${action}`, { token, body: JSON.stringify(input), headers: JSON_TYPE })).body;
const update = (change: object, token = client) => call('calendar.update', { id: 'e1', ...change }, token);

/** The provider has an event of the account's, with other fields, and takes whatever is sent. */
function having(more: object = {}): void {
  const at = (hour: string) => ({ dateTime: `2027-05-03T${hour}:00:00Z`, timeZone: 'Europe/Berlin' });
  const self = { email: me.email, self: true };
  const body = { id: 'e1', status: 'confirmed', summary: 'x', start: at('09'), end: at('10'), creator: self, organizer: self, ...more };
  scene.api.on(`${EVENTS}/e1`, { body });
  scene.api.on(EVENTS, { body });
}
/** What the provider was sent as visibility with each change. */
const sent = () => scene.api.calls.filter(({ method }) => method !== 'GET').map(({ body }) => body.visibility);

async function readOthers(token = client): Promise<void> {
  scene.api.on(`${EVENTS}/e2`, {
    body: {
      id: 'e2',
      start: { date: '2027-05-03' },
      end: { date: '2027-05-04' },
      organizer: { email: 'zoe@example.org' },
    },
  });
  expect((await call('calendar.get', { id: 'e2' }, token)).meta.labels.integrity).toBe('others');
}

async function readBank(token = client): Promise<void> {
  expect((await call('bank.balances', {}, token)).meta.labels.confidentiality).toBe('financial');
}

/** The only question that waits for the user. */
async function asked(): Promise<any> {
  const { approvals } = (await scene.steward.call('/approvals', { token: me.token })).body;
  expect(approvals).toHaveLength(1);
  return approvals[0];
}

describe('a context that has read nothing', () => {
  it.each([undefined, 'public'])('changes texts and times, and no visibility: %s', async (visibility) => {
    having({ visibility });
    const change = Object.assign({}, ...[...TEXTS, ...TIMES].map(([, one]) => one));
    expect(await update(change)).toHaveProperty('data');
    expect(sent()).toEqual([undefined]);
  });

  it('makes events as the calendar’s are', async () => {
    having();
    expect(await call('calendar.create', NEW)).toHaveProperty('data');
    expect(sent()).toEqual([undefined]);
  });
});

describe.each([
  ['others’ text', readOthers],
  ['a bank’s data', readBank],
])('a context that has read %s', (_what, read) => {
  it('makes private events', async () => {
    having();
    await read();
    expect(await call('calendar.create', NEW)).toHaveProperty('data');
    expect(sent()).toEqual(['private']);
  });

  it.each(TEXTS)('makes an event without guests private with its %s', async (_field, change) => {
    having();
    await read();
    expect(await update(change)).toHaveProperty('data');
    expect(await update({ ...change, start: '2027-05-04T09:00Z' })).toHaveProperty('data');
    expect(sent()).toEqual(['private', 'private']);
  });

  it.each(TIMES)('leaves the visibility as it is with its %s', async (_field, change) => {
    await read();
    for (const visibility of [undefined, 'public', 'private']) {
      having({ visibility });
      expect(await update(change)).toHaveProperty('data');
    }
    expect(sent()).toEqual([undefined, undefined, undefined]);
  });

  it.each(['private', 'confidential'])('leaves it as it is if the user has chosen it: %s', async (visibility) => {
    having({ visibility });
    await read();
    for (const [, change] of TEXTS) expect(await update(change)).toHaveProperty('data');
    expect(sent()).toEqual([undefined, undefined, undefined]);
  });
});

describe('a public event whose texts are changed', () => {
  it.each(TEXTS)('is seen by unknown others, so that a client is asked about after others’ text: %s', async (_field, change) => {
    having({ visibility: 'public' });
    await readOthers();
    expect(await update(change)).toMatchObject({ code: 'approval_required' });
    const { id, summary, audience, notices } = await asked();
    expect(audience).toEqual([{ kind: 'unknown' }]);
    expect(notices).toContain('It could not be read who else will see this.');
    expect(summary).toMatch(new RegExp(`${SHARED}$`));
    expect(sent()).toEqual([]);
    expect(await approve(scene.steward, me.token, id)).toBe(200);
    expect(sent()).toEqual([undefined]);
  });

  it.each(TEXTS)('is refused for a client after a bank’s data, and asked about in person: %s', async (_field, change) => {
    having({ visibility: 'public' });
    await readBank();
    expect(await update(change)).toMatchObject({ code: 'forbidden' });
    await readBank(me.token);
    expect(await update(change, me.token)).toMatchObject({ code: 'approval_required', details: { audience: [{ kind: 'unknown' }] } });
    expect(sent()).toEqual([]);
  });
});

describe('the question about an event', () => {
  const guests = () => ({ attendees: [{ email: 'ana@example.org' }, { email: me.email, self: true }] });

  it.each([
    ['may be seen, since its guests see the text anyhow', undefined, { title: 'Rent' }, SHARED],
    ['may be seen, though it is only moved', undefined, { start: '2027-05-04T09:00Z' }, SHARED],
    ['is private already', 'private', { title: 'Rent' }, PRIVATE],
    ['is confidential, which the provider treats as private', 'confidential', { title: 'Rent' }, PRIVATE],
  ])('with guests says whether it %s', async (_what, visibility, change, words) => {
    having({ ...guests(), visibility });
    await readOthers();
    expect(await update(change)).toMatchObject({ code: 'approval_required' });
    const { id, summary } = await asked();
    expect(summary.endsWith(words)).toBe(true);
    await approve(scene.steward, me.token, id);
    expect(sent()).toEqual([undefined]);
  });

  it('that is new says that it becomes private, and it does once it is approved', async () => {
    having(guests());
    await readOthers();
    expect(await call('calendar.create', { ...NEW, attendees: ['ana@example.org'] })).toMatchObject({ code: 'approval_required' });
    const { id, summary } = await asked();
    expect(summary.endsWith(PRIVATE)).toBe(true);
    await approve(scene.steward, me.token, id);
    expect(sent()).toEqual(['private']);
  });
});
