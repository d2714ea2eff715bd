import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callsTools, ScriptedModel, says } from '../../support/emulators/scripted-model.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';
import { FrontEnd, toolParts } from '../../support/scenes/chat-scene.ts';
import { surfaces } from '../../support/scenes/surfaces.ts';
import { ToolScene, type ToolUser } from '../../support/scenes/tool-scene.ts';
import { callAction } from '../../support/users/agents.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const object = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});
const TOOLS = [
  { name: 'list', inputSchema: object() },
  { name: 'read', inputSchema: object('id') },
  { name: 'close', inputSchema: object('id') },
];
const FILE = sourceFile(
  '{ url: "https://mcp.example.com/mcp", label: Tickets }',
  'list: { tool: list, effect: read }',
  'read: { tool: read, effect: read }',
  'close: { tool: close, effect: write, policy: { approval: never } }',
);

let model: ScriptedModel;
let scene: ToolScene;
let user: ToolUser;

beforeAll(async () => {
  model = await ScriptedModel.start();
  scene = await ToolScene.start(FILE, { MODELS: model.models() });
  scene.listed.set('tickets', TOOLS);
});

beforeEach(async () => {
  model.reset();
  scene.calls.length = 0;
  user = await scene.user('tickets');
});

afterAll(async () => {
  await scene.steward.stop();
  await model.stop();
});

/** The code with which a call ends, by the surface through which it is made. */
const SURFACES = surfaces(() => model).map(({ name, calls }): [string, (action: string, input: object) => Promise<string | undefined>] => [
  name,
  async (action, input) => (await calls(scene, user, [{ action, input }]))[0],
]);

describe.each(SURFACES)('through %s', (_name, call) => {
  it('one tool is called and then another, without a question, and both calls are on record', async () => {
    expect([await call('tickets.list', {}), await call('tickets.read', { id: '1' })]).toEqual(['ok', 'ok']);
    expect(scene.calls).toEqual([
      { tool: 'list', args: {} },
      { tool: 'read', args: { id: '1' } },
    ]);
    expect((await scene.trail(user)).filter((row) => row.includes('tickets.'))).toEqual([
      expect.stringMatching(/ tickets\.list allowed$/),
      expect.stringMatching(/ tickets\.read allowed$/),
    ]);
  });

  it('a change of an account that is read-only is not made, and is on record', async () => {
    const set = await scene.steward.call('/read-only', {
      method: 'POST',
      token: user.token,
      headers: JSON_TYPE,
      body: JSON.stringify({ account_id: user.accounts.tickets }),
    });
    expect(set.status).toBeLessThan(300);
    expect(await call('tickets.close', { id: '1' })).toBe('forbidden');
    expect(scene.calls).toEqual([]);
    expect((await scene.trail(user)).filter((row) => row.includes('tickets.close'))).toEqual([
      expect.stringMatching(/ tickets\.close refused$/),
    ]);
  });
});

describe.each(SURFACES)('through %s', (_name, call) => {
  it('a tool that has changed is not called, and is on record', async () => {
    scene.listed.set(
      'tickets',
      TOOLS.map((tool) => ({ ...tool, title: 'Other' })),
    );
    await scene.list(user, 'tickets', user.accounts.tickets ?? '');
    scene.listed.set('tickets', TOOLS);
    expect(await call('tickets.read', { id: '1' })).toBe('forbidden');
    expect(scene.calls).toEqual([]);
    expect((await scene.trail(user)).filter((row) => row.includes('tickets.read'))).toEqual([
      expect.stringMatching(/ tickets\.read refused$/),
    ]);
  });
});

it('a tool that there is not is refused without the names of those that the model is not told of, and is on record', async () => {
  const other = await scene.user();
  model.script(callsTools([{ name: 'tickets_drop', input: {} }]), says('Done.'));
  const { message } = await new FrontEnd(scene.steward, other as never, 'DefaultChatTransport').say('Go');
  expect(toolParts(message)).toMatchObject([{ toolName: 'tickets_drop', errorText: expect.stringContaining('unavailable tool') }]);
  expect(JSON.stringify(message)).not.toContain('tickets_read');
  expect(model.requests[0]?.tools ?? []).toEqual([]);
  expect((await scene.trail(other)).filter((row) => row.includes('tickets'))).toEqual(['assistant tickets_drop refused']);
});

describe('a reload of the integrations file', () => {
  afterEach(() => scene.reload(FILE));

  it('ends a call whose action it removes, or switches off', async () => {
    for (const change of [
      FILE.replace(/ {6}read: .*\n/, ''),
      FILE.replace('effect: read }', 'effect: read, policy: { enabled: false } }'),
    ]) {
      await scene.reload(FILE);
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      scene.answer = () => {
        begin();
        return new Promise(() => {});
      };
      const action = change.includes('enabled') ? 'tickets.list' : 'tickets.read';
      const call = callAction(scene.steward, action, {}, { token: user.token });
      call.catch(() => {});
      await begun;
      await scene.reload(change);
      await expect(call).rejects.toMatchObject({ code: change.includes('enabled') ? 'forbidden' : 'not_found' });
    }
    scene.answer = ({ tool }) => ({ text: `did ${tool}`, isError: false });
  });

  it('gives a tool other fixed arguments', async () => {
    await scene.reload(FILE.replace('tool: read, effect: read', 'tool: read, effect: read, with: { id: "7" }'));
    await callAction(scene.steward, 'tickets.read', {}, { token: user.token });
    expect(scene.calls).toEqual([{ tool: 'read', args: { id: '7' } }]);
  });

  it('holds a tool that it pins by another hash than its server’s', async () => {
    await scene.reload(FILE.replace('tool: read, effect: read', `tool: read, effect: read, hash: "tool.v1:${'0'.repeat(64)}"`));
    const held = callAction(scene.steward, 'tickets.read', {}, { token: user.token });
    await expect(held).rejects.toMatchObject({ code: 'forbidden', details: { reason: 'tool_held', state: 'held' } });
    expect(scene.calls).toEqual([]);
  });
});
