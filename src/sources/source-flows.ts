import { openSecrets, prepareFlow } from '../connections/flow-start.ts';
import {
  claimFlowOfUser,
  type FlowEnd,
  type FlowRow,
  finishFlow,
  type Outcome,
  selectFlowOfUser,
} from '../connections/flows-repository.ts';
import { activate } from '../connections/grant-storage.ts';
import { AppError } from '../errors.ts';
import { accessCredential, type RefreshCredential, readRefresh } from '../providers/mcp/credentials.ts';
import type { AuthorizationRequest } from '../providers/mcp/source-authorization.ts';
import type { SourceSettings } from '../providers/mcp/source-settings.ts';
import { type AccountRow, selectAccount } from './accounts-repository.ts';
import { type PreparedSource, preparedIn, type SourceProfile } from './source-connector.ts';
import type { SourceDeps } from './source-deps.ts';

export interface ConnectRequest {
  redirectUri: string | undefined;
  /** The account that is connected again; undefined: a new one. */
  accountId: string | undefined;
  /** How the user calls the connection; undefined: after its source, or unchanged. */
  label: string | undefined;
}

/**
 * Prepares a flow to a source for the user to open in a browser.
 *
 * @returns a one-time ticket for the login address, and when it expires
 * @throws AppError `not_found` for a source or an account that there is not, `conflict` when the account was connected at another
 * authorization server, and `not_configured`, `provider_error`, `provider_timeout`
 */
export async function prepareConnection(
  deps: SourceDeps,
  userId: string,
  name: string,
  { redirectUri, accountId, label }: ConnectRequest,
): Promise<{ ticket: string; expiresAt: Date }> {
  // Before anything is requested from the source.
  deps.redirectUris.resolve(redirectUri);
  const source = sourceOf(deps, name);
  const account = accountId === undefined ? undefined : await selectAccount(deps.db, userId, accountId);
  if (accountId !== undefined && account?.source !== name) throw new AppError('not_found', 'There is no such account.');
  const stored = account === undefined ? undefined : await storedOf(deps, account);
  const granted = stored?.scope.split(' ') ?? [];
  const request =
    source.auth === 'oauth' ? await deps.authorization.prepare(source, [...granted, ...(account?.wantedScopes ?? [])]) : undefined;
  if (request !== undefined && stored !== undefined) assertSameServer(stored, request);
  const prepared: PreparedSource = { ...(request !== undefined && { request }), ...(label !== undefined && { label }) };
  return prepareFlow(deps, userId, { redirectUri, source: name, accountId, prepared });
}

/** A flow that its user finishes on a page of the service's own. */
export interface OpenEntry {
  flow: FlowRow;
  source: SourceSettings;
}

/**
 * The flow of a page on which a user enters a header's value, or confirms a source without sign-in.
 *
 * @returns where the browser goes, when the flow has ended
 * @throws AppError `not_found` for a flow that has expired or isn't the user's
 */
export async function findEntry(deps: SourceDeps, userId: string, flowId: string): Promise<OpenEntry | FlowEnd> {
  const flow = await selectFlowOfUser(deps.db, userId, flowId);
  const source = flow?.source == null ? undefined : deps.sources().get(flow.source);
  if (flow === undefined || source === undefined || source.auth === 'oauth') throw noSuchEntry();
  if (flow.outcome !== null) return endOf(flow, flow.outcome);
  if (flow.openedAt === null || flow.secrets === null || flow.expired) throw noSuchEntry();
  return { flow, source };
}

/**
 * Finishes a flow on its page.
 *
 * @param decision the header's value, `confirm` for a source without one, or `cancel`
 * @throws AppError `not_found` when it was finished meanwhile
 */
export async function finishEntry(deps: SourceDeps, { flow, source }: OpenEntry, decision: EntryDecision): Promise<FlowEnd> {
  const { label } = preparedIn(await openSecrets(deps, flow));
  if (!(await claimFlowOfUser(deps.db, flow))) throw noSuchEntry();
  if (decision === 'cancel') return endOf(flow, await finishFlow(deps.db, flow, { status: 'error', code: 'access_denied' }));
  const profile: SourceProfile = { subject: flow.id, source: source.name, url: source.url, label, accountId: flow.accountId };
  const tokens = { accessToken: credentialOf(source, decision), refreshToken: undefined, scopes: [], expiresAt: null };
  return endOf(flow, await activate(deps, flow, { tokens, profile }));
}

export type EntryDecision = { value: string } | 'confirm' | 'cancel';

function endOf({ redirectUri, source }: FlowRow, outcome: Outcome): FlowEnd {
  return { redirectUri, source, outcome };
}

function noSuchEntry(): AppError {
  return new AppError('not_found', 'This connection was finished, or has expired. Connect the account again.');
}

function credentialOf({ url, header = 'authorization', prefix = '' }: SourceSettings, decision: { value: string } | 'confirm'): string {
  if (decision === 'confirm') return accessCredential({ url });
  return accessCredential({ url, header: { name: header, value: `${prefix}${decision.value}` } });
}

function sourceOf({ sources }: Pick<SourceDeps, 'sources'>, name: string): SourceSettings {
  const source = sources().get(name);
  if (source === undefined) throw new AppError('not_found', 'There is no such source.');
  return source;
}

/** What an account was granted by OAuth; undefined: nothing. */
async function storedOf({ db, grants }: SourceDeps, { userId, grantId }: AccountRow): Promise<RefreshCredential | undefined> {
  const tokens = await grants.tokens(db, userId, grantId);
  return tokens?.refreshToken === undefined ? undefined : readRefresh(tokens.refreshToken);
}

/** What an account's credentials are for does not change without a new consent, to a new connection. */
function assertSameServer(stored: RefreshCredential, request: AuthorizationRequest): void {
  if (stored.issuer === request.issuer && stored.tokenEndpoint === request.tokenEndpoint) return;
  throw new AppError('conflict', 'This source’s sign-in has moved to another server: connect it as a new account.');
}
