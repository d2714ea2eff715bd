import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { callsTools, says } from '../../support/emulators/scripted-model.ts';
import { ChatScene, textOf } from '../../support/scenes/chat-scene.ts';
import { linkBank } from '../../support/scenes/flows.ts';

/** A result is not longer; five are too long for the model. */
const LONG = 'canary'.repeat(2_500);
const CALLS = 5;
let chat: ChatScene;

beforeAll(async () => {
  chat = await ChatScene.start({}, { contextTokens: 30_000 });
});
beforeEach(() => chat.reset());
afterAll(() => chat.stop());

/** What the model was sent in the last request, without the system text. */
function sent(): Record<string, any>[] {
  return chat.model.lastMessages.filter(({ role }) => role !== 'system');
}

/** Requests for a summary. */
function summaries(): Record<string, any>[] {
  return chat.model.requests.filter(({ messages }) => JSON.stringify(messages).includes('Summarize the conversation'));
}

it('a long conversation is shortened: results first, then a summary; their labels survive both', async () => {
  const frontEnd = await chat.frontEnd();
  chat.scene.work = async () => ({ text: LONG });
  const call = () => callsTools([{ name: 'test_run', input: {} }]);
  chat.model.script(...Array.from({ length: CALLS }, call), says('Read.'));
  await frontEnd.say('Read it again and again');
  // Within the run, the results of earlier steps gave way to the last.
  const results = () => sent().filter(({ role }) => role === 'tool');
  expect(results().map(({ content }) => content.includes(LONG))).toEqual([...Array(CALLS - 1).fill(false), true]);

  await frontEnd.say('Thanks');
  for (const { content } of results()) {
    expect(content).not.toContain('canary');
    expect(JSON.parse(content)).toMatchObject({
      omitted: expect.stringContaining('bytes'),
      meta: { integrity: 'others', confidentiality: 'private' },
    });
  }
  // What the user sees is complete.
  expect(JSON.stringify((await frontEnd.stored()).messages)).toContain(LONG);

  for (let turn = 0; turn < 3; turn += 1) await frontEnd.say(`${turn} ${'words '.repeat(3_000)}`);
  expect(summaries().length).toBeGreaterThan(0);
  const [summary] = sent();
  expect(summary?.role).toBe('user');
  expect(summary?.content).toMatch(/^Summary of the conversation so far.*"integrity":"others","confidentiality":"private"/);
  expect(sent().at(-1)?.content).toContain('2 words');
  expect(JSON.stringify(sent())).not.toContain('Read it again');

  // It is stored, and read at the next message.
  const before = chat.model.calls.length;
  expect(textOf((await frontEnd.say('And now?')).message)).toBe('Done.');
  expect(chat.model.calls.length).toBe(before + 1);
  expect(sent()[0]).toEqual(summary);
});

it('a second summary has the labels of what only the first one tells of', async () => {
  const frontEnd = await chat.frontEnd();
  await linkBank(chat.steward, frontEnd.user.token);
  chat.model.script(callsTools([{ name: 'bank_balances', input: {} }]), says('Read.'));
  // Each message alone leaves no room for what is before it.
  for (let turn = 0; turn < 3; turn += 1) await frontEnd.say(`${turn} ${'words '.repeat(10_000)}`);
  expect(summaries()).toHaveLength(2);
  expect(sent()[0]?.content).toMatch(/^Summary of the conversation so far.*"integrity":"others","confidentiality":"financial"/);
});
