import { readFileSync } from 'node:fs';
import { createIntegrationsFormat } from '../../src/integrations/compile-catalog.ts';
import { parseIntegrations } from '../../src/integrations/file/integrations-file.ts';
import { PROVIDERS } from '../../src/providers/providers.ts';
import { toTool } from '../../src/tools/callable-tools.ts';
import type { Tool } from '../../src/tools/tool.ts';

const format = createIntegrationsFormat(PROVIDERS);

/** The actions of an integrations file as tools of a user with one account; those of sources are defined by their servers. */
export async function toolsOf(source: string): Promise<Tool[]> {
  const catalog = await parseIntegrations(source, 'integrations.yaml', format);
  const own = [...catalog.actions.values()].filter(({ action }) => action.pinned === undefined);
  return Promise.all(own.map((configured) => toTool({ configured, choices: [] }, catalog)));
}

/** Every built-in action as a tool: the repository’s own file exposes them all. */
export function builtInTools(): Promise<Tool[]> {
  return toolsOf(readFileSync('integrations.yaml', 'utf8'));
}
