import { randomUUID } from 'node:crypto';
import { type AssociatedData, open, seal } from '../crypto/envelope.ts';
import type { Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import {
  countUnfinishedFlows,
  type FlowRow,
  insertFlow,
  markFlowOpened,
  selectFlowByTicket,
  selectTicketUser,
  selectUnopenedFlow,
} from './flows-repository.ts';
import { codeChallenge, hashSecret, randomSecret } from './secrets.ts';
import type { WorkspaceDeps } from './workspace-deps.ts';

/** What a flow must remember until its callback; stored sealed under the user's key. */
export interface FlowSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

/** Flows a user may have under way; each lives ten minutes. */
const UNFINISHED_MAX = 100;

export interface FlowRequest {
  /** The account asked for; undefined leaves it to the provider's chooser. */
  email: string | undefined;
  /** As the client gave it; undefined = the default. */
  redirectUri: string | undefined;
}

/**
 * Prepares a flow for the user to open in a browser.
 *
 * @returns a one-time ticket that stands for the ID token in the login address, and when it ends
 * @throws AppError `invalid_request` for a redirect_uri that isn't allowed
 */
export async function prepareFlow(deps: WorkspaceDeps, userId: string, request: FlowRequest): Promise<{ ticket: string; expiresAt: Date }> {
  const redirectUri = deps.redirectUris.resolve(request.redirectUri);
  const ticket = randomSecret();
  const { expiresAt } = await createFlow(deps, userId, request.email, redirectUri, ticket);
  return { ticket, expiresAt };
}

/**
 * Opens the flow a ticket was made for: once, or again within a minute in the
 * browser that is bound to the user (a double click, a reload).
 *
 * @returns the consent page's address
 * @throws AppError `invalid_token`, `token_expired`
 */
export async function openByTicket(deps: WorkspaceDeps, ticket: string, heldBinding: string | undefined): Promise<string> {
  const ticketHash = hashSecret(ticket);
  // To wait for its turn with the user's other changes: nobody else's wait for the flow then.
  const userId = await selectTicketUser(deps.db, ticketHash);
  if (userId === undefined) throw invalidTicket();
  const flow = await deps.db.transaction(async (tx) => {
    const found = await selectFlowByTicket(tx, ticketHash);
    if (found === undefined) throw invalidTicket();
    await checkTicket(deps, tx, found, heldBinding);
    if (found.openedAt === null) await markFlowOpened(tx, found.id);
    return found;
  }, userId);
  return consentUrl(deps, flow.email, await openSecrets(deps, flow));
}

/**
 * Opens the flow that the user prepared and nobody has opened yet, or a new one.
 *
 * @returns the consent page's address
 * @throws AppError `invalid_request` for a redirect_uri that isn't allowed
 */
export async function openForUser(deps: WorkspaceDeps, userId: string, request: FlowRequest): Promise<string> {
  const redirectUri = deps.redirectUris.resolve(request.redirectUri);
  const named = request.email !== undefined || request.redirectUri !== undefined;
  const match = named ? { email: request.email ?? null, redirectUri } : undefined;
  const prepared = await deps.db.transaction(async (tx) => {
    const flow = await selectUnopenedFlow(tx, userId, match);
    if (flow !== undefined) await markFlowOpened(tx, flow.id);
    return flow;
  }, userId);
  if (prepared !== undefined) return consentUrl(deps, prepared.email, await openSecrets(deps, prepared));
  const { secrets } = await createFlow(deps, userId, request.email, redirectUri, undefined);
  return consentUrl(deps, request.email ?? null, secrets);
}

/** The secrets of a flow that is still open. */
export async function openSecrets(deps: WorkspaceDeps, flow: Pick<FlowRow, 'id' | 'userId' | 'secrets'>): Promise<FlowSecrets> {
  if (flow.secrets === null) throw new AppError('invalid_token', 'This link has been used already. Start again from your assistant.');
  const key = await deps.userKeys.toOpen(deps.db, flow.userId, flow.secrets);
  return JSON.parse(open(key, associatedData(flow.userId, flow.id), flow.secrets).toString('utf8')) as FlowSecrets;
}

async function createFlow(deps: WorkspaceDeps, userId: string, email: string | undefined, redirectUri: string, ticket: string | undefined) {
  if ((await countUnfinishedFlows(deps.db, userId)) >= UNFINISHED_MAX) {
    throw new AppError('rate_limited', 'Too many connections were begun and not finished.', { retryAfter: 60 });
  }
  const id = randomUUID();
  const secrets: FlowSecrets = { state: randomSecret(), nonce: randomSecret(), verifier: randomSecret() };
  const key = await deps.userKeys.forUser(deps.db, userId);
  const flow = {
    id,
    userId,
    ticketHash: ticket === undefined ? null : hashSecret(ticket),
    stateHash: hashSecret(secrets.state),
    email: email ?? null,
    redirectUri,
    secrets: seal(key, associatedData(userId, id), JSON.stringify(secrets)),
    opened: ticket === undefined,
  };
  // Its foreign key locks the user.
  const expiresAt = await deps.db.transaction((tx) => insertFlow(tx, flow), userId);
  return { secrets, expiresAt };
}

async function checkTicket(deps: WorkspaceDeps, tx: Queryable, flow: FlowRow, heldBinding: string | undefined): Promise<void> {
  if (flow.openedAt === null) {
    if (flow.ticketExpired) throw new AppError('token_expired', 'This link has expired. Start again from your assistant.');
    return;
  }
  const again = flow.justOpened && flow.secrets !== null && (await deps.bindings.holds(heldBinding, flow.userId, tx));
  if (!again) throw new AppError('invalid_token', 'This link has been used already. Start again from your assistant.');
}

function invalidTicket(): AppError {
  return new AppError('invalid_token', 'This link is not valid. Start again from your assistant.');
}

function consentUrl(deps: WorkspaceDeps, email: string | null, secrets: FlowSecrets): Promise<string> {
  return deps.provider.authorizationUrl({
    state: secrets.state,
    nonce: secrets.nonce,
    codeChallenge: codeChallenge(secrets.verifier),
    loginHint: email ?? undefined,
  });
}

function associatedData(userId: string, rowId: string): AssociatedData {
  return { table: 'oauth_flows', column: 'secrets', userId, rowId };
}
