import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChatScene, type FrontEnd } from '../../support/scenes/chat-scene.ts';
import { linkBank } from '../../support/scenes/flows.ts';
import { type CallTo, callerOf, IN_PERSON, ON_BEHALF } from '../../support/users/callers.ts';

const ACTION = 'test.notify';
const ANA = 'ana@example.com';
const BANK_DATA = 'Before this, data of a bank was read.';

let chat: ChatScene;
let front: FrontEnd;

beforeAll(async () => {
  chat = await ChatScene.start();
});
afterAll(() => chat.stop());
beforeEach(async () => {
  chat.reset();
  chat.scene.policies.set(ACTION, { approval: 'never' });
  front = await chat.frontEnd();
  await linkBank(chat.steward, front.user.token);
});

const tell = (call: CallTo, ...to: string[]) => call(ACTION, { to });
const pending = async () => (await chat.steward.context.executor.approvals(front.user.userId)).map(({ notices }) => notices);

describe.each(IN_PERSON)('%s, after a bank’s data was read', (name) => {
  it('is asked before it goes to strangers, each time', async () => {
    const call = await callerOf(chat, front, name);
    expect((await call('bank.balances', {})).code).toBe('ok');
    const asked = await tell(call, ANA);
    expect(asked.code).toBe('approval_required');
    expect(await pending()).toEqual([expect.arrayContaining([BANK_DATA])]);
    expect(chat.scene.sent).toBe(0);
    expect(await front.decide(String(asked.approvalId), true)).toBe(200);
    expect(chat.scene.sent).toBe(1);
    expect((await tell(call, ANA)).code).toBe('approval_required');
  });

  it('is asked under an allowance, too, and can’t give one', async () => {
    const call = await callerOf(chat, front, name);
    chat.scene.policies.set(ACTION, { approval: 'destructive' });
    const first = await tell(call, ANA, 'zoe@example.com');
    await chat.scene.decide(front.user, String(first.approvalId), { rememberFor: 1 });
    expect((await tell(call, ANA)).code).toBe('ok');
    await call('bank.balances', {});
    const asked = await tell(call, ANA);
    expect(asked.code).toBe('approval_required');
    const remembered = chat.scene.decide(front.user, String(asked.approvalId), { rememberFor: 1 });
    await expect(remembered).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('a bank’s data was read') });
  });

  it.each([
    ['financial', { financial: 'deny' as const }],
    ['tainted', { tainted: 'deny' as const }],
  ])('is refused if the operator says so: %s: deny', async (_key, policy) => {
    const call = await callerOf(chat, front, name);
    await call('bank.balances', {});
    chat.scene.policies.set(ACTION, { approval: 'never', ...policy });
    expect((await tell(call, ANA)).code).toBe('forbidden');
    expect(await pending()).toEqual([]);
  });
});

describe.each(ON_BEHALF)('%s, after a bank’s data was read', (name) => {
  it('is refused, and asks nobody, whatever the key `financial` says', async () => {
    const call = await callerOf(chat, front, name);
    expect((await call('bank.balances', {})).code).toBe('ok');
    for (const financial of ['ask', 'deny'] as const) {
      chat.scene.policies.set(ACTION, { approval: 'never', financial });
      expect((await tell(call, ANA)).code).toBe('forbidden');
    }
    expect(await pending()).toEqual([]);
    // The user's own context has read nothing.
    await chat.scene.call(front.user, ACTION, { to: [ANA] });
    expect(chat.scene.sent).toBe(1);
  });

  it('is refused for what it asked before, though the user in person approves or edits it', async () => {
    chat.scene.policies.set(ACTION, { approval: 'destructive' });
    const call = await callerOf(chat, front, name);
    const { approvalId } = await tell(call, ANA, front.user.email);
    await call('bank.balances', {});
    expect(await front.decide(String(approvalId), true)).toBe(403);
    expect(await front.decide(String(approvalId), true, { to: ['zoe@example.com'] })).toBe(403);
    expect(chat.scene.sent).toBe(0);
    // To the user alone, it may go.
    expect(await front.decide(String(approvalId), true, { to: [front.user.email] })).toBe(200);
  });
});
