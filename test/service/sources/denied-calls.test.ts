import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toolHash } from '../../../src/providers/mcp/tool-hash.ts';
import { ScriptedModel } from '../../support/emulators/scripted-model.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';
import { linkBank } from '../../support/scenes/flows.ts';
import { type SurfaceCall, surfaces } from '../../support/scenes/surfaces.ts';
import { ToolScene, type ToolUser } from '../../support/scenes/tool-scene.ts';

const schema = { type: 'object', properties: { id: { type: 'string' } } };
const LIST = { name: 'list', inputSchema: { type: 'object' } };
const READ = { name: 'read', inputSchema: schema };
const CLOSE = { name: 'close', inputSchema: schema };
const TOOLS = [LIST, READ, CLOSE];
const FILE = sourceFile(
  '{ url: "https://mcp.example.com/mcp", label: Tickets }',
  'list: { tool: list, effect: read }',
  'read: { tool: read, effect: read }',
  'close: { tool: close, effect: write, policy: { approval: never } }',
  'off: { tool: close, effect: write, policy: { enabled: false } }',
  'one: { tool: read, effect: read, policy: { allow: { id: ["1"] } } }',
).replace('agents:\n', 'agents:\n  bank: { provider: bank, description: Balances., products: [auth] }\n');

let model: ScriptedModel;
let scene: ToolScene;
let user: ToolUser;
let grant: object;

beforeAll(async () => {
  model = await ScriptedModel.start();
  // A list without the tools of sources, so that models call them through call_tool, too.
  scene = await ToolScene.start(FILE, { MODELS: model.models(), LIMIT_TOOL_LIST_TOOLS: '1' });
});

beforeEach(async () => {
  grant = {};
  model.reset();
  scene.calls.length = 0;
  scene.listed.set('tickets', TOOLS);
  user = await scene.user('tickets');
});

afterAll(async () => {
  await scene?.steward.stop();
  await model.stop();
});

const SURFACES = surfaces(
  () => model,
  () => grant,
);
const account = () => user.accounts.tickets ?? '';
const trailOf = async (action: string) =>
  (await scene.trail(user)).flatMap((row) => row.match(new RegExp(` ${action} (\\w+)$`))?.[1] ?? []);
const list = async (...tools: typeof TOOLS) => {
  scene.listed.set('tickets', tools);
  await scene.list(user, 'tickets', account());
};

interface Denial {
  what: string;
  call: SurfaceCall;
  code: string;
  prepare(): Promise<unknown>;
}

const DENIALS: Denial[] = [
  {
    what: 'a change of a connection that is read-only',
    call: { action: 'tickets.close', input: { id: '1' } },
    code: 'forbidden',
    prepare: () =>
      scene.steward.call('/read-only', {
        token: user.token,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ account_id: account() }),
      }),
  },
  {
    what: 'an action that the operator has switched off',
    call: { action: 'tickets.off', input: { id: '1' } },
    code: 'forbidden',
    prepare: async () => {},
  },
  {
    what: 'arguments that an allow-list leaves out',
    call: { action: 'tickets.one', input: { id: '2' } },
    code: 'forbidden',
    prepare: async () => {},
  },
  {
    what: 'a tool that is held',
    call: { action: 'tickets.read', input: { id: '1' } },
    code: 'forbidden',
    prepare: () => list(LIST, { ...READ, title: 'Other' } as typeof READ, CLOSE),
  },
  {
    what: 'a tool that its user has blocked',
    call: { action: 'tickets.read', input: { id: '1' } },
    code: 'forbidden',
    prepare: async () => (await scene.steward.context.sourceTools()).decide(user.userId, account(), 'read', 'block', toolHash(READ)),
  },
  {
    what: 'a tool that its server lists no more',
    call: { action: 'tickets.read', input: { id: '1' } },
    code: 'forbidden',
    prepare: () => list(LIST, CLOSE),
  },
  {
    what: 'a tool of a source whose only connection has ended',
    call: { action: 'tickets.read', input: { id: '1' } },
    code: 'not_found',
    prepare: () => scene.steward.call(`/auth/sources/accounts/${account()}`, { method: 'DELETE', token: user.token }),
  },
  {
    what: 'a tool that there is not',
    call: { action: 'tickets.drop', input: {} },
    code: 'not_found',
    prepare: async () => {},
  },
];

describe.each(SURFACES)('through $name', ({ calls }) => {
  it.each(DENIALS)('$what is not called, and is on record once', async ({ call, code, prepare }) => {
    await prepare();
    expect(await calls(scene, user, [call])).toEqual([code]);
    expect(scene.calls).toEqual([]);
    const [recorded, ...others] = (await scene.trail(user)).filter((row) => row.endsWith(' refused'));
    expect(recorded).toMatch(/ tickets[._]\w+ refused$/);
    expect(recorded?.split(' ')[1]?.replace('_', '.')).toBe(call.action);
    expect(others).toEqual([]);
  });
});

describe.each(SURFACES.filter(({ caller }) => caller === 'client'))('through $name', ({ calls }) => {
  it.each<[string, object, string]>([
    ['names other actions only', { actions: ['tickets.list'] }, 'forbidden'],
    ['may only read', { access: 'read' }, 'forbidden'],
  ])('a call by a token that %s is not made, and is on record', async (_what, given, code) => {
    grant = given;
    expect(await calls(scene, user, [{ action: 'tickets.close', input: { id: '1' } }])).toEqual([code]);
    expect(scene.calls).toEqual([]);
    expect(await trailOf('tickets.close')).toEqual(['refused']);
  });

  it('a call by a token of another account is not made, and is on record', async () => {
    expect((await linkBank(scene.steward, user.token)).body).toEqual({ success: true });
    const [bank] = (await scene.steward.call('/auth/bank/accounts', { token: user.token })).body.accounts;
    grant = { accounts: [bank.id] };
    expect(await calls(scene, user, [{ action: 'tickets.read', input: { id: '1' } }])).toEqual(['not_found']);
    expect(scene.calls).toEqual([]);
    expect(await trailOf('tickets.read')).toEqual(['refused']);
  });
});

describe.each(SURFACES)('through $name', ({ caller, calls }) => {
  it('a read after a bank’s data is not made without the user in person, and is on record', async () => {
    expect((await linkBank(scene.steward, user.token)).body).toEqual({ success: true });
    const read = { action: 'tickets.read', input: { id: '1' } };
    const [bank, tickets] = await calls(scene, user, [{ action: 'bank.balances', input: {} }, read]);
    expect([bank, tickets]).toEqual(['ok', caller === 'person' ? 'approval_required' : 'forbidden']);
    expect(scene.calls).toEqual([]);
    expect(await trailOf('tickets.read')).toEqual([caller === 'person' ? 'approval_required' : 'refused']);
  });
});
