import { join } from 'node:path';
import type { BankDeps } from './bank/bank-deps.ts';
import { BankWebhooks } from './bank/bank-webhooks.ts';
import { Coalescer } from './bank/coalesced-runs.ts';
import { type BankSettings, type Config, type IdentitySettings, isLoopback, type Part, type WorkspaceSettings } from './config/config.ts';
import type { Defer } from './database/open-database.ts';
import type { Emit } from './events/emit.ts';
import { EventFeed } from './events/event-feed.ts';
import { Events } from './events/events.ts';
import { ApprovalEnds } from './executor/approval-ends.ts';
import { withdrawn } from './executor/call-checks.ts';
import { Executor } from './executor/executor.ts';
import type { RequestHandler } from './http/endpoint.ts';
import { createVerifier, type VerifierOptions } from './identity/verifier.ts';
import type { Catalog } from './integrations/catalog.ts';
import { ReplicatedReload } from './integrations/replicated-reload.ts';
import { describeError, type Logger } from './observability/logger.ts';
import { shownAddress } from './observability/redact-url.ts';
import type { Telemetry } from './observability/telemetry.ts';
import { throttledLog } from './observability/throttled-log.ts';
import type { BankProvider } from './providers/bank/bank-provider.ts';
import type { BankEntryAccess } from './providers/bank/bank-session.ts';
import type { Renewal } from './providers/workspace/workspace-renewal.ts';
import type { Foundation } from './startup/foundation.ts';
import { openProviders } from './startup/open-providers.ts';
import { Sessions } from './users/sessions.ts';
import { ActiveUses } from './vault/active-uses.ts';
import { GrantStatuses } from './vault/grant-status.ts';
import { Grants } from './vault/grants.ts';
import { OrphanedTokenRevoker } from './vault/orphaned-tokens.ts';
import { AccessTokens, type RecordStatus } from './vault/refresh/access-tokens.ts';
import { Revocations } from './vault/revocations.ts';
import { absentKeyIds } from './vault/rotation/check-keys.ts';
import { UserKeys } from './vault/user-keys.ts';
import { WorkspaceAccounts } from './workspace/accounts-service.ts';
import { Bindings } from './workspace/bindings.ts';
import { RedirectUris } from './workspace/redirect-uri.ts';
import type { WorkspaceDeps } from './workspace/workspace-deps.ts';

/** The local stand-ins for the providers; see sandbox/, which only main.ts loads. */
export interface Sandbox {
  router: RequestHandler;
  identity: IdentitySettings;
  workspace: WorkspaceSettings;
  bank: BankSettings;
  close(): void;
}

export type LoadSandbox = (options: {
  directory: string;
  publicUrl: string;
  selfUrl: string;
  allowedOrigins: string[];
  logger: Logger;
}) => Promise<Sandbox>;

/** What tests and the sandbox put in from outside. */
export interface Overrides {
  loadSandbox?: LoadSandbox;
  /** Clock and connections of the identity verifier. */
  identity?: Omit<VerifierOptions, 'logger'>;
  /** Changes what the integrations file makes callable. */
  catalog?: (loaded: Catalog) => Catalog;
  logger?: Logger;
  /** How often the job queue is polled, instead of every 2 seconds. */
  queuePollSeconds?: number;
}

/** Where this process is reached. */
export interface Addresses {
  /** {base_url} as browsers see it, no trailing slash. */
  publicUrl: string;
  /** As the process reaches itself. */
  selfUrl: string;
}

export interface Context extends Foundation {
  addresses: Addresses;
  embedded: boolean;
  sessions: Sessions;
  reloads: ReplicatedReload;
  userKeys: UserKeys;
  grants: Grants;
  statuses: GrantStatuses;
  revocations: Revocations;
  bindings: Bindings;
  /** The agents and actions in force. */
  catalog(): Catalog;
  events: Events;
  feed: EventFeed;
  emit: Emit;
  accounts: WorkspaceAccounts;
  /** Ids of master keys that stored data needs and this process lacks. */
  absentKeyIds(): Promise<string[]>;
  /** Whether a browser's page of this origin may call us. */
  allowsOrigin(origin: string): boolean;
  /** undefined: the workspace provider is not configured. */
  workspace: WorkspaceDeps | undefined;
  /** undefined: the bank aggregator is not configured. */
  bank: BankProvider | undefined;
  bankDeps: BankDeps;
  webhooks: BankWebhooks;
  tokens: AccessTokens;
  orphanedTokens: OrphanedTokenRevoker;
  executor: Executor;
  approvalEnds: ApprovalEnds;
  sandbox: Sandbox | undefined;
}

/**
 * The composition root: wires each part once. Whatever it opens it hands to
 * `defer`, so that a start that fails half-way leaves nothing behind.
 */
export async function createContext(foundation: Foundation, addresses: Addresses, overrides: Overrides, defer: Defer): Promise<Context> {
  const { config, logger, telemetry, db, keyring, names, integrations } = foundation;
  const sandbox = await openSandbox(config, addresses, logger, overrides, defer);
  const settings = resolveProviders(config, sandbox);

  const callbackUrl = `${addresses.publicUrl}/auth/workspace/callback`;
  const providers = await openProviders(settings, callbackUrl, config.limits, telemetry);
  const { workspace: provider, workspaceApi, bank, webhookKeys } = providers;
  const userKeys = new UserKeys(keyring);
  const revokers = {
    workspace: provider && ((token: string) => provider.revoke(token)),
    bank: bank && ((token: string) => bank.remove(token)),
  };
  const revocations = new Revocations(db, keyring, revokers, logger, telemetry, names);
  const orphanedTokens = new OrphanedTokenRevoker(revocations, logger);
  const uses = new ActiveUses(db, logger);
  const grants = new Grants(db, userKeys, revocations, logger, (grantId) => uses.endGrant(grantId));
  const bindings = new Bindings(db);
  const feed = new EventFeed(db, logger);
  const events = new Events(db, () => feed.poke());
  const emit: Emit = async (tx, userId, event, data) => {
    await events.record(tx, userId, event, data);
    // What waits for a decision about an account ends with it.
    if (event === 'account.disconnected') await approvalEnds.disconnected(tx, userId, String(data.account));
  };
  const approvalEnds = new ApprovalEnds(db, emit);
  integrations.onChange(({ revision }) => {
    events.recordForAll(feed.userIds(), 'integrations.updated', { revision }).catch((error: unknown) => {
      logger.warn({ err: describeError(error) }, 'front ends could not be told of the new integrations');
    });
  });
  const recordStatus: RecordStatus = (tx, change) => events.recordStatus(tx, change);
  const statuses = new GrantStatuses(db, userKeys, recordStatus);
  const refreshers = { workspace: provider && measuredRefresh(telemetry, (token) => provider.refresh(token)), bank: undefined };
  const tokens = new AccessTokens({
    db,
    userKeys,
    revocations,
    refreshers,
    recordStatus,
    logger,
    refreshTimeoutMs: config.limits.refreshTimeoutMs,
    patienceMs: config.limits.providerTimeoutMs,
  });
  const catalog = () => overrides.catalog?.(integrations.current) ?? integrations.current;
  integrations.onChange(() => uses.endActions((action) => withdrawn(catalog(), action)));
  const executor = new Executor({
    db,
    catalog,
    tokens,
    uses,
    userKeys,
    emit,
    workspace: workspaceApi,
    bank: bank && ((grant, signal) => bank.session(bankEntryAccess(grant, tokens, statuses), signal)),
    logger,
    telemetry,
    livePerDay: config.limits.userLiveBalancesPerDay,
  });
  const bankDeps: BankDeps = {
    db,
    provider: bank,
    grants,
    userKeys,
    statuses,
    revocations,
    orphanedTokens,
    emit,
    logger,
    telemetry,
    refreshes: new Coalescer(),
  };
  const redirectUris = new RedirectUris(config, addresses.publicUrl, logger);
  return {
    ...foundation,
    addresses,
    embedded: config.databaseUrl === undefined,
    sessions: new Sessions(
      db,
      createVerifier(settings.identity, { keysMaxAge: config.identityKeysMaxAgeSeconds * 1_000, ...overrides.identity, logger, telemetry }),
      names,
      config.allowedUsers,
    ),
    reloads: new ReplicatedReload(db, integrations, () => approvalEnds.reconfigured(catalog().revision), logger),
    userKeys,
    grants,
    statuses,
    revocations,
    bindings,
    catalog,
    events,
    feed,
    emit,
    absentKeyIds: () => absentKeyIds(db, keyring),
    allowsOrigin: originGuard({ config, addresses, logger }),
    accounts: new WorkspaceAccounts(db, grants, emit),
    workspace: provider && { db, provider, userKeys, grants, revocations, orphanedTokens, bindings, redirectUris, emit, logger },
    bank,
    bankDeps,
    webhooks: new BankWebhooks(bankDeps, webhookKeys, telemetry),
    tokens,
    orphanedTokens,
    executor,
    approvalEnds,
    sandbox,
  };
}

function measuredRefresh(telemetry: Telemetry, refresh: (token: string) => Promise<Renewal>): (token: string) => Promise<Renewal> {
  return (token) =>
    telemetry.step(
      { kind: 'refresh', name: 'workspace' },
      () => refresh(token),
      ({ kind }) => kind,
    );
}

function bankEntryAccess(
  { userId, grantId }: { userId: string; grantId: string },
  tokens: AccessTokens,
  statuses: GrantStatuses,
): BankEntryAccess {
  return {
    userId,
    token: () => tokens.current(userId, grantId),
    refused: (accessToken, status) => statuses.refused(userId, grantId, accessToken, status),
  };
}

/** A front end that is refused sees nothing but a failed request: the operator is told why, once a minute at most. */
function originGuard(deps: Pick<Context, 'config' | 'addresses' | 'logger'>): (origin: string) => boolean {
  const tell = throttledLog(deps.logger, 'info');
  return (origin) => {
    const isAllowed = isAllowedOrigin(deps, origin);
    if (!isAllowed) tell({ origin: shownAddress(origin) }, 'a page of another origin was refused: ALLOWED_ORIGINS decides');
    return isAllowed;
  };
}

/** The exact list, ourselves, and loopback in development. */
function isAllowedOrigin(context: Pick<Context, 'config' | 'addresses'>, origin: string): boolean {
  if (context.config.allowedOrigins.includes(origin)) return true;
  const url = URL.parse(origin);
  // Compared as browsers write it: scheme, host, port and nothing else.
  if (url === null || url.origin !== origin) return false;
  if (origin === new URL(context.addresses.publicUrl).origin) return true;
  return context.config.environment === 'development' && isLoopback(url.hostname);
}

async function openSandbox(
  config: Config,
  { publicUrl, selfUrl }: Addresses,
  logger: Logger,
  overrides: Overrides,
  defer: Defer,
): Promise<Sandbox | undefined> {
  if (![config.identity, config.workspace, config.bank].includes('sandbox')) return undefined;
  if (overrides.loadSandbox === undefined) throw new Error('the sandbox is not part of this build; set the providers’ variables');
  const { allowedOrigins } = config;
  const directory = join(config.dataDir, 'sandbox');
  const sandbox = await overrides.loadSandbox({ directory, publicUrl, selfUrl, allowedOrigins, logger });
  defer(() => sandbox.close());
  return sandbox;
}

function resolveProviders(config: Config, sandbox: Sandbox | undefined) {
  const identity = resolvePart(config.identity, sandbox?.identity);
  if (identity === undefined) throw new Error('no identity provider is configured');
  return { identity, workspace: resolvePart(config.workspace, sandbox?.workspace), bank: resolvePart(config.bank, sandbox?.bank) };
}

function resolvePart<Settings>(part: Part<Settings>, sandboxed: Settings | undefined): Settings | undefined {
  return part === 'sandbox' ? sandboxed : part;
}
