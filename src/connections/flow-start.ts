import { randomUUID } from 'node:crypto';
import { type AssociatedData, open, seal } from '../crypto/envelope.ts';
import { hashSecret, randomSecret } from '../crypto/secrets.ts';
import type { Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { isBoundTo } from './bindings.ts';
import type { FlowDeps, FlowSecrets } from './connector.ts';
import {
  countUnfinishedFlows,
  type FlowRow,
  insertFlow,
  markFlowOpened,
  providerOf,
  selectFlow,
  selectTicketUser,
  selectUnopenedFlow,
} from './flows-repository.ts';

/** Open flows of a user; each expires after ten minutes. */
const UNFINISHED_MAX = 100;

export interface FlowRequest {
  /** The requested account; undefined: the user chooses at the provider. */
  email?: string | undefined;
  /** The source that is connected, and its account that is connected again; undefined: a workspace account. */
  source?: string | undefined;
  accountId?: string | undefined;
  /** See {@link FlowSecrets}. */
  prepared?: unknown;
  /** As the client sent it; undefined: the default. */
  redirectUri: string | undefined;
}

/**
 * Prepares a flow for the user to open in a browser.
 *
 * @returns a one-time ticket that replaces the ID token in the login address, and when it expires
 * @throws AppError `invalid_request` for a redirect_uri that isn't allowed
 */
export async function prepareFlow(deps: FlowDeps, userId: string, request: FlowRequest): Promise<{ ticket: string; expiresAt: Date }> {
  const redirectUri = deps.redirectUris.resolve(request.redirectUri);
  const ticket = randomSecret();
  const { expiresAt } = await createFlow(deps, userId, { ...request, redirectUri }, ticket);
  return { ticket, expiresAt };
}

/**
 * Opens the flow of a ticket: once, or again within a minute in the browser that is bound to the user (a double click, a
 * reload).
 *
 * @returns the address of the consent page
 * @throws AppError `invalid_token`, `token_expired`
 */
export async function openByTicket(deps: FlowDeps, ticket: string, binding: string | undefined): Promise<string> {
  const ticketHash = hashSecret(ticket);
  // Selected first, so that the transaction waits in the user's queue and not for the flow's lock.
  const userId = await selectTicketUser(deps.db, ticketHash);
  if (userId === undefined) throw invalidTicket();
  const flow = await deps.db.transaction(async (tx) => {
    const found = await selectFlow(tx, 'ticket_hash', ticketHash);
    if (found === undefined || providerOf(found) !== deps.connector.provider) throw invalidTicket();
    await checkTicket(tx, found, binding);
    if (found.openedAt === null) await markFlowOpened(tx, found);
    return found;
  }, userId);
  return deps.connector.address(flow, await openSecrets(deps, flow));
}

/**
 * Opens the flow that the user prepared and did not open yet, or a new one.
 *
 * @returns the address of the consent page
 * @throws AppError `invalid_request` for a redirect_uri that isn't allowed
 */
export async function openForUser(deps: FlowDeps, userId: string, request: FlowRequest): Promise<string> {
  const redirectUri = deps.redirectUris.resolve(request.redirectUri);
  const named = request.email !== undefined || request.redirectUri !== undefined;
  const match = named ? { email: request.email ?? null, redirectUri } : undefined;
  const prepared = await deps.db.transaction(async (tx) => {
    const flow = await selectUnopenedFlow(tx, userId, match);
    if (flow !== undefined) await markFlowOpened(tx, flow);
    return flow;
  }, userId);
  if (prepared !== undefined) return deps.connector.address(prepared, await openSecrets(deps, prepared));
  const { id, secrets } = await createFlow(deps, userId, { ...request, redirectUri }, undefined);
  return deps.connector.address({ id, email: request.email ?? null }, secrets);
}

/** Decrypts the secrets of an open flow. */
export async function openSecrets(deps: FlowDeps, flow: Pick<FlowRow, 'id' | 'userId' | 'secrets'>): Promise<FlowSecrets> {
  if (flow.secrets === null) throw new AppError('invalid_token', 'This link was used already. Connect the account again.');
  const key = await deps.userKeys.toOpen(deps.db, flow.userId, flow.secrets);
  return JSON.parse(open(key, associatedData(flow.userId, flow.id), flow.secrets).toString('utf8')) as FlowSecrets;
}

async function createFlow(
  deps: FlowDeps,
  userId: string,
  { email, redirectUri, source, accountId, prepared }: FlowRequest & { redirectUri: string },
  ticket: string | undefined,
) {
  if ((await countUnfinishedFlows(deps.db, userId)) >= UNFINISHED_MAX) {
    throw new AppError('rate_limited', 'Too many connections were started and not finished.', { retryAfter: 60 });
  }
  const id = randomUUID();
  const secrets: FlowSecrets = {
    state: randomSecret(),
    nonce: randomSecret(),
    verifier: randomSecret(),
    ...(prepared !== undefined && { prepared }),
  };
  const key = await deps.userKeys.forUser(deps.db, userId);
  const flow = {
    id,
    userId,
    ticketHash: ticket === undefined ? null : hashSecret(ticket),
    stateHash: hashSecret(secrets.state),
    email: email ?? null,
    redirectUri,
    source: source ?? null,
    accountId: accountId ?? null,
    secrets: seal(key, associatedData(userId, id), JSON.stringify(secrets)),
    opened: ticket === undefined,
  };
  // Its foreign key locks the user.
  const expiresAt = await deps.db.transaction((tx) => insertFlow(tx, flow), userId);
  return { id, secrets, expiresAt };
}

async function checkTicket(tx: Queryable, flow: FlowRow, binding: string | undefined): Promise<void> {
  if (flow.openedAt === null) {
    if (flow.ticketExpired) throw new AppError('token_expired', 'This link has expired. Connect the account again.');
    return;
  }
  const again = flow.justOpened && flow.secrets !== null && (await isBoundTo(tx, binding, flow.userId));
  if (!again) throw new AppError('invalid_token', 'This link was used already. Connect the account again.');
}

function invalidTicket(): AppError {
  return new AppError('invalid_token', 'This link is not valid. Connect the account again.');
}

function associatedData(userId: string, rowId: string): AssociatedData {
  return { table: 'oauth_flows', column: 'secrets', userId, rowId };
}
