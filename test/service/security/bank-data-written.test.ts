import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChatScene, type FrontEnd } from '../../support/scenes/chat-scene.ts';
import { linkBank } from '../../support/scenes/flows.ts';
import { type CallerName, callerOf, IN_PERSON, ON_BEHALF } from '../../support/users/callers.ts';

const CALLERS: readonly CallerName[] = [...IN_PERSON, ...ON_BEHALF];
const isInPerson = (name: CallerName) => (IN_PERSON as readonly string[]).includes(name);

let chat: ChatScene;
let front: FrontEnd;
let items = 0;

beforeAll(async () => {
  chat = await ChatScene.start();
});
afterAll(() => chat.stop());
beforeEach(async () => {
  chat.reset();
  front = await chat.frontEnd();
  await linkBank(chat.steward, front.user.token);
});

/** The id of what the next change writes. */
function nextItem(): string {
  items += 1;
  chat.scene.sending(200, { id: `item${items}` });
  return `item${items}`;
}

describe.each(CALLERS)('what %s wrote after it had read a bank’s data', (writer) => {
  it.each(CALLERS)('is not sent unasked by %s, nor are its copies', async (sender) => {
    const write = await callerOf(chat, front, writer);
    await write('bank.balances', {});
    const written = nextItem();
    expect((await write('test.copy', {})).code).toBe('ok');
    // One that has read nothing itself.
    const send = await callerOf(chat, front, sender);
    const expected = isInPerson(sender) ? 'approval_required' : 'forbidden';
    expect((await send('test.forward', { id: written })).code).toBe(expected);
    const copy = nextItem();
    expect((await send('test.copy', { of: [{ id: written }] })).code).toBe('ok');
    const last = await callerOf(chat, front, 'a token over HTTP');
    expect((await last('test.forward', { id: copy })).code).toBe('forbidden');
    expect(chat.scene.sent).toBe(1);
  });
});

describe('what nobody wrote after a bank’s data', () => {
  it.each(CALLERS)('is sent by %s as the policy says', async (sender) => {
    const send = await callerOf(chat, front, sender);
    expect((await send('test.forward', { id: 'other' })).code).toBe('ok');
  });
});
