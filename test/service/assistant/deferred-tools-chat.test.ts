import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callsTools, ScriptedModel, says } from '../../support/emulators/scripted-model.ts';
import { FrontEnd, type Read, textOf, toolParts } from '../../support/scenes/chat-scene.ts';
import { CorpusScene, type SourcesUser } from '../../support/scenes/corpus-scene.ts';

const REPLY = { ticket: '7', body: 'Soon.' };

let model: ScriptedModel;
let scene: CorpusScene;
let ana: SourcesUser;

beforeAll(async () => {
  model = await ScriptedModel.start();
  scene = await CorpusScene.start({ MODELS: model.models() });
  ana = await scene.connect();
});
afterAll(async () => {
  await scene?.stop();
  await model.stop();
});
beforeEach(() => {
  model.reset();
  scene.reset();
});

const frontEnd = () => new FrontEnd(scene.steward, ana as never, 'DefaultChatTransport');
const via = (name: string, input: unknown) => ({ name: 'call_tool', input: { name, arguments: input } });

/** One call of the model, and what came of it. */
async function calling(call: { name: string; input: unknown }): Promise<Read & { part: Record<string, any>; told: string }> {
  model.script(callsTools([call]), says('Done.'));
  const read = await frontEnd().say('Go');
  const told = model.lastMessages.findLast(({ role }) => role === 'tool')?.content;
  return { ...read, part: toolParts(read.message)[0] ?? {}, told: String(told) };
}

describe('the assistant with 500 tools of 20 sources', () => {
  it('tells its model of two in their place, in at most 30 kB', async () => {
    await frontEnd().say('Hi');
    const [{ tools }] = model.requests as [{ tools: { function: { name: string } }[] }];
    expect(tools.map(({ function: { name } }) => name)).toEqual(['find_tools', 'call_tool']);
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(30_000);
  });

  it('finds tools, and calls one as itself, also in the next step and the next message', async () => {
    model.script(
      callsTools([{ name: 'find_tools', input: { query: 'reply to a customer’s ticket' } }]),
      callsTools([via('helpdesk_reply_to_ticket', REPLY)]),
      says('I have answered.'),
    );
    const page = frontEnd();
    const { message } = await page.say('Tell the customer of ticket 7 that it takes a while');
    expect(textOf(message)).toBe('I have answered.');
    const [finds, calls] = toolParts(message);
    expect(finds).toMatchObject({ toolName: 'find_tools', state: 'output-available', input: { query: 'reply to a customer’s ticket' } });
    expect(finds?.output.tools[0].name).toBe('helpdesk_reply_to_ticket');
    expect(calls).toMatchObject({ toolName: 'helpdesk_reply_to_ticket', state: 'output-available', input: REPLY });
    expect(calls?.output.data).toEqual({ did: 'reply_to_ticket' });
    expect(scene.ran).toEqual([{ action: 'helpdesk.reply_to_ticket', input: REPLY }]);
    expect((await page.stored()).messages).toEqual(page.messages);
    await page.say('Thanks');
    const names = model.lastMessages.flatMap(({ tool_calls: made = [] }) => made.map((one: any) => one.function.name));
    expect(names).toEqual(['find_tools', 'helpdesk_reply_to_ticket']);
  });

  it('calls a tool that its model names itself', async () => {
    const { part } = await calling({ name: 'helpdesk_get_ticket', input: { ticket: '7' } });
    expect(part).toMatchObject({ toolName: 'helpdesk_get_ticket', state: 'output-available' });
  });

  it('asks the user about the tool, and goes on after the decision', async () => {
    scene.setPolicy('helpdesk.reply_to_ticket', { approval: 'always' });
    model.script(callsTools([via('helpdesk_reply_to_ticket', REPLY)]));
    const page = frontEnd();
    const { message } = await page.say('Reply');
    const [part] = toolParts(message);
    expect(part).toMatchObject({ toolName: 'helpdesk_reply_to_ticket', state: 'approval-requested', input: REPLY });
    expect(part?.approval.descriptor).toMatchObject({ action: 'helpdesk.reply_to_ticket', input: REPLY });
    expect(scene.ran).toEqual([]);
    expect(await page.decide(part?.approval.id, true)).toBe(200);
    page.respond(part?.approval.id, true);
    model.script(says('Sent.'));
    const next = await page.submit();
    expect(toolParts(next.message)).toMatchObject([{ toolName: 'helpdesk_reply_to_ticket', state: 'output-available' }]);
    expect(scene.ran).toHaveLength(1);
  });

  it('tells its model the schema of arguments that were wrong', async () => {
    const { part, told } = await calling(via('helpdesk_reply_to_ticket', { text: 'Soon.' }));
    expect(part).toMatchObject({ toolName: 'helpdesk_reply_to_ticket', state: 'output-error' });
    expect(told).toContain('invalid_request: ticket: is missing.');
    expect(told).toContain('"required":["ticket","body"]');
  });

  it.each([
    [via('nothing', {})],
    [via('find_tools', { query: 'x' })],
    [{ name: 'nothing', input: {} }],
    [{ name: 'helpdesk.get_ticket', input: {} }],
  ])('says that there is no tool for %j, without a list of all', async (call) => {
    const { told } = await calling(call);
    expect(told).toContain('not_found: There is no tool');
    expect(told.length).toBeLessThan(300);
    expect(scene.ran).toEqual([]);
  });

  it.each([[{}], [{ name: 'helpdesk_get_ticket', arguments: 7 }]])('says what is wrong with the call %j', async (input) => {
    const { told, part } = await calling({ name: 'call_tool', input });
    expect(part).toMatchObject({ toolName: 'call_tool', state: 'output-error' });
    expect(told).toContain('invalid_request: ');
  });

  it('has the tool itself in the audit log, refused as well', async () => {
    scene.setPolicy('helpdesk.mark_as_spam', { rate: { calls: 1, perMs: 60_000 } });
    const call = via('helpdesk_mark_as_spam', { ticket: '8' });
    await calling(call);
    expect((await calling(call)).told).toContain('rate_limited');
    const rows = (await scene.trail(ana)).filter((row) => row.includes('mark_as_spam'));
    expect(rows).toEqual([
      'assistant helpdesk.mark_as_spam started',
      'assistant helpdesk.mark_as_spam allowed',
      'assistant helpdesk.mark_as_spam refused',
    ]);
  });
});
