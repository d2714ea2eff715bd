import { afterAll, beforeAll, expect, it } from 'vitest';
import { FrontEnd, textOf, toolParts } from '../../support/scenes/chat-scene.ts';
import { connect } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

let steward: TestSteward;
let frontEnd: FrontEnd;

beforeAll(async () => {
  steward = await startSteward();
  const token = await steward.signIn('demo');
  await connect(steward, { token, email: 'demo@example.com' });
  frontEnd = new FrontEnd(steward, { token, email: 'demo@example.com', accountId: '', userId: '', grantId: '' }, 'WebSocketChatTransport');
});
afterAll(() => steward.stop());

it('the sandbox’s stand-in answers in development, where no model is configured', async () => {
  const { body } = await steward.call('/models', { token: frontEnd.user.token });
  expect(body.models).toEqual([{ name: 'stand-in', default: true, stand_in: true }]);
  const { message, error } = await frontEnd.say('Find the newest mail from Ana');
  expect(error).toBeUndefined();
  expect(toolParts(message)[0]).toMatchObject({
    toolName: 'mail_search',
    state: 'output-available',
    output: { meta: { integrity: 'others' } },
  });
  expect(textOf(message)).not.toBe('');
});

it('the stand-in proposes what is to be done later, and it is made once the user has approved', async () => {
  const { message } = await frontEnd.say('Every weekday at 8, brief me on my mail and meetings.');
  const [part] = toolParts(message).filter(({ state }) => state === 'approval-requested');
  expect(part?.approval.descriptor).toMatchObject({ action: 'automations.propose', account: '' });
  const { id } = part?.approval ?? {};
  expect(await frontEnd.decide(id, true)).toBe(200);
  frontEnd.respond(id, true);
  expect(textOf((await frontEnd.submit()).message)).toContain('is made');
  const { body } = await steward.call('/automations', { token: frontEnd.user.token });
  expect(body.automations).toMatchObject([
    {
      name: 'Brief me on my mail and meetings',
      trigger: { type: 'schedule', every: 'weekday', at: '08:00' },
      does: { type: 'prompt', prompt: 'Brief me on my mail and meetings' },
      actions: ['mail.search', 'mail.read', 'calendar.list', 'calendar.get'],
    },
  ]);
});

it('the stand-in’s mail waits for the user, and is sent once after the approval', async () => {
  const { message } = await frontEnd.say('Write to bob@example.com: see you at ten');
  const [part] = toolParts(message).filter(({ state }) => state === 'approval-requested');
  expect(part?.approval.descriptor).toMatchObject({ action: 'mail.send' });
  const { id } = part?.approval ?? {};
  expect(await frontEnd.decide(id, true)).toBe(200);
  frontEnd.respond(id, true);
  const next = await frontEnd.submit();
  expect(next.error).toBeUndefined();
  expect(toolParts(next.message).filter(({ state }) => state === 'output-available').length).toBeGreaterThan(0);
});
