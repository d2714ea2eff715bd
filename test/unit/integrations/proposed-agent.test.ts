import { describe, expect, it } from 'vitest';
import { createIntegrationsFormat } from '../../../src/integrations/compile-catalog.ts';
import { parseIntegrations } from '../../../src/integrations/file/integrations-file.ts';
import { proposedAgent } from '../../../src/integrations/proposed-agent.ts';
import type { ToolDefinition } from '../../../src/providers/mcp/source-settings.ts';
import { toolHash } from '../../../src/providers/mcp/tool-hash.ts';
import { PROVIDERS } from '../../../src/providers/providers.ts';
import { fc } from '../../support/runner/property.ts';

const SOURCE = { url: 'https://mcp.tickets.example/mcp', auth: 'none' } as const;
const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({ name, inputSchema: { type: 'object' }, ...more });
const proposed = (tools: ToolDefinition[], unusable: { name: string; reason: string }[] = []) => proposedAgent(SOURCE, { tools, unusable });

/** The proposal as a file, which has to be valid. */
const compiled = (proposal: string) =>
  parseIntegrations(`version: 1\n${proposal}`, 'integrations.yaml', createIntegrationsFormat(PROVIDERS));

describe('the proposal for a server', () => {
  it('is a part of a file that can be pasted, with comments, guessed effects and hashes', async () => {
    const search = tool('searchTickets', { title: 'Search tickets', annotations: { readOnlyHint: true } });
    const add = tool('tickets.add', { description: 'Adds one.\nCarefully.', annotations: { destructiveHint: false } });
    const proposal = proposed([search, add, tool('delete')], [{ name: 'odd', reason: 'its schema is too large' }]);
    expect(proposal.split('\n').slice(2)).toEqual([
      'sources:',
      '  tickets:',
      '    url: https://mcp.tickets.example/mcp',
      '    auth: none',
      '    label: Tickets',
      'agents:',
      '  tickets:',
      '    provider: mcp',
      '    source: tickets',
      '    description: Tools of mcp.tickets.example.',
      '    actions:',
      '      # Search tickets',
      '      search_tickets:',
      '        tool: searchTickets',
      '        effect: read',
      `        hash: ${toolHash(search)}`,
      '      # Adds one. Carefully.',
      '      tickets_add:',
      '        tool: tickets.add',
      '        effect: write',
      `        hash: ${toolHash(add)}`,
      '      delete:',
      '        tool: delete',
      '        effect: destructive',
      `        hash: ${toolHash(tool('delete'))}`,
      '      # odd can’t be used: its schema is too large',
      '',
    ]);
    const { actions, sources } = await compiled(proposal);
    expect([...actions.keys()]).toEqual(['tickets.search_tickets', 'tickets.tickets_add', 'tickets.delete']);
    expect(sources.get('tickets')).toMatchObject({ auth: 'none', label: 'Tickets' });
  });

  it('is valid for a server without tools, and one without a telling name', async () => {
    expect((await compiled(proposed([]))).actions.size).toBe(0);
    const local = proposedAgent({ url: 'http://127.0.0.1:3000/mcp', auth: 'header' }, { tools: [tool('a')], unusable: [] });
    expect([...(await compiled(local)).sources.keys()]).toEqual(['source']);
  });

  it.each(['constructor', 'prototype', 'accounts', 'callback', 'null', 'true', 'on'])(
    'is valid for a host and a tool called %s',
    async (name) => {
      const proposal = proposedAgent({ url: `https://${name}.example/mcp`, auth: 'none' }, { tools: [tool(name)], unusable: [] });
      const { actions } = await compiled(proposal);
      expect([...actions.values()].map(({ action }) => action.pinned?.tool)).toEqual([name]);
    },
  );

  it('names each tool once, however alike or long their names are', async () => {
    const long = 'a'.repeat(100);
    const tools = [tool('a-b'), tool('a_b'), tool('A.B'), tool('日本'), tool('123'), tool(long), tool(`${long}b`), tool('x'.repeat(129))];
    const { actions } = await compiled(proposed(tools));
    expect([...actions.values()].map(({ action }) => action.pinned?.tool)).toEqual(tools.slice(0, -1).map(({ name }) => name));
  });

  it('is that, whatever the server says', async () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a\n  b: c', '# x', '*a', '&a', '"', "'", '\u2028x: y', '- x', '%', '{', '!!js', '\u0085z: q'),
    );
    const tools = fc.uniqueArray(fc.record({ name: hostile.filter((name) => name !== ''), title: hostile, description: hostile }), {
      selector: ({ name }) => name,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(tools, hostile, async (given, reason) => {
        const proposal = proposed(
          given.map(({ name, ...more }) => tool(name.toWellFormed(), more)),
          [{ name: reason, reason }],
        );
        const { agents, actions } = await compiled(proposal);
        expect([agents.size, actions.size]).toEqual([1, given.length]);
      }),
    );
  });
});
