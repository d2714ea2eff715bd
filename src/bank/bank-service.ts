import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { BankItem, BankProvider, LinkToken } from '../providers/bank.ts';
import type { Emit } from '../vault/emit.ts';
import type { GrantStatuses } from '../vault/grant-status.ts';
import type { Grants, NewGrant } from '../vault/grants.ts';
import { type GrantStatus, lockUser } from '../vault/grants-repository.ts';
import type { Revocations } from '../vault/revocations.ts';
import { findDuplicate } from './duplicates.ts';
import { type ItemRow, insertItem, resetSyncState, selectItem, selectItems, updateItem } from './items-repository.ts';

export interface BankParts {
  db: Database;
  /** undefined: not configured; entries can still be listed and deleted. */
  provider: BankProvider | undefined;
  grants: Grants;
  statuses: GrantStatuses;
  revocations: Revocations;
  emit: Emit;
}

export interface BankEntry {
  id: string;
  bank_name: string;
  /** An account's `mask` is empty where the bank gives none. */
  mask: { name: string; mask: string }[];
  status: 'active' | 'relink_required' | 'item_gone';
}

const NO_SUCH_ENTRY = 'There is no such bank account entry.';

/** The user's bank entries, linked longest first. */
export async function listEntries(parts: BankParts, userId: string): Promise<BankEntry[]> {
  const items = await selectItems(parts.db, userId);
  return items.map(({ id, bankName, accounts, status }) => ({
    id,
    bank_name: bankName,
    mask: accounts.map((account) => ({ name: account.name, mask: account.mask ?? '' })),
    status: statusOf(status),
  }));
}

/**
 * A link token for the aggregator's widget.
 *
 * @param entryId an entry to repair or extend (update mode); undefined = a new bank
 * @returns with the sandbox's page for it, where there is one
 * @throws AppError `not_found`, `item_gone`, and what {@link BankProvider} throws
 */
export async function createLinkToken(
  parts: BankParts,
  userId: string,
  entryId: string | undefined,
): Promise<LinkToken & { link_url?: string }> {
  const provider = configured(parts);
  const token = entryId === undefined ? await provider.createLinkToken(userId) : await updateModeToken(parts, provider, userId, entryId);
  const page = provider.linkPage(token.link_token);
  return page === undefined ? token : { ...token, link_url: page };
}

/**
 * Exchanges the widget's public token and stores the item. A bank linked again
 * keeps its entry's id; the old item is removed at the aggregator. A process
 * that dies between exchange and commit loses the item: public tokens work once.
 */
export async function linkItem(parts: BankParts, userId: string, publicToken: string): Promise<void> {
  const provider = configured(parts);
  const { accessToken, itemId } = await provider.exchange(publicToken);
  const grant: NewGrant = { userId, provider: 'bank', subject: itemId, tokens: { accessToken }, scopes: [], expiresAt: null };
  const revocation = await giveBackOnFailure(parts, grant, async () => {
    const item = await provider.describe(accessToken);
    return parts.db.transaction((tx) => storeItem(parts, tx, grant, item));
  });
  await parts.revocations.enqueue([revocation]);
}

/**
 * Ends an entry: use is denied at once, the aggregator is told afterwards.
 *
 * @throws AppError `not_found`
 */
export async function deleteEntry(parts: BankParts, userId: string, entryId: string): Promise<void> {
  const revocation = await parts.db.transaction(async (tx) => {
    // One at a time with linking: a bank linked again must not revive what is deleted meanwhile.
    await lockUser(tx, userId);
    const item = await selectItem(tx, userId, entryId);
    if (item === undefined) throw new AppError('not_found', NO_SUCH_ENTRY);
    await parts.emit(tx, userId, 'account.disconnected', about(entryId));
    return parts.grants.end(tx, userId, item.grantId);
  });
  await parts.revocations.enqueue([revocation]);
}

/**
 * Reads an entry's item and accounts again, after update mode or when in doubt;
 * what the aggregator says of it becomes its status.
 *
 * @throws AppError `not_found`, `relink_required`, `item_gone`, …
 */
export async function refreshEntry(parts: BankParts, userId: string, entryId: string): Promise<void> {
  const provider = configured(parts);
  const entry = await findEntry(parts.db, userId, entryId);
  const accessToken = await accessTokenOf(parts, entry);
  await notingStatus(parts, entry, accessToken, async () => {
    const item = await provider.describe(accessToken);
    await parts.db.transaction(async (tx) => {
      const current = await parts.statuses.set(tx, entry, item.errorCode === undefined ? 'active' : 'relink_required');
      if (current) await updateItem(tx, userId, entryId, item);
    });
  });
}

async function updateModeToken(parts: BankParts, provider: BankProvider, userId: string, entryId: string): Promise<LinkToken> {
  const entry = await findEntry(parts.db, userId, entryId);
  const accessToken = await accessTokenOf(parts, entry);
  return notingStatus(parts, entry, accessToken, () => provider.createLinkToken(userId, accessToken));
}

/** What a call reveals of the entry (log in again, gone) becomes its status before the error goes on. */
async function notingStatus<Result>(parts: BankParts, entry: ItemRow, accessToken: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && (error.code === 'relink_required' || error.code === 'item_gone')) {
      await parts.statuses.refused(entry.userId, entry.grantId, accessToken, error.code);
    }
    throw error;
  }
}

async function storeItem(parts: BankParts, tx: Queryable, grant: NewGrant, item: BankItem): Promise<string | undefined> {
  if (!(await lockUser(tx, grant.userId))) throw new AppError('invalid_token', 'This user no longer exists.');
  const entries = await selectItems(tx, grant.userId);
  // The aggregator may give the same item out again: then it is its own duplicate, whatever its accounts say now.
  const duplicate = entries.find((entry) => entry.subject === grant.subject) ?? findDuplicate(entries, item);
  if (duplicate !== undefined) {
    await updateItem(tx, grant.userId, duplicate.id, item);
    // A cursor belongs to its item (Plaid: /transactions/sync).
    if (duplicate.subject !== grant.subject) await resetSyncState(tx, grant.userId, duplicate.id, grant.subject);
    await parts.emit(tx, grant.userId, 'account.connected', about(duplicate.id));
    if (duplicate.status !== 'active') await parts.emit(tx, grant.userId, 'account.status', { ...about(duplicate.id), status: 'active' });
    return parts.grants.replace(tx, duplicate.grantId, grant);
  }
  const { id } = await parts.grants.store(tx, grant);
  const entryId = randomUUID();
  await insertItem(tx, entryId, id, grant.userId, item);
  await parts.emit(tx, grant.userId, 'account.connected', about(entryId));
  return undefined;
}

/** An item that was exchanged but couldn't be stored is removed at the aggregator: it would cost money and nobody could use it. */
async function giveBackOnFailure<Result>(parts: BankParts, grant: NewGrant, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const revocation = await parts.db
      .transaction((tx) => parts.revocations.queue(tx, { provider: 'bank', subject: grant.subject, token: grant.tokens.accessToken }))
      .catch(() => undefined);
    await parts.revocations.enqueue([revocation]);
    throw error;
  }
}

async function findEntry(db: Queryable, userId: string, entryId: string): Promise<ItemRow> {
  const item = await selectItem(db, userId, entryId);
  if (item === undefined) throw new AppError('not_found', NO_SUCH_ENTRY);
  return item;
}

async function accessTokenOf(parts: BankParts, entry: ItemRow): Promise<string> {
  const tokens = await parts.grants.tokens(parts.db, entry.userId, entry.grantId);
  if (tokens === undefined) throw new AppError('not_found', NO_SUCH_ENTRY);
  return tokens.accessToken;
}

function configured(parts: BankParts): BankProvider {
  if (parts.provider === undefined) throw new AppError('not_configured', 'Bank accounts are not set up on this server.');
  return parts.provider;
}

/** Which account an event is about. */
function about(account: string) {
  return { account, provider: 'bank' };
}

function statusOf(status: GrantStatus): BankEntry['status'] {
  return status === 'reauth_required' ? 'relink_required' : status;
}
