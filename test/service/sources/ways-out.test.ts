import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/providers/mcp/source-settings.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';
import { ToolScene, type ToolUser } from '../../support/scenes/tool-scene.ts';
import { callAction } from '../../support/users/agents.ts';

const FIND: ToolDefinition = { name: 'find', inputSchema: { type: 'object' } };
const FILE = sourceFile('{ url: "https://mcp.example.com/mcp", label: Tickets }', 'find: { tool: find, effect: read }');

let scene: ToolScene;
let user: ToolUser;
/** The same server, as somebody else. */
let other: string;

beforeAll(async () => {
  scene = await ToolScene.start(FILE);
  scene.listed.set('tickets', [FIND]);
});

beforeEach(async () => {
  user = await scene.user('tickets');
  other = await scene.connect(user, 'tickets', 'Others');
  scene.calls.length = 0;
});

afterAll(() => scene.steward.stop());

const find = (input: object, account?: string) =>
  callAction(scene.steward, 'tickets.find', input, { token: user.token, ...(account !== undefined && { account }) });
const rejection = (input: object) =>
  find(input).then(
    () => 'it ran',
    (error) => error.code,
  );
/** The server is told this after something was read that it does not know, and from then on without a question. */
async function allow(input: object): Promise<void> {
  await find({}, other);
  const { details } = await find(input).catch((error) => error);
  const body = JSON.stringify({ approved: true, remember_for: 7 });
  const headers = { 'content-type': 'application/json' };
  const decided = await scene.steward.call(`/approvals/${details.approvalId}`, { method: 'POST', token: user.token, headers, body });
  expect(decided.status).toBe(200);
  scene.calls.length = 0;
}

describe('an allowance of a read', () => {
  it.each([
    [{ words: ['a', 'b'] }, { words: ['b', 'a'] }],
    [{ words: ['a', 'b'] }, { words: ['a', 'b', 'b'] }],
    [{ words: ['a', 'b'] }, { words: [['a'], 'b'] }],
    [{ words: [{ is: 'a' }, { not: 'b' }] }, { words: [{ is: 'a', not: 'b' }] }],
    [{ words: ['a'] }, { words: ['a', {}, [], {}] }],
    [{ words: ['a'] }, { words: ['a', null, null] }],
    [{ words: 'a' }, { words: 'a', more: [] }],
    [{ words: ['1'] }, { words: [1] }],
  ])('%j is none of %j, by which a text can be spelled out', async (allowed, given) => {
    await allow(allowed);
    expect(await rejection(given)).toBe('approval_required');
    expect(await rejection(allowed)).toBe('it ran');
    expect(scene.calls).toEqual([{ tool: 'find', args: allowed }]);
  });
});

describe('the arguments of a call', () => {
  it('reach the server in one order, by which a text could be spelled out', async () => {
    await find({ b: { d: 1, c: 2 }, a: 1 });
    await find({ a: 1, b: { c: 2, d: 1 } });
    expect(scene.calls.map(({ args }) => JSON.stringify(args))).toEqual(['{"a":1,"b":{"c":2,"d":1}}', '{"a":1,"b":{"c":2,"d":1}}']);
  });
});

describe('the question about a call', () => {
  it('shows names of arguments whole: such that are too long are refused', async () => {
    await find({}, other);
    const whole = `${'a'.repeat(99)}z`;
    const { details } = await find({ [whole]: 'b', c: [{ [whole]: 'd' }] }).catch((error) => error);
    const labels = details.display.fields.map(({ label }: { label: string }) => label.toLowerCase());
    expect(labels).toEqual([whole, `c 1: ${whole}`]);
    for (const input of [{ [`${whole}z`]: 'b' }, { c: [{ [`${whole}z`]: 'd' }] }]) expect(await rejection(input)).toBe('invalid_request');
    expect(scene.calls).toHaveLength(1);
  });
});
