import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../../../src/errors.ts';
import { callsTools, ScriptedModel } from '../../../support/emulators/scripted-model.ts';
import { newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { FrontEnd } from '../../../support/scenes/chat-scene.ts';
import { newToken } from '../../../support/scenes/mcp-scene.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';
import { McpClient } from '../../../support/users/mcp-client.ts';
import type { ConnectedGrant } from '../../../support/users/refreshing.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';
const JSON_TYPE = { 'content-type': 'application/json' };
const AT = { title: 'Lunch', start: '2027-03-21T09:00', end: '2027-03-21T10:00' };
const WEEKLY = { ...AT, recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'] };
const ANA = 'ana@example.org';

let model: ScriptedModel;
let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  model = await ScriptedModel.start();
  steward = await startSteward({ MODELS: model.models() });
});
afterAll(async () => {
  await steward.stop();
  await model.stop();
});
beforeEach(async () => {
  model.reset();
  me = await newPerson(steward);
});

const stored = async (id: string) => (await me.google('GET', `${EVENTS}/${id}`)).body;
const change = async (id: string, body: object) => expect((await me.google('PATCH', `${EVENTS}/${id}`, body)).status).toBe(200);
const create = async (input: object = AT): Promise<string> => (await me.act('calendar.create', input)).id;
const instances = async (id: string): Promise<any[]> => (await me.google('GET', `${EVENTS}/${id}/instances`)).body.items;

/** How each surface asks for a call. @returns the approval's id */
const SURFACES = {
  async socket(action: string, input: object) {
    const error: AppError = await callAction(steward, action, input, { token: me.token }).then(
      () => Promise.reject(new Error('it ran')),
      (rejection) => rejection,
    );
    expect(error.code).toBe('approval_required');
    return String(error.details?.approvalId);
  },
  async http(action: string, input: object) {
    const body = JSON.stringify(input);
    const response = await steward.call(`/agents/${action}`, { token: me.token, body, headers: JSON_TYPE });
    expect(response.body).toMatchObject({ code: 'approval_required' });
    return String(response.body.details.approvalId);
  },
  async mcp(action: string, input: object) {
    const { token } = await newToken(steward, me);
    const { message } = await new McpClient(steward, token).call(action.replace('.', '_'), input);
    return String(message.result.structuredContent.error.details.approvalId);
  },
  async assistant(action: string, input: object) {
    model.script(callsTools([{ name: action.replace('.', '_'), input }]));
    await new FrontEnd(steward, { token: me.token } as ConnectedGrant, 'DefaultChatTransport').say('Invite Ana.');
    const { approvals } = (await steward.call('/approvals', { token: me.token })).body;
    return String(approvals[0].id);
  },
};
type Surface = keyof typeof SURFACES;

/** The user's decision, at the service's own interface. */
async function approve(id: string) {
  const body = JSON.stringify({ approved: true });
  return steward.call(`/approvals/${id}`, { token: me.token, body, headers: JSON_TYPE });
}

const INVITE = { add_attendees: [ANA] };
const CHANGED = { status: 409, body: { code: 'conflict' } };

describe('an invitation that the user approves', () => {
  it.each(Object.keys(SURFACES) as Surface[])('runs as it was shown, and not if the event is another by then: %s', async (surface) => {
    const [same, other] = [await create(), await create()];
    const kept = await SURFACES[surface]('calendar.update', { id: same, ...INVITE });
    expect(await approve(kept)).toMatchObject({ status: 200 });
    expect((await stored(same)).attendees).toMatchObject([{ email: ANA }]);
    const changed = await SURFACES[surface]('calendar.update', { id: other, ...INVITE });
    await change(other, { summary: 'Another', description: 'Balance: 12' });
    expect(await approve(changed)).toMatchObject(CHANGED);
    expect(await stored(other)).not.toHaveProperty('attendees');
  });

  it.each([
    ['the title', { summary: 'Dinner' }],
    ['the end of a long title', { summary: `${'L'.repeat(3_000)}2` }],
    ['the description', { description: 'Balance: 12' }],
    ['the place', { location: 'Elsewhere' }],
    ['the day', { start: { dateTime: '2027-03-22T09:00:00', timeZone: 'Europe/Berlin' }, end: { dateTime: '2027-03-22T10:00:00' } }],
    ['who else is invited', { attendees: [{ email: 'eve@example.net' }] }],
    ['that it is private', { visibility: 'private' }],
    ['what is attached', { attachments: [{ fileUrl: 'https://drive.example/1', title: 'Salaries' }] }],
    ['whom guests may invite', { guestsCanInviteOthers: false }],
  ])('ends if only this changed meanwhile: %s', async (_what, body) => {
    const id = await create();
    await change(id, { summary: 'L'.repeat(3_000) });
    const approval = await SURFACES.http('calendar.update', { id, ...INVITE });
    await change(id, body);
    const before = await stored(id);
    expect(await approve(approval)).toMatchObject(CHANGED);
    expect(await stored(id)).toEqual(before);
  });

  it('runs if only a guest has answered, and if only what the user alone sees has changed', async () => {
    const id = await create({ ...AT, attendees: ['ben@example.org'] });
    const approval = await SURFACES.http('calendar.update', { id, ...INVITE });
    await change(id, { attendees: [{ email: 'ben@example.org', responseStatus: 'accepted', comment: 'Gladly' }], colorId: '5' });
    expect(await approve(approval)).toMatchObject({ status: 200 });
    expect((await stored(id)).attendees).toMatchObject([{ email: 'ben@example.org', responseStatus: 'accepted' }, { email: ANA }]);
  });
});

describe('an invitation to a series that the user approves', () => {
  it.each([
    ['the series', (id: string) => change(id, { description: 'Balance: 12' })],
    ['its rules', (id: string) => change(id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] })],
    ['one of its events', async (id: string) => change((await instances(id))[1].id, { description: 'Balance: 12' })],
    ['which of its events take place', async (id: string) => void (await me.google('DELETE', `${EVENTS}/${(await instances(id))[2].id}`))],
  ])('ends if it changed meanwhile: %s', async (_what, meddle) => {
    const id = await create(WEEKLY);
    const [first] = await instances(id);
    const approval = await SURFACES.socket('calendar.update', { id: first.id, scope: 'series', ...INVITE });
    await meddle(id);
    expect(await approve(approval)).toMatchObject(CHANGED);
    expect(await stored(id)).not.toHaveProperty('attendees');
  });

  it('of one event ends if that event, or the series behind it, changed meanwhile', async () => {
    const id = await create(WEEKLY);
    const [first, second] = await instances(id);
    const approvals = [];
    for (const one of [first, second]) approvals.push(await SURFACES.http('calendar.update', { id: one.id, ...INVITE }));
    await change(first.id, { location: 'Elsewhere' });
    expect(await approve(approvals[0] ?? '')).toMatchObject(CHANGED);
    await change(id, { location: 'Elsewhere' });
    expect(await approve(approvals[1] ?? '')).toMatchObject(CHANGED);
  });
});

describe('every other change of an event that the user approves', () => {
  const others = { ...AT, attendees: ['ben@example.org'] };
  const invitation = async () => {
    const { items } = await me.act('calendar.list', { query: 'Vertragsgespräch', from: '2020-01-01', to: '2030-01-01' });
    return items[0].id as string;
  };
  const deleted = async () => {
    const id = await create(others);
    await me.act('calendar.delete', { id });
    return id;
  };

  it.each([
    ['calendar.update', () => create(others), { title: 'Dinner' }],
    ['calendar.delete', () => create(others), {}],
    ['calendar.delete', () => create(), {}],
    ['calendar.respond', invitation, { answer: 'accepted', comment: 'Gladly' }],
  ] as const)('ends if the event changed meanwhile: %s', async (action, make, input) => {
    const id = await make();
    const approval = await SURFACES.http(action, { id, ...input });
    await change(id, { location: 'Elsewhere' });
    const before = await stored(id);
    expect(await approve(approval)).toMatchObject(CHANGED);
    expect(await stored(id)).toEqual(before);
  });

  it('ends if a deleted event changed before it is restored', async () => {
    const id = await deleted();
    const approval = await SURFACES.socket('calendar.restore', { id });
    await change(id, { status: 'confirmed', description: 'Balance: 12' });
    await me.google('DELETE', `${EVENTS}/${id}`);
    expect(await approve(approval)).toMatchObject(CHANGED);
    expect((await stored(id)).status).toBe('cancelled');
  });
});
