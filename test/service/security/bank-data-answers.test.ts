import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChatScene, type FrontEnd } from '../../support/scenes/chat-scene.ts';
import { linkBank } from '../../support/scenes/flows.ts';
import { type CallTo, callerOf, ON_BEHALF } from '../../support/users/callers.ts';

const EVENT = '/api/calendar/v3/calendars/primary/events/e1';
const ANSWER = { id: 'e1', answer: 'declined' };

let chat: ChatScene;
let front: FrontEnd;

beforeAll(async () => {
  chat = await ChatScene.start();
});
afterAll(() => chat.stop());
beforeEach(async () => {
  chat.reset();
  front = await chat.frontEnd();
  await linkBank(chat.steward, front.user.token);
  const body = {
    id: 'e1',
    status: 'confirmed',
    summary: 'Merger',
    start: { dateTime: '2027-05-03T09:00:00Z' },
    end: { dateTime: '2027-05-03T10:00:00Z' },
    organizer: { email: 'carla@partner.example', displayName: 'Carla' },
    attendees: [
      { email: 'carla@partner.example', displayName: 'Carla', organizer: true },
      { email: front.user.email, self: true, responseStatus: 'needsAction' },
    ],
  };
  chat.scene.provider.on(EVENT, { body });
});

const answer = (call: CallTo, more: object = {}) => call('calendar.respond', { ...ANSWER, ...more });
const answered = () => chat.scene.provider.callsOf(EVENT).filter(({ method }) => method !== 'GET').length;

describe.each(ON_BEHALF)('an invitation that %s answers', (name) => {
  it('is answered unasked', async () => {
    const call = await callerOf(chat, front, name);
    expect((await answer(call)).code).toBe('ok');
    expect(answered()).toBe(1);
  });

  it('isn’t answered after a bank’s data was read, with an error that tells nothing of the event', async () => {
    const call = await callerOf(chat, front, name);
    expect((await call('bank.balances', {})).code).toBe('ok');
    for (const more of [{}, { notify: true }, { comment: 'Balance: 12' }]) {
      const refused = await answer(call, more);
      expect(refused.code).toBe('forbidden');
      expect(refused.text).not.toMatch(/carla|partner|merger/i);
    }
    expect(answered()).toBe(0);
    expect(await chat.steward.context.executor.approvals(front.user.userId)).toEqual([]);
  });
});
