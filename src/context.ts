import { Assistant } from './assistant/assistant.ts';
import { Threads } from './assistant/threads/threads.ts';
import type { BankDeps } from './bank/bank-deps.ts';
import { BankWebhooks } from './bank/bank-webhooks.ts';
import { isClientToken } from './clients/client-token.ts';
import { ClientTokens } from './clients/client-tokens.ts';
import { ReadOnlySwitches } from './clients/read-only-switches.ts';
import type { Clock } from './clock/clock.ts';
import { Coalescer } from './concurrency/coalescer.ts';
import type { ModelSettings } from './config/config.ts';
import { fakeModel } from './config/model-config.ts';
import type { DatabaseTimeouts } from './database/database.ts';
import { AppError } from './errors.ts';
import type { EventData } from './events/event-data.ts';
import { EventFeed } from './events/event-feed.ts';
import { Events, type RecordEvent } from './events/events.ts';
import { ApprovalExpiry } from './executor/approvals/approval-expiry.ts';
import { withdrawn } from './executor/checks/call-checks.ts';
import { ClientGrants } from './executor/client-grants.ts';
import { Executor } from './executor/executor.ts';
import { Allowances } from './executor/policy/allowances.ts';
import { bareCredential } from './http/access/require-credential.ts';
import { allowedOrigins } from './http/middleware/allowed-origins.ts';
import type { Addresses } from './http/server/http-server.ts';
import { createAccessTokenVerifier, createVerifier, type VerifierOptions } from './identity/verifier.ts';
import { actionRevisions } from './integrations/action-revision.ts';
import type { Catalog } from './integrations/catalog.ts';
import { ReplicatedReload } from './integrations/reload/replicated-reload.ts';
import { ExternalClients } from './mcp/external-clients.ts';
import { McpEndpoint } from './mcp/mcp-endpoint.ts';
import { MCP_PATH } from './mcp/mcp-routes.ts';
import { AuthorizationServer } from './oauth/authorization-server.ts';
import { ClientAccessTokens } from './oauth/client-access-tokens.ts';
import type { FetchDocument } from './oauth/clients/client-documents.ts';
import { Consents } from './oauth/consent/consents.ts';
import { describeError, type Logger } from './observability/logger.ts';
import type { Caller, FirstParty, Principal } from './principal.ts';
import { bankDescriptor } from './providers/bank/bank-descriptor.ts';
import { openProviders, type Providers } from './providers/open-providers.ts';
import type { ProviderDescriptor } from './providers/shared/provider.ts';
import { workspaceDescriptor } from './providers/workspace/workspace-descriptor.ts';
import { Admission, watchLoopUtilisation } from './rate-limit/admission.ts';
import { WebSessions } from './sign-in/web-sessions.ts';
import { createSignIn } from './startup/create-sign-in.ts';
import type { Foundation } from './startup/foundation.ts';
import { identitySettings, type LoadSandbox, openSandbox, type Sandbox } from './startup/open-sandbox.ts';
import { version } from './startup/version.ts';
import { Sessions } from './users/sessions.ts';
import { ActiveUses } from './vault/grants/active-uses.ts';
import { GrantStatuses } from './vault/grants/grant-status.ts';
import { Grants } from './vault/grants/grants.ts';
import type { RecordStatus } from './vault/grants/grants-repository.ts';
import { OrphanedTokenRevoker } from './vault/grants/orphaned-tokens.ts';
import { Revocations } from './vault/grants/revocations.ts';
import { ServiceSecrets } from './vault/keys/service-secrets.ts';
import { UserKeys } from './vault/keys/user-keys.ts';
import { AccessTokens } from './vault/refresh/access-tokens.ts';
import { absentKeyIds } from './vault/rotation/check-keys.ts';
import { RedirectUris } from './workspace/redirect-uri.ts';

const ID_TOKEN_REQUIRED = 'An ID token is required. A personal access token can only list and call actions.';

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
export async function createContext(foundation: Foundation, addresses: Addresses, overrides: Overrides, resources: AsyncDisposableStack) {
  const { config, clock, polls, logger, telemetry, db, keyring, names, integrations, descriptors } = foundation;
  const { publicUrl } = addresses;
  const sandbox = await openSandbox(config, addresses, foundation, overrides.loadSandbox, resources);
  const { limits } = config;
  const providers = await openProviders(descriptors, config, sandbox, { publicUrl, limits, clock, telemetry });
  const workspace = providers.client(workspaceDescriptor);
  const bank = providers.client(bankDescriptor);
  const keysMaxAge = config.identityKeysMaxAgeSeconds * 1_000;
  const identity = identitySettings(config, sandbox);
  const verifying = { keysMaxAge, ...overrides.identity, clock, logger, telemetry };
  const verifier = createVerifier(identity, verifying);
  const catalog = () => overrides.catalog?.(integrations.current) ?? integrations.current;

  const admission = createAdmission(foundation, overrides, resources);
  const notifications = createEvents(foundation);
  const vault = createVault(foundation, providers, notifications.events);
  const { userLiveBalancesPerDay: livePerDay } = limits;
  const sessions = new Sessions(db, verifier, names, config.allowedUsers);
  const allowances = new Allowances(db, vault.userKeys, notifications.emit, catalog);
  const assertAllowed = (email: string | null) => sessions.assertAllowed(email);
  const webSessions = new WebSessions(db, assertAllowed);
  const approvalUrl = (id: string) => `${publicUrl}/approvals/${id}`;
  const calling = { emit: notifications.emit, catalog, providers, livePerDay, allowances, approvalUrl };
  const executor = new Executor({ ...foundation, ...vault, ...calling });
  const shared = { db, clock, polls, logger, ...vault, emit: notifications.emit };
  const bankDeps: BankDeps = { ...shared, telemetry, provider: bank?.provider, refreshes: new Coalescer(clock) };
  const redirectUris = new RedirectUris(config, publicUrl, clock, logger);

  const accountIds = async (userId: string) => (await executor.accounts(userId)).map(({ id }) => id);
  const { emit, approvalExpiry } = notifications;
  const clientGrants = new ClientGrants({ db, ...notifications, catalog, accountIds });
  const clientTokens = new ClientTokens({ db, grants: clientGrants, assertAllowed });
  const threads = new Threads({ db, userKeys: vault.userKeys, approvalExpiry });
  const serviceSecrets = new ServiceSecrets(db, keyring);
  const authorizationServer = new AuthorizationServer({
    db,
    clock,
    publicUrl,
    secrets: serviceSecrets,
    clientGrants,
    assertAllowed,
    documentsPerMinute: limits.oauthDocumentsPerMinute,
    isDevelopment: config.environment === 'development',
    logger,
    fetchDocument: overrides.fetchDocument,
  });
  const reconfigured = async () => {
    const revisions = actionRevisions(catalog());
    await approvalExpiry.reconfigured(revisions);
    await allowances.reconfigured(revisions);
  };
  const clientAccessTokens = new ClientAccessTokens({ db, publicUrl, assertAllowed });
  const externalClients =
    config.mcpIssuer &&
    new ExternalClients({
      clock,
      grants: clientGrants,
      verify: createAccessTokenVerifier(config.mcpIssuer, publicUrl + MCP_PATH, verifying),
      user: (issuer, subject, issuedAt) => sessions.known(issuer, subject, issuedAt),
    });
  const mcp = new McpEndpoint({
    clock,
    approvalUrl,
    executor,
    catalog,
    providers,
    logger,
    version: version(),
    stateKeys: () => serviceSecrets.requestStateKeys(),
  });
  integrations.onChange(() => mcp.toolsChanged());
  integrations.onChange(() => vault.uses.endActions((action) => withdrawn(catalog(), action)));
  return {
    ...foundation,
    ...notifications,
    ...vault,
    addresses,
    admission,
    embedded: config.databaseUrl === undefined,
    sessions,
    webSessions,
    /** How users sign in to the service's own pages. */
    signIn: createSignIn(config, sandbox, identity, verifying, publicUrl),
    /** The user of an ID token. */
    authenticateUser: async (header: string | undefined): Promise<Caller> => {
      if (isClientToken(bareCredential(header))) throw new AppError('invalid_token', ID_TOKEN_REQUIRED);
      return sessions.authenticate(header);
    },
    /** The user in person: by an ID token, or without one by a session's secret. */
    authenticateFirstParty: async (header: string | undefined, secret: string | undefined): Promise<FirstParty> => {
      if (isClientToken(bareCredential(header)))
        throw new AppError('forbidden', 'Only the user in person can do this, not a personal access token.');
      return header === undefined && secret !== undefined ? webSessions.find(secret) : sessions.authenticate(header);
    },
    clientGrants,
    clientTokens,
    serviceSecrets,
    authorizationServer,
    consents: new Consents({ server: authorizationServer, clientGrants, catalog }),
    allowances,
    threads,
    assistant: new Assistant({ ...shared, threads, executor, catalog, providers, config, models: models(foundation, sandbox) }),
    readOnlySwitches: new ReadOnlySwitches(db, emit, approvalExpiry),
    mcp,
    /** The client of a token for /mcp: one of its own sign-in, or a personal access token. */
    authenticateClient: async (header: string | undefined): Promise<Principal> => {
      const credential = bareCredential(header);
      if (credential === '') throw new AppError('invalid_token', 'Sign in first: this address is for clients that the user has connected.');
      if (isClientToken(credential)) return clientTokens.authenticate(credential);
      return (externalClients ?? clientAccessTokens).authenticate(credential);
    },
    /** The principal of a bare credential, an ID token or a personal access token; a `Bearer ` prefix is tolerated. */
    authenticateAny: async (header: string | undefined): Promise<Principal> => {
      const credential = bareCredential(header);
      return isClientToken(credential) ? clientTokens.authenticate(credential) : sessions.authenticate(credential);
    },
    reloads: new ReplicatedReload(db, integrations, reconfigured, polls, logger),
    /** The current agents and actions. */
    catalog,
    /** Ids of the master keys that stored data requires and that this process does not have. */
    absentKeyIds: () => absentKeyIds(db, keyring),
    /** Whether pages of an origin may call the service. */
    allowsOrigin: allowedOrigins(config, publicUrl, clock, logger),
    /** undefined: the workspace provider is not configured. */
    workspace: workspace && { ...shared, provider: workspace.provider, redirectUris },
    bankDeps,
    webhooks: new BankWebhooks(bankDeps, bank?.webhookKeys),
    executor,
    sandbox,
    providers,
  };
}

/** The assistant's models: those of the configuration, or the sandbox's stand-in. */
function models({ config }: Foundation, sandbox: Sandbox | undefined): ModelSettings[] {
  if (config.models !== 'sandbox') return config.models;
  return sandbox === undefined ? [] : [fakeModel(sandbox.model.baseUrl)];
}

/** What a saturated process does not take on. */
function createAdmission(
  { config, clock, db, telemetry }: Foundation,
  { loopUtilisation }: Overrides,
  resources: AsyncDisposableStack,
): Admission {
  const { busyLatencyMs, databaseQueueMs } = config.limits;
  const admission = new Admission({ latencyMs: busyLatencyMs, clock, onRefusal: (reason) => telemetry.count('refusal', reason) });
  const stop = watchLoopUtilisation((measured) => admission.sample(loopUtilisation?.() ?? measured, db.queueMs / databaseQueueMs));
  resources.defer(stop);
  return admission;
}

/** Events for front ends, and the approvals that end with them. */
function createEvents({ db, polls, logger, integrations }: Foundation) {
  const feed = new EventFeed(db, polls);
  const events = new Events(db, () => feed.wake());
  const emit: RecordEvent = async (tx, userId, event, data, clientId) => {
    await events.record(tx, userId, event, data, clientId);
    // Pending approvals for an account end when it is disconnected.
    if (event === 'account.disconnected')
      await approvalExpiry.disconnected(tx, userId, (data as EventData['account.disconnected']).account);
  };
  const approvalExpiry = new ApprovalExpiry(db, emit);
  integrations.onChange(({ revision }) => {
    events.recordForAll(feed.userIds(), 'integrations.updated', { revision }).catch((error: unknown) => {
      logger.warn({ err: describeError(error) }, 'the event integrations.updated could not be recorded');
    });
  });
  return { feed, events, emit, approvalExpiry };
}

/** Encrypted grants: storing, refreshing and revoking tokens. */
function createVault({ config, db, clock, polls, keyring, names, logger, telemetry }: Foundation, providers: Providers, events: Events) {
  const userKeys = new UserKeys(keyring);
  const revocations = new Revocations({ db, keyring, revokers: providers.revokers(), logger, telemetry, names });
  const uses = new ActiveUses(db, polls);
  const recordStatus: RecordStatus = (tx, change) => events.recordStatus(tx, change);
  const { refreshTimeoutMs, providerTimeoutMs: validTokenWaitMs } = config.limits;
  const refreshing = { refreshers: providers.refreshers(), recordStatus, refreshTimeoutMs, validTokenWaitMs };
  const tokens = new AccessTokens({ db, clock, userKeys, revocations, logger, ...refreshing });
  return {
    userKeys,
    revocations,
    uses,
    tokens,
    orphanedTokens: new OrphanedTokenRevoker(revocations, clock, logger),
    grants: new Grants(db, userKeys, revocations, logger, (grantId) => uses.endGrant(grantId)),
    statuses: new GrantStatuses(db, recordStatus),
  };
}
