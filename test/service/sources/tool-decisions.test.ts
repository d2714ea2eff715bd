import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/providers/mcp/source-settings.ts';
import { toolHash } from '../../../src/providers/mcp/tool-hash.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';
import { newToken } from '../../support/scenes/mcp-scene.ts';
import { ToolScene, type ToolUser } from '../../support/scenes/tool-scene.ts';

const FIND: ToolDefinition = { name: 'find', inputSchema: { type: 'object' } };
const CHANGED: ToolDefinition = { ...FIND, description: 'Finds more.' };
const FILE = sourceFile('{ url: "https://mcp.example.com/mcp", label: Tickets }', 'search: { tool: find, effect: read }');

let scene: ToolScene;
let user: ToolUser;

beforeAll(async () => {
  scene = await ToolScene.start(FILE);
});

beforeEach(async () => {
  await scene.reload(FILE);
  scene.listed.set('tickets', [FIND]);
  user = await scene.user('tickets');
  await list(CHANGED);
});

afterAll(() => scene.steward.stop());

const account = () => user.accounts.tickets ?? '';
const list = async (definition: ToolDefinition) => {
  scene.listed.set('tickets', [definition]);
  await scene.list(user, 'tickets', account());
};
const decide = (decision: string, hash: string, { token = user.token, tool = 'find' } = {}) =>
  scene.steward.call(`/auth/sources/accounts/${account()}/tools/${tool}`, { token, form: { decision, hash } });
const entries = async (token = user.token): Promise<Record<string, unknown>[]> =>
  (await scene.steward.call('/user/audit', { token })).body.entries;

describe('a decision on a tool of a source', () => {
  it('is in the user’s audit log, with the definition that was seen', async () => {
    await decide('block', toolHash(CHANGED));
    await decide('allow', toolHash(CHANGED));
    const common = { surface: 'http', client_id: null, action: 'tickets/find', account_id: account(), outcome: 'ok', count: 1 };
    expect(await entries()).toMatchObject([
      { ...common, decision: 'tool_allowed', definition_hash: toolHash(CHANGED) },
      { ...common, decision: 'tool_blocked', definition_hash: toolHash(CHANGED) },
    ]);
  });

  it('stays there when the source is disconnected, and in the export', async () => {
    await decide('allow', toolHash(CHANGED));
    const before = await entries();
    expect(before).toHaveLength(1);
    await scene.steward.call(`/auth/sources/accounts/${account()}`, { method: 'DELETE', token: user.token });
    expect(await entries()).toEqual(before);
    const exported = await scene.steward.call('/user/export', { token: user.token });
    expect(exported.body.audit_log.entries).toEqual(before);
  });

  it('is nobody else’s', async () => {
    const other = await scene.user('tickets');
    expect((await decide('allow', toolHash(CHANGED), { token: other.token })).status).toBe(404);
    await decide('allow', toolHash(CHANGED));
    expect(await entries(other.token)).toEqual([]);
  });

  it('that is refused leaves no row, and neither does another way to change a tool’s state', async () => {
    const { token } = await newToken(scene.steward, user);
    const before = await entries();
    expect((await decide('allow', toolHash(FIND))).body.code).toBe('conflict');
    expect((await decide('allow', toolHash(CHANGED), { tool: 'other' })).body.code).toBe('not_found');
    expect((await decide('allow', toolHash(CHANGED), { token })).status).toBe(403);
    await list(FIND);
    await scene.reload(FILE.replace('effect: read', `effect: read, hash: "${toolHash(FIND)}"`));
    expect((await decide('block', toolHash(FIND))).body.code).toBe('conflict');
    expect(await entries()).toEqual(before);
  });

  it('has no hash of a call’s', async () => {
    await decide('allow', toolHash(CHANGED));
    await scene.steward.call('/agents/tickets.search', {
      method: 'POST',
      token: user.token,
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect((await entries()).map(({ action, definition_hash: hash }) => [action, hash])).toEqual([
      ['tickets.search', null],
      ['tickets/find', toolHash(CHANGED)],
    ]);
  });
});
