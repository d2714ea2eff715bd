import { loadOnce } from '../concurrency/load-once.ts';
import type { FlowDeps } from '../connections/connector.ts';
import { RedirectUris } from '../connections/redirect-uri.ts';
import type { RecordEvent } from '../events/events.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { mcpDescriptor } from '../providers/mcp/mcp-descriptor.ts';
import { workspaceDescriptor } from '../providers/workspace/workspace-descriptor.ts';
import type { WorkspaceProvider } from '../providers/workspace/workspace-provider.ts';
import type { SourceDeps } from '../sources/source-deps.ts';
import type { ServiceSecrets } from '../vault/keys/service-secrets.ts';
import type { UserKeys } from '../vault/keys/user-keys.ts';
import type { Core } from './core.ts';
import type { OpenSourcesOptions } from './open-sources.ts';

interface Deps {
  userKeys: UserKeys;
  emit: RecordEvent;
  catalog(): Catalog;
}

/** Tools of sources. Nothing of them is loaded before the first account that has some. */
export function createSources({ db, clock }: Core, { userKeys, emit, catalog }: Deps) {
  const sourceTools = loadOnce(async () => {
    const [{ SourceTools }, { fileTools }, { recordToolDecision }] = await Promise.all([
      import('../sources/source-tools.ts'),
      import('../integrations/file-tools.ts'),
      import('../executor/audit/tool-decisions.ts'),
    ]);
    return new SourceTools({
      db,
      userKeys,
      emit,
      recordDecision: (tx, userId, decided) => recordToolDecision(tx, clock, userId, decided),
      fileTools: fileTools(catalog),
    });
  });
  const toolBinding = loadOnce(async () => {
    const { ToolBinding } = await import('../sources/tool-binding.ts');
    return new ToolBinding(await sourceTools(), clock);
  });
  return { sourceTools, toolBinding };
}

const READ_EVERY_MS = 10_000;

interface ConnectionDeps extends Omit<OpenSourcesOptions, 'mcp' | 'timeoutMs' | 'redirectUris'> {
  serviceSecrets: ServiceSecrets;
}

/** Connecting accounts. The code of it is loaded with the first flow. */
export function createConnections(core: Core, deps: ConnectionDeps) {
  const { config, clock, logger } = core;
  const { providers, publicUrl } = deps;
  const shared = { ...deps, redirectUris: new RedirectUris(config, publicUrl, clock, logger) };
  const workspace = providers.client(workspaceDescriptor);
  const openWorkspace = async (provider: WorkspaceProvider): Promise<FlowDeps> => {
    const { workspaceConnector } = await import('../workspace/workspace-connector.ts');
    return { ...shared, connector: workspaceConnector(provider, shared) };
  };
  const mcp = providers.client(mcpDescriptor);
  return {
    /** undefined: the provider is not configured. */
    workspace: workspace && loadOnce(() => openWorkspace(workspace.provider)),
    /** undefined: the provider is left out. */
    sources: mcp && sourceConnections(core, { ...shared, mcp, timeoutMs: config.limits.providerTimeoutMs }),
  };
}

/** Connections to sources. Nothing of them is loaded while the integrations file has none. */
function sourceConnections({ polls }: Core, deps: OpenSourcesOptions & { serviceSecrets: ServiceSecrets }) {
  const { db, mcp, serviceSecrets, catalog } = deps;
  mcp.keepClientsIn(async () => {
    const { storedClients } = await import('../sources/stored-clients.ts');
    return storedClients(db, serviceSecrets, () => catalog().sources);
  });
  let opened: SourceDeps | undefined;
  const open = loadOnce(async () => {
    const { openSources } = await import('./open-sources.ts');
    opened = await openSources(deps);
    return opened;
  });
  const readDue = async () => {
    if (catalog().sources.size > 0) await (await open()).listings.readDue();
  };
  return {
    open,
    /** Reads the tools that servers list. */
    readings: polls.create(readDue, { everyMs: READ_EVERY_MS, failure: 'tools of sources can’t be read; retrying' }),
    /** Waits for readings in progress. */
    settle: async () => opened?.listings.settle(),
  };
}
