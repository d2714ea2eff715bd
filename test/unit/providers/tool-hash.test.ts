import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/providers/mcp/source-settings.ts';
import { toolHash } from '../../../src/providers/mcp/tool-hash.ts';

const DEFINITION: ToolDefinition = {
  name: 'find',
  title: 'Find',
  description: 'Finds tickets.',
  inputSchema: { type: 'object', properties: { query: { type: 'string', enum: ['a', 'b'] }, limit: { type: 'number', default: 5 } } },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  _meta: { own: [1, null] },
};

it('is of the canonical JSON of the whole definition, behind the name of the formula', () => {
  // Written out: another formula needs another name, so that no definition that was approved is held because of an upgrade.
  const canonical =
    '{"_meta":{"own":[1,null]},"annotations":{"readOnlyHint":true},"description":"Finds tickets.","inputSchema":{"properties":{"limit":{"default":5,"type":"number"},"query":{"enum":["a","b"],"type":"string"}},"type":"object"},"name":"find","outputSchema":{"type":"object"},"title":"Find"}';
  expect(toolHash(DEFINITION)).toBe(`tool.v1:${createHash('sha256').update(`tool.v1${canonical}`).digest('hex')}`);
});

it('is the same whatever the order of members', () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, reversed(member)]),
    );
  };
  expect(toolHash(reversed(DEFINITION) as ToolDefinition)).toBe(toolHash(DEFINITION));
});

it.each<[string, Partial<ToolDefinition>]>([
  ['name', { name: 'Find' }],
  ['title', { title: 'Find ' }],
  ['description', { description: 'Finds tickets.\u200b' }],
  ['arguments', { inputSchema: { ...DEFINITION.inputSchema, required: [] } }],
  ['order of a list in them', { inputSchema: { type: 'object', properties: { query: { type: 'string', enum: ['b', 'a'] } } } }],
  ['result', { outputSchema: { type: 'object', title: 'x' } }],
  ['hints', { annotations: { readOnlyHint: true, ofTheirOwn: false } }],
  ['metadata', { _meta: { own: [1] } }],
])('is another one with another %s', (_what, change) => {
  expect(toolHash({ ...DEFINITION, ...change })).not.toBe(toolHash(DEFINITION));
});
