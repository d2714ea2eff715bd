import { join } from 'node:path';
import type { BankParts } from './bank/bank-deps.ts';
import { BankWebhooks } from './bank/bank-webhooks.ts';
import { SharedRuns } from './bank/coalesced-runs.ts';
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
import type { BankProvider } from './providers/bank.ts';
import type { BankEntryAccess } from './providers/bank-session.ts';
import type { Renewal } from './providers/workspace-renewal.ts';
import type { Foundation } from './startup/foundation.ts';
import { openProviders } from './startup/open-providers.ts';
import { Sessions } from './users/sessions.ts';
import { ActiveUses } from './vault/active-uses.ts';
import { GrantStatuses } from './vault/grant-status.ts';
import { Grants } from './vault/grants.ts';
import { GiveBacks } from './vault/orphaned-tokens.ts';
import { AccessTokens, type RecordStatus } from './vault/refresh/access-tokens.ts';
import { Revocations } from './vault/revocations.ts';
import { absentKeyIds } from './vault/rotation/check-keys.ts';
import { UserKeys } from './vault/user-keys.ts';
import { WorkspaceAccounts } from './workspace/accounts-service.ts';
import { Bindings } from './workspace/bindings.ts';
import { RedirectUris } from './workspace/redirect-uri.ts';
import type { WorkspaceParts } from './workspace/workspace-deps.ts';

/** The local stand-ins for the providers; see sandbox/, which only main.ts loads. */
export interface StandIns {
  router: RequestHandler;
  identity: IdentitySettings;
  workspace: WorkspaceSettings;
  bank: BankSettings;
  close(): void;
}

export type LoadStandIns = (options: {
  directory: string;
  publicUrl: string;
  selfUrl: string;
  allowedOrigins: string[];
  logger: Logger;
}) => Promise<StandIns>;

/** What tests and the sandbox put in from outside. */
export interface Overrides {
  loadStandIns?: LoadStandIns;
  /** Clock and connections of the identity verifier. */
  identity?: Omit<VerifierOptions, 'logger'>;
  /** Changes what the integrations file makes callable. */
  catalog?: (loaded: Catalog) => Catalog;
  logger?: Logger;
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
  workspace: WorkspaceParts | undefined;
  /** undefined: the bank aggregator is not configured. */
  bank: BankProvider | undefined;
  bankParts: BankParts;
  webhooks: BankWebhooks;
  tokens: AccessTokens;
  giveBacks: GiveBacks;
  executor: Executor;
  approvalEnds: ApprovalEnds;
  standIns: StandIns | undefined;
}

/**
 * The composition root: wires each part once. Whatever it opens it hands to
 * `defer`, so that a start that fails half-way leaves nothing behind.
 */
export async function createContext(foundation: Foundation, addresses: Addresses, overrides: Overrides, defer: Defer): Promise<Context> {
  const { config, logger, telemetry, db, keyring, names, integrations } = foundation;
  const standIns = await openStandIns(config, addresses, logger, overrides, defer);
  const settings = resolveParts(config, standIns);

  const callbackUrl = `${addresses.publicUrl}/auth/workspace/callback`;
  const providers = await openProviders(settings, callbackUrl, config.limits, telemetry);
  const { workspace: provider, workspaceApi, bank, webhookKeys } = providers;
  const userKeys = new UserKeys(keyring);
  const revokers = {
    workspace: provider && ((token: string) => provider.revoke(token)),
    bank: bank && ((token: string) => bank.remove(token)),
  };
  const revocations = new Revocations(db, keyring, revokers, logger, telemetry, names);
  const giveBacks = new GiveBacks(revocations, logger);
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
  const bankParts: BankParts = {
    db,
    provider: bank,
    grants,
    userKeys,
    statuses,
    revocations,
    giveBacks,
    emit,
    logger,
    telemetry,
    refreshes: new SharedRuns(),
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
    workspace: provider && { db, provider, userKeys, grants, revocations, giveBacks, bindings, redirectUris, emit, logger },
    bank,
    bankParts,
    webhooks: new BankWebhooks(bankParts, webhookKeys, telemetry),
    tokens,
    giveBacks,
    executor,
    approvalEnds,
    standIns,
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
function originGuard(parts: Pick<Context, 'config' | 'addresses' | 'logger'>): (origin: string) => boolean {
  const tell = throttledLog(parts.logger, 'info');
  return (origin) => {
    const isAllowed = isAllowedOrigin(parts, origin);
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

async function openStandIns(
  config: Config,
  { publicUrl, selfUrl }: Addresses,
  logger: Logger,
  overrides: Overrides,
  defer: Defer,
): Promise<StandIns | undefined> {
  if (![config.identity, config.workspace, config.bank].includes('sandbox')) return undefined;
  if (overrides.loadStandIns === undefined) throw new Error('the sandbox is not part of this build; set the providers’ variables');
  const { allowedOrigins } = config;
  const directory = join(config.dataDir, 'sandbox');
  const standIns = await overrides.loadStandIns({ directory, publicUrl, selfUrl, allowedOrigins, logger });
  defer(() => standIns.close());
  return standIns;
}

function resolveParts(config: Config, standIns: StandIns | undefined) {
  const identity = resolvePart(config.identity, standIns?.identity);
  if (identity === undefined) throw new Error('no identity provider is configured');
  return { identity, workspace: resolvePart(config.workspace, standIns?.workspace), bank: resolvePart(config.bank, standIns?.bank) };
}

function resolvePart<Settings>(part: Part<Settings>, standIn: Settings | undefined): Settings | undefined {
  return part === 'sandbox' ? standIn : part;
}
