import { afterAll, beforeAll, expect, it } from 'vitest';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { rejectedWith } from '../../support/scenes/executor-scene.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { callAction } from '../../support/users/agents.ts';

const EVENT = { title: 'Lunch', start: '2027-03-22T12:00', end: '2027-03-22T13:00', attendees: ['zoe@example.org'] };
const BERLIN = { ...EVENT, zone: 'Europe/Berlin' };
const LATER = { start: '2027-03-25T15:00', end: '2027-03-25T16:30' };

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward();
  me = await newPerson(steward);
});
afterAll(() => steward.stop());

/** Asks for a call, and approves it with other arguments. */
async function approveChanged(action: string, input: object, changed: object) {
  const { details } = await rejectedWith(callAction(steward, action, input, { token: me.token }), 'approval_required');
  const { approvalId } = details as { approvalId: string };
  const [headers, body] = [{ 'content-type': 'application/json' }, JSON.stringify({ approved: true, input: changed })];
  return (await steward.call(`/approvals/${approvalId}`, { token: me.token, headers, body })).body;
}

it.each([
  ['in the calendar’s zone', EVENT, { ...EVENT, ...LATER }],
  ['in a zone of its own', BERLIN, { ...BERLIN, ...LATER }],
  ['and its zone', { ...BERLIN, zone: 'Asia/Tokyo' }, { ...BERLIN, ...LATER }],
])('a new event runs at the times that the user has put in place of those asked about, %s', async (_name, input, changed) => {
  expect((await approveChanged('calendar.create', input, changed)).data).toMatchObject({
    start: '2027-03-25T15:00:00+01:00',
    end: '2027-03-25T16:30:00+01:00',
  });
});

it('an event is moved to the times that the user has put in place of those asked about', async () => {
  const { id } = (await approveChanged('calendar.create', EVENT, { ...EVENT, notify: false })).data;
  const moved = { id, start: '2027-03-23T12:00', notify: true };
  expect((await approveChanged('calendar.update', moved, { ...moved, ...LATER })).data).toMatchObject({
    start: '2027-03-25T15:00:00+01:00',
    end: '2027-03-25T16:30:00+01:00',
  });
});
