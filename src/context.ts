import type { BankDeps } from './bank/bank-deps.ts';
import { BankWebhooks } from './bank/bank-webhooks.ts';
import { ReadOnlySwitches } from './clients/read-only-switches.ts';
import type { Clock } from './clock/clock.ts';
import { Coalescer } from './concurrency/coalescer.ts';
import type { DatabaseTimeouts } from './database/database.ts';
import { withdrawn } from './executor/checks/call-checks.ts';
import { Executor } from './executor/executor.ts';
import { Allowances } from './executor/policy/allowances.ts';
import { allowedOrigins } from './http/middleware/allowed-origins.ts';
import type { Addresses } from './http/server/http-server.ts';
import type { VerifierOptions } from './identity/verifier.ts';
import { actionRevisions } from './integrations/action-revision.ts';
import type { Catalog } from './integrations/catalog.ts';
import { ReplicatedReload } from './integrations/reload/replicated-reload.ts';
import { McpEndpoint } from './mcp/mcp-endpoint.ts';
import { createNotifications } from './notifications/notifications.ts';
import type { FetchDocument } from './oauth/clients/client-documents.ts';
import type { Logger } from './observability/logger.ts';
import { bankDescriptor } from './providers/bank/bank-descriptor.ts';
import { openProviders } from './providers/open-providers.ts';
import type { ProviderDescriptor } from './providers/shared/provider.ts';
import { Admission, watchLoopUtilisation } from './rate-limit/admission.ts';
import { authenticators } from './startup/authenticators.ts';
import type { Core } from './startup/core.ts';
import { createAssistant } from './startup/create-assistant.ts';
import { namesOfAutomations } from './startup/create-automations.ts';
import { createClients } from './startup/create-clients.ts';
import { createEvents } from './startup/create-events.ts';
import { createSessions } from './startup/create-sessions.ts';
import { createConnections, createSources } from './startup/create-sources.ts';
import { createVault } from './startup/create-vault.ts';
import { type LoadSandbox, openSandbox, type Sandbox, sourcesOfSandbox } from './startup/open-sandbox.ts';
import { version } from './startup/version.ts';
import { absentKeyIds } from './vault/rotation/check-keys.ts';

/** Replacements that tests and development inject. */
export interface Overrides {
  loadSandbox?: LoadSandbox;
  /** Instead of this machine's. */
  clock?: Clock;
  /** Connections of the ID token verifier. */
  identity?: Omit<VerifierOptions, 'clock' | 'logger'>;
  /** Replaces the catalog of the integrations file. */
  catalog?: (loaded: Catalog) => Catalog;
  logger?: Logger;
  /** Fetches the published documents of OAuth clients, instead of the internet. */
  fetchDocument?: FetchDocument;
  /** Instead of the providers of this release. */
  providers?: readonly ProviderDescriptor[];
  /** Share of its time that the event loop is not idle, instead of the measured one. */
  loopUtilisation?: () => number;
  /** Instead of those of requests. */
  databaseTimeouts?: DatabaseTimeouts;
  /** How often the job queue is polled, instead of every 2 seconds. */
  queuePollSeconds?: number;
}

/** What the process shares. */
export type Services = Awaited<ReturnType<typeof createContext>>;

/**
 * Wires the parts of the service, feature by feature.
 *
 * @param resources releases what was opened when disposed, also after a start that failed
 */
export async function createContext(core: Core, addresses: Addresses, overrides: Overrides, resources: AsyncDisposableStack) {
  const { config, clock, polls, logger, telemetry, db, keyring, integrations } = core;
  const { limits } = config;
  const { publicUrl } = addresses;
  const sandbox = await openSandbox(config, addresses, core, overrides.loadSandbox, resources);
  const providers = await openProviders(core.descriptors, config, sandbox, { publicUrl, limits, clock, telemetry });
  const catalog = catalogIn(core, overrides, sandbox);
  const events = createEvents(core);
  const vault = createVault(core, providers, events.events, catalog);
  const shared = { ...core, ...vault, ...events, providers, catalog, approvalUrl: (id: string) => `${publicUrl}/approvals/${id}` };
  const allowances = new Allowances(db, vault.userKeys, events.emit, catalog);
  const sources = createSources(core, shared);
  const { userLiveBalancesPerDay: livePerDay, parkedApprovalMs } = limits;
  const automationNames = namesOfAutomations(core, vault);
  const executor = new Executor({ ...shared, ...sources, allowances, automationNames, livePerDay, parkedApprovalMs });
  const { verifying, ...accounts } = createSessions(core, sandbox, overrides.identity, publicUrl);
  const clients = createClients(core, {
    ...events,
    fetchDocument: overrides.fetchDocument,
    publicUrl,
    ...accounts,
    verifying,
    executor,
    catalog,
  });
  const mcp = new McpEndpoint({
    ...shared,
    executor,
    limits,
    version: version(),
    stateKeys: () => clients.serviceSecrets.requestStateKeys(),
  });
  integrations.onChange(() => mcp.toolsChanged());
  integrations.onChange(() => vault.uses.endActions((action) => withdrawn(catalog(), action)));
  const bank = providers.client(bankDescriptor);
  const bankDeps: BankDeps = { ...shared, provider: bank?.provider, refreshes: new Coalescer(clock) };
  return {
    ...shared,
    ...accounts,
    ...clients,
    ...authenticators({ ...accounts, ...clients }),
    addresses,
    admission: createAdmission(core, overrides, resources),
    embedded: config.databaseUrl === undefined,
    ...sources,
    allowances,
    executor,
    mcp,
    ...createAssistant(core, { ...shared, executor, sandbox }),
    readOnlySwitches: new ReadOnlySwitches(db, events.emit, events.approvalExpiry),
    reloads: new ReplicatedReload(db, integrations, () => reconfigured(catalog(), events, allowances), polls, logger),
    /** Ids of the master keys that stored data requires and that this process does not have. */
    absentKeyIds: () => absentKeyIds(db, keyring),
    /** Whether pages of an origin may call the service. */
    allowsOrigin: allowedOrigins(config, publicUrl, clock, logger),
    ...createConnections(core, { ...shared, ...sources, ...clients, publicUrl }),
    notifications: createNotifications({ ...shared, ...clients, sandbox, publicUrl, automationNames }),
    bankDeps,
    webhooks: new BankWebhooks(bankDeps, bank?.webhookKeys),
    sandbox,
  };
}

/** Ends what was approved and allowed of actions that do something else now. */
async function reconfigured(catalog: Catalog, { approvalExpiry }: ReturnType<typeof createEvents>, allowances: Allowances): Promise<void> {
  const revisions = actionRevisions(catalog);
  await approvalExpiry.reconfigured(revisions);
  await allowances.reconfigured(revisions);
}

/** The integrations in effect, which tests change. */
function catalogIn({ integrations }: Core, overrides: Overrides, sandbox: Sandbox | undefined): () => Catalog {
  const played = sourcesOfSandbox(sandbox?.tickets.url);
  return () => {
    const current = played(integrations.current);
    return overrides.catalog?.(current) ?? current;
  };
}

/** What a saturated process does not take on. */
function createAdmission(
  { config, clock, db, telemetry }: Core,
  { loopUtilisation }: Overrides,
  resources: AsyncDisposableStack,
): Admission {
  const { busyLatencyMs, databaseQueueMs } = config.limits;
  const admission = new Admission({ latencyMs: busyLatencyMs, clock, onRefusal: (reason) => telemetry.count('refusal', reason) });
  const stop = watchLoopUtilisation((measured) => admission.sample(loopUtilisation?.() ?? measured, db.queueMs / databaseQueueMs));
  resources.defer(stop);
  return admission;
}
