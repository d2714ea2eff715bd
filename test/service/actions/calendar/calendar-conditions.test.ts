import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ApiScene, startApiScene } from '../../../support/scenes/api-scene.ts';
import { respond } from '../../../support/servers/scripted-server.ts';
import { callAction } from '../../../support/users/agents.ts';
import type { ConnectedGrant } from '../../../support/users/refreshing.ts';

const EVENT = '/calendar/v3/calendars/primary/events/e1';
const PRECONDITION_FAILED = {
  error: { code: 412, message: 'Precondition Failed', errors: [{ domain: 'global', reason: 'conditionNotMet', location: 'If-Match' }] },
};

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

const event = (more: object = {}) => ({
  id: 'e1',
  etag: '"7"',
  status: 'confirmed',
  summary: 'Lunch',
  start: { dateTime: '2027-05-03T09:00:00Z' },
  end: { dateTime: '2027-05-03T10:00:00Z' },
  organizer: { email: me.email, self: true },
  attendees: [{ email: me.email, self: true, responseStatus: 'needsAction' }],
  ...more,
});
const call = (action: string, input: object) => callAction(scene.steward, action, { id: 'e1', ...input }, { token: me.token });
const conditions = () => scene.api.calls.filter(({ method }) => method !== 'GET').map(({ headers }) => headers['if-match']);

/** The provider returns the event, and another response to a change of it. */
function changing(response: { status?: number; body: object }, more: object = {}): void {
  scene.api.on(EVENT, (answer, { method }) => respond(answer, method === 'GET' ? { body: event(more) } : response));
}

describe('a change of an event', () => {
  it.each([
    ['calendar.update', { title: 'Dinner' }],
    ['calendar.respond', { answer: 'accepted' }],
  ])('is made on condition that the event is as it was read: %s', async (action, input) => {
    changing({ body: event() });
    await call(action, input);
    expect(conditions()).toEqual(['"7"']);
  });

  it('isn’t made, and can be made again, if the event has changed since', async () => {
    changing({ status: 412, body: PRECONDITION_FAILED });
    await expect(call('calendar.update', { title: 'Dinner' })).rejects.toMatchObject({ code: 'conflict' });
    changing({ body: event({ etag: '"8"' }) }, { etag: '"8"' });
    await call('calendar.update', { title: 'Dinner' });
    expect(conditions()).toEqual(['"7"', '"8"']);
  });

  it.each([undefined, 'x', '"7"\r\nx-forged: 1', 'W/"7"', 7])('has no condition without a strong etag: %j', async (etag) => {
    changing({ body: event() }, { etag });
    await call('calendar.update', { title: 'Dinner' });
    expect(conditions()).toEqual([undefined]);
  });
});
