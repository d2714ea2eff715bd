import type { FlowDeps } from '../connections/connector.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { McpClient } from '../providers/mcp/mcp-descriptor.ts';
import type { Providers } from '../providers/open-providers.ts';
import { sourceConnector } from '../sources/source-connector.ts';
import type { SourceDeps } from '../sources/source-deps.ts';
import type { SourceTools } from '../sources/source-tools.ts';
import { ToolListings } from '../sources/tool-listings.ts';
import type { GrantStatuses } from '../vault/grants/grant-status.ts';
import type { AccessTokens } from '../vault/refresh/access-tokens.ts';
import { grantAccess } from '../vault/refresh/grant-access.ts';

export interface OpenSourcesOptions extends Omit<FlowDeps, 'connector'> {
  mcp: McpClient;
  providers: Providers;
  tokens: AccessTokens;
  statuses: GrantStatuses;
  catalog(): Catalog;
  sourceTools(): Promise<SourceTools>;
  publicUrl: string;
  /** Time limit of one step at a server, milliseconds. */
  timeoutMs: number;
}

/** What connections to sources need, with all code of theirs: loaded with the first request or reading. */
export async function openSources(options: OpenSourcesOptions): Promise<SourceDeps> {
  const { mcp, providers, catalog } = options;
  const sources = () => catalog().sources;
  const [authorization, tools] = await Promise.all([mcp.authorization(), options.sourceTools()]);
  const listings = new ToolListings({
    ...options,
    tools,
    sources,
    session: (provider, grant, signal) => providers.session(provider, grant, signal),
    access: (grant) => grantAccess(options, grant),
  });
  const shared = { ...options, sources, fileTools: tools.fileTools, authorization, tools, listings };
  return { ...shared, connector: sourceConnector(shared) };
}
