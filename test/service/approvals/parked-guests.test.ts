import { afterAll, beforeAll, expect, it } from 'vitest';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { rejectedWith } from '../../support/scenes/executor-scene.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { grantedThread } from '../../support/users/granted-thread.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';

let steward: TestSteward;
let me: Person;
let userId: string;

beforeAll(async () => {
  steward = await startSteward();
  me = await newPerson(steward);
  ({ userId } = await steward.context.sessions.authenticate(me.token));
});
afterAll(() => steward.stop());

/** A run asks to change an event; 48 hours later, something has happened to the event, and the user approves. */
async function approvedLater(change: (id: string) => Promise<unknown>) {
  const { body: event } = await me.google('POST', EVENTS, {
    summary: 'Lunch',
    start: { dateTime: '2027-03-22T12:00:00Z' },
    end: { dateTime: '2027-03-22T13:00:00Z' },
    attendees: [{ email: 'ana@example.org' }],
  });
  const thread = await grantedThread(steward, userId, { actions: ['calendar.update'] });
  const { signal } = new AbortController();
  const update = { user: { userId }, surface: 'assistant', thread, action: 'calendar.update', signal };
  const asked = await rejectedWith(
    steward.context.executor.invoke({ ...update, input: { id: event.id, title: 'Dinner' } }),
    'approval_required',
  );
  const approvalId = String(asked.details?.approvalId);
  await steward.sql(`update approvals set created_at = created_at - interval '48 hours', expires_at = expires_at - interval '48 hours'`);
  await change(event.id);
  const approval = { user: { userId }, surface: 'http', approvalId, approved: true, signal };
  const code = await steward.context.executor.approve(approval).then(
    () => 'done',
    (error) => error.code,
  );
  const { summary } = (await me.google('GET', `${EVENTS}/${event.id}`)).body;
  return { code, summary, waits: (await steward.context.executor.approvals(userId)).length };
}

it.each<[string, (id: string) => Promise<unknown>, object]>([
  ['is done where nothing has changed', async () => {}, { code: 'done', summary: 'Dinner', waits: 0 }],
  [
    'ends where a guest was added meanwhile',
    (id) => me.google('PATCH', `${EVENTS}/${id}`, { attendees: [{ email: 'ana@example.org' }, { email: 'eve@example.net' }] }),
    { code: 'conflict', summary: 'Lunch', waits: 0 },
  ],
  [
    'ends where the event was moved meanwhile',
    (id) =>
      me.google('PATCH', `${EVENTS}/${id}`, { start: { dateTime: '2027-03-23T12:00:00Z' }, end: { dateTime: '2027-03-23T13:00:00Z' } }),
    { code: 'conflict', summary: 'Lunch', waits: 0 },
  ],
])('a change of an event that the user approves 48 hours later %s', async (_what, change, expected) => {
  expect(await approvedLater(change)).toEqual(expected);
});
