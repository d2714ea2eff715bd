import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownIntegrations } from '../../../support/inputs/own-integrations.ts';
import { type ApiScene, startApiScene } from '../../../support/scenes/api-scene.ts';
import { type ClientCall, codeOf, financialAndOther } from '../../../support/scenes/labelled-clients.ts';
import { respond } from '../../../support/servers/scripted-server.ts';
import type { ConnectedGrant } from '../../../support/users/refreshing.ts';

const ANA = 'ana@partner.example';
const EVENTS = '/calendar/v3/calendars/primary/events';
const SECRET = 'Balance 1,234.00';
const FILE = `version: 1
defaults: { policy: { approval: destructive } }
agents:
  bank: { provider: bank, description: Bank., products: [transactions], actions: { balances: { use: bank.balances } } }
  calendar:
    provider: workspace
    description: Events.
    scopes: [calendar.events.owned]
    actions:
      update: { use: calendar.update }
      respond: { use: calendar.respond }
      get: { use: calendar.get }
      list: { use: calendar.list }
`;

let scene: ApiScene;
let me: ConnectedGrant;
let financial: ClientCall;
let other: ClientCall;

beforeAll(async () => {
  scene = await startApiScene({ INTEGRATIONS_FILE: ownIntegrations(FILE) });
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.api.reset();
  me = await scene.connect();
  ({ financial, other } = await financialAndOther(scene.steward, me));
});

const OWN = { status: 'confirmed', organizer: { self: true }, creator: { self: true } };
const TIMED = {
  start: { dateTime: '2027-03-21T09:00:00+01:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2027-03-21T10:30:00+01:00', timeZone: 'Europe/Berlin' },
};
const event = (more: object) => ({ ...OWN, id: 'e1', summary: 'Okapi', iCalUID: 'e1@google.com', ...TIMED, ...more });
const patches = () => scene.api.calls.filter(({ method }) => method === 'PATCH');

/** The question about a call, as the user sees it. */
async function asked(call: Promise<unknown>): Promise<{ approvalId: string; summary: string }> {
  expect(await codeOf(call)).toBe('approval_required');
  const [question] = await scene.steward.context.executor.approvals(me.userId);
  if (question === undefined) throw new Error('nothing was asked');
  return question;
}

async function approve({ approvalId }: { approvalId: string }): Promise<string> {
  const user = await scene.steward.context.sessions.authenticate(me.token);
  const decision = { user, surface: 'socket', approvalId, approved: true, signal: new AbortController().signal };
  return codeOf(scene.steward.context.executor.approve(decision));
}

describe('the question about an invitation to an event', () => {
  it('shows all that the guest will read: the title, the end, files and comments', async () => {
    const attendees = [{ email: me.email, self: true, comment: 'The salaries are in the file' }];
    const attachments = [{ title: 'Salaries 2027', fileUrl: 'https://drive.google.com/open?id=abc', fileId: 'abc' }];
    scene.api.on(`${EVENTS}/e1`, { body: event({ summary: `${'Okapi '.repeat(100)}IBAN`, attendees, attachments }) });
    const { summary } = await asked(other('calendar.update', { id: 'e1', add_attendees: [ANA] }));
    expect(summary).toContain('Okapi IBAN”');
    expect(summary).toContain('; until Sun, 21 Mar 2027, 10:30 Berlin time');
    expect(summary).toContain('the file “Salaries 2027” at “https://drive.google.com/open?id=abc”');
    expect(summary).toContain(`the comment of ${me.email} “The salaries are in the file”`);
  });

  it('shows the end that it will have', async () => {
    scene.api.on(`${EVENTS}/e1`, { body: event({}) });
    const { summary } = await asked(other('calendar.update', { id: 'e1', add_attendees: [ANA], start: '2027-03-22T12:00' }));
    expect(summary).toContain('; until Mon, 22 Mar 2027, 13:30 Berlin time');
  });

  it('shows the last of whole days', async () => {
    scene.api.on(`${EVENTS}/e1`, { body: event({ start: { date: '2027-03-21' }, end: { date: '2027-03-24' } }) });
    const { summary } = await asked(other('calendar.update', { id: 'e1', add_attendees: [ANA] }));
    expect(summary).toContain('; until Tue, 23 Mar 2027;');
  });

  const guest = (more: object) => ({ attendees: [{ email: 'ben@example.org', ...more }] });
  it.each([
    ['the user’s own comment', guest({ self: true, comment: '' }), guest({ self: true, comment: 'IBAN' })],
    ['a guest’s name', guest({}), guest({ displayName: 'IBAN' })],
    ['a property that guests’ programs see', {}, { extendedProperties: { shared: { note: 'IBAN' } } }],
  ])('ends if %s changed meanwhile', async (_what, before, change) => {
    scene.api.on(`${EVENTS}/e1`, { body: event(before) });
    const question = await asked(other('calendar.update', { id: 'e1', add_attendees: [ANA] }));
    scene.api.on(`${EVENTS}/e1`, { body: event(change) });
    expect(await approve(question)).toBe('conflict');
    expect(patches()).toEqual([]);
  });
});

it('the question about a time of a whole day names the calendar’s zone, and ends if that changed meanwhile', async () => {
  let timeZone = 'Europe/Berlin';
  scene.api.on(EVENTS, (response) => respond(response, { body: { timeZone, items: [] } }));
  const days = { start: { date: '2027-03-21' }, end: { date: '2027-03-22' } };
  scene.api.on(`${EVENTS}/e1`, { body: event({ ...days, attendees: [{ email: ANA }] }) });
  const times = { start: '2027-03-21T09:00', end: '2027-03-21T10:00' };
  const question = await asked(other('calendar.update', { id: 'e1', ...times }));
  expect(question.summary).toContain('start Sun, 21 Mar 2027, 09:00 Berlin time');
  timeZone = 'America/New_York';
  expect(await approve(question)).toBe('conflict');
  expect(patches()).toEqual([]);
});

describe('what a client wrote into an event after it had read a bank’s data', () => {
  it('is known in the events of a series that was split off another', async () => {
    const [series, instance] = ['abc_R20270321T080000', 'abc_20270322T080000Z'];
    const common = { ...OWN, ...TIMED, summary: SECRET, iCalUID: `${series}@google.com` };
    const part = { ...common, id: instance, recurringEventId: series };
    scene.api.on(EVENTS, { body: { timeZone: 'Europe/Berlin', items: [part] } });
    scene.api.on(`${EVENTS}/${series}`, { body: { ...common, id: series, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] } });
    scene.api.on(`${EVENTS}/${instance}`, { body: part });
    expect(await codeOf(financial('calendar.update', { id: series, scope: 'series', title: SECRET }))).toBe('done');
    expect(await codeOf(other('calendar.update', { id: instance, scope: 'series', add_attendees: [ANA] }))).toBe('forbidden');
    expect(await codeOf(other('calendar.update', { id: instance, add_attendees: [ANA] }))).toBe('forbidden');
    expect((await other('calendar.get', { id: instance })).meta.labels.confidentiality).toBe('financial');
    const range = { from: '2027-03-21T00:00', to: '2027-03-23T00:00' };
    expect((await other('calendar.list', range)).meta.labels.confidentiality).toBe('financial');
  });

  it('is known of such a series if it was written into one of its events', async () => {
    const [series, first, second] = ['abc_R20270321T080000', 'abc_20270322T080000Z', 'abc_20270323T080000Z'];
    const common = { ...OWN, ...TIMED, iCalUID: `${series}@google.com` };
    scene.api.on(EVENTS, { body: { timeZone: 'Europe/Berlin', items: [] } });
    scene.api.on(`${EVENTS}/${series}`, { body: { ...common, id: series, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] } });
    for (const id of [first, second]) scene.api.on(`${EVENTS}/${id}`, { body: { ...common, id, recurringEventId: series } });
    expect(await codeOf(financial('calendar.update', { id: first, title: SECRET }))).toBe('done');
    expect(await codeOf(other('calendar.update', { id: second, scope: 'series', add_attendees: [ANA] }))).toBe('forbidden');
    // Its guests see nothing of the first.
    expect(await codeOf(other('calendar.update', { id: second, add_attendees: [ANA] }))).toBe('approval_required');
  });

  it('is known as the comment of a response, which nobody else sees by the calendar’s sharing', async () => {
    scene.api.on(`${EVENTS}/e1`, { body: event({ attendees: [{ email: me.email, self: true }] }) });
    expect(await codeOf(financial('calendar.respond', { id: 'e1', answer: 'accepted', comment: SECRET }))).toBe('done');
    expect(patches().map(({ body }) => body.visibility)).toEqual(['private']);
    expect(await codeOf(other('calendar.update', { id: 'e1', add_attendees: [ANA] }))).toBe('forbidden');
  });
});
