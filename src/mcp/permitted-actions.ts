import { isPermitted } from '../executor/call/client-grant.ts';
import type { ConfiguredAction } from '../integrations/catalog.ts';
import type { McpClient, McpDeps } from './mcp-deps.ts';

/** The actions that the client's grant permits, by the name of the built-in action that they are made of. */
export async function permittedActions(
  { catalog, executor, providers }: Pick<McpDeps, 'catalog' | 'executor' | 'providers'>,
  client: McpClient,
): Promise<Map<string, ConfiguredAction>> {
  const grant = await executor.client(client);
  const permitted = [...catalog().actions.values()].filter(
    (configured) => configured.policy.enabled && providers.isConfigured(configured.action.provider) && isPermitted(grant, configured),
  );
  return new Map(permitted.map((configured) => [configured.action.name, configured]));
}
