import { beforeAll, describe, expect, it } from 'vitest';
import type { Catalog } from '../../../src/integrations/catalog.ts';
import { createIntegrationsFormat } from '../../../src/integrations/compile-catalog.ts';
import { parseIntegrations } from '../../../src/integrations/file/integrations-file.ts';
import { PROVIDERS } from '../../../src/providers/providers.ts';
import { sourcesOfSandbox } from '../../../src/startup/open-sandbox.ts';

const URL_OF_SANDBOX = 'http://127.0.0.1:8080/sandbox/tickets/mcp';
const FILE = `version: 1
sources:
  other: { url: "https://mcp.example.com/mcp", label: Other }
  tickets: { url: sandbox, label: Tickets }
agents:
  mail: { provider: workspace, description: Mail., scopes: [mail.modify], actions: { search: { use: mail.search } } }
  other: { provider: mcp, source: other, description: Others., actions: { go: { tool: go, effect: read } } }
  tickets: { provider: mcp, source: tickets, description: Tickets., actions: { read: { tool: read_ticket, effect: read } } }
`;

describe('the source that the sandbox plays', () => {
  let catalog: Catalog;

  beforeAll(async () => {
    catalog = await parseIntegrations(FILE, 'integrations.yaml', createIntegrationsFormat(PROVIDERS));
  });

  it('has the sandbox’s address; others stay as they are', () => {
    const played = sourcesOfSandbox(URL_OF_SANDBOX)(catalog);
    expect(played.sources.get('tickets')).toEqual({ ...catalog.sources.get('tickets'), url: URL_OF_SANDBOX });
    expect(played.sources.get('other')).toBe(catalog.sources.get('other'));
    expect([...played.actions.keys()]).toEqual([...catalog.actions.keys()]);
  });

  it('is not there without the sandbox, and neither are its agents; all else stays', () => {
    const played = sourcesOfSandbox(undefined)(catalog);
    const names = ({ sources, agents, actions, tools }: Catalog) => [sources, agents, actions, tools].flatMap((map) => [...map.keys()]);
    expect(names(played)).toEqual(names(catalog).filter((name) => !name.startsWith('tickets')));
    expect(played.actions.has('other.go')).toBe(true);
  });

  it('is looked for once in each catalog', () => {
    const play = sourcesOfSandbox(URL_OF_SANDBOX);
    expect(play(catalog)).toBe(play(catalog));
    const without = { ...catalog, sources: new Map() };
    expect(play(without)).toBe(without);
  });
});
