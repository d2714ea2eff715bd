import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { isItemRejection } from '../providers/bank/bank-errors.ts';
import type { BankItem } from '../providers/bank/bank-item.ts';
import type { BankProvider, LinkToken } from '../providers/bank/bank-provider.ts';
import type { NewGrant } from '../vault/grants.ts';
import { type GrantStatus, lockUser } from '../vault/grants-repository.ts';
import { about, type BankDeps, configured } from './bank-deps.ts';
import { noteChecked } from './checks-repository.ts';
import { findOverlaps } from './duplicates.ts';
import { checkItem } from './item-check.ts';
import { announce, announcedBy, NOTHING } from './item-warnings.ts';
import {
  type ItemRow,
  type ItemWarning,
  insertItem,
  noteUpdateMode,
  resetSyncState,
  selectItem,
  selectItems,
  updateItem,
  updateNewAccounts,
} from './items-repository.ts';

export interface BankEntry {
  id: string;
  bank_name: string;
  /** An account's `mask` is empty where the bank gives none. */
  mask: { name: string; mask: string }[];
  status: 'active' | 'relink_required' | 'item_gone';
  /** Access ends soon unless the user goes through update mode. */
  warning?: ItemWarning;
  /** When that is, ISO 8601, where it is known. */
  expires_at?: string;
  /** The bank has accounts that the user could share, too, in update mode. */
  new_accounts?: true;
}

const NO_SUCH_ENTRY = 'There is no such bank account entry.';

/** The user's bank entries, linked longest first. */
export async function listEntries(deps: BankDeps, userId: string): Promise<BankEntry[]> {
  const items = await selectItems(deps.db, userId);
  return items.map(toEntry);
}

/**
 * A link token for the aggregator's widget.
 *
 * @param entryId an entry to repair or extend (update mode); undefined = a new bank
 * @returns with the sandbox's page for it, where there is one
 * @throws AppError `not_found`, `item_gone`, and what {@link BankProvider} throws
 */
export async function createLinkToken(
  deps: BankDeps,
  userId: string,
  entryId: string | undefined,
): Promise<LinkToken & { link_url?: string }> {
  const provider = configured(deps);
  if (entryId !== undefined && !z.uuid().safeParse(entryId).success) throw new AppError('not_found', NO_SUCH_ENTRY);
  const token = entryId === undefined ? await provider.createLinkToken(userId) : await updateModeToken(deps, provider, userId, entryId);
  const page = provider.linkPage(token.link_token);
  return page === undefined ? token : { ...token, link_url: page };
}

/**
 * Exchanges the widget's public token and stores the item. A login linked again
 * keeps its entry's id; the old item is removed at the aggregator. A process
 * that dies between exchange and commit loses the item: public tokens work once.
 *
 * @returns ids of entries that were kept although they may share an account with the new one
 */
export async function linkItem(deps: BankDeps, userId: string, publicToken: string): Promise<string[]> {
  const provider = configured(deps);
  const { accessToken, itemId } = await provider.exchange(publicToken);
  const grant: NewGrant = {
    userId,
    provider: 'bank',
    subject: itemId ?? randomUUID(),
    tokens: { accessToken },
    scopes: [],
    expiresAt: null,
  };
  const { entryId, kept } = await revokeOnFailure(deps, grant, async () => {
    if (itemId === undefined) throw unnamedItem();
    const item = await provider.describe(accessToken);
    // At hand for the transaction: a key service takes its time.
    await deps.userKeys.forUser(deps.db, userId);
    return deps.db.transaction((tx) => storeItem(deps, tx, grant, item), userId);
  });
  if (kept.length > 0) deps.logger.info({ entry: entryId, kept }, 'a bank was linked beside entries that may share an account with it');
  return kept;
}

/**
 * Ends an entry: use is denied at once, the aggregator is told afterwards.
 *
 * @throws AppError `not_found`
 */
export async function deleteEntry(deps: BankDeps, userId: string, entryId: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    // One at a time with linking: a bank linked again must not revive what is deleted meanwhile.
    await lockUser(tx, userId);
    const item = await selectItem(tx, userId, entryId);
    if (item === undefined) throw new AppError('not_found', NO_SUCH_ENTRY);
    await deps.emit(tx, userId, 'account.disconnected', about(entryId));
    await deps.grants.end(tx, userId, item.grantId);
  }, userId);
}

/**
 * Reads an entry's item and accounts again, after update mode or when in doubt;
 * what the aggregator says of it becomes its status.
 *
 * @throws AppError `not_found`, `relink_required`, `item_gone`, …
 */
export async function refreshEntry(deps: BankDeps, userId: string, entryId: string): Promise<void> {
  const provider = configured(deps);
  const read = (accessToken: string) => provider.describe(accessToken);
  // Shared: of many at once each would find that another was stored since it began.
  const found = await deps.refreshes.run(`${userId} ${entryId}`, () => checkItem(deps, { id: entryId, userId }, { read }));
  if (!found) throw new AppError('not_found', NO_SUCH_ENTRY);
}

async function updateModeToken(deps: BankDeps, provider: BankProvider, userId: string, entryId: string): Promise<LinkToken> {
  const entry = await findEntry(deps.db, userId, entryId);
  const accessToken = await accessTokenOf(deps, entry);
  const token = await notingStatus(deps, entry, accessToken, () => provider.createLinkToken(userId, accessToken));
  await noteUpdateMode(deps.db, userId, entryId);
  return token;
}

/** What a call reveals of the entry (log in again, gone) becomes its status before the error goes on. */
async function notingStatus<Result>(deps: BankDeps, entry: ItemRow, accessToken: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isItemRejection(error)) await deps.statuses.rejected(entry.userId, entry.grantId, accessToken, error.code);
    throw error;
  }
}

interface StoredItem {
  entryId: string;
  kept: string[];
}

async function storeItem(deps: BankDeps, tx: Queryable, grant: NewGrant, item: BankItem): Promise<StoredItem> {
  if (!(await lockUser(tx, grant.userId))) throw new AppError('invalid_token', 'This user no longer exists.');
  const entries = await selectItems(tx, grant.userId);
  // The aggregator may give the same item out again: then it takes its own place, whatever its accounts say now.
  const own = entries.find((entry) => entry.subject === grant.subject);
  const { replaced, kept: beside } = findOverlaps(entries, item, own);
  const kept = beside.map(({ id }) => id);
  if (replaced !== undefined) {
    await replaceItem(deps, tx, replaced, grant, item);
    return { entryId: replaced.id, kept };
  }
  const { id } = await deps.grants.store(tx, grant);
  const entryId = randomUUID();
  await insertItem(tx, entryId, id, grant.userId, item);
  await deps.emit(tx, grant.userId, 'account.connected', about(entryId));
  return { entryId, kept };
}

async function replaceItem(deps: BankDeps, tx: Queryable, entry: ItemRow, grant: NewGrant, item: BankItem): Promise<void> {
  await updateItem(tx, grant.userId, entry.id, item);
  await startAnew(deps, tx, entry, item);
  // A cursor belongs to its item (Plaid: /transactions/sync).
  if (entry.subject !== grant.subject) await resetSyncState(tx, grant.userId, entry.id, grant.subject);
  await deps.emit(tx, grant.userId, 'account.connected', about(entry.id));
  if (entry.status !== 'active') await deps.emit(tx, grant.userId, 'account.status', { ...about(entry.id), status: 'active' });
  await deps.grants.replace(tx, entry.grantId, grant);
}

/** What was known of the item before says nothing any more. */
async function startAnew(deps: BankDeps, tx: Queryable, entry: ItemRow, item: BankItem): Promise<void> {
  await updateNewAccounts(tx, entry.userId, entry.id, false);
  await announce(tx, deps.emit, entry, announcedBy({ state: item, before: NOTHING, repaired: true }));
  await noteChecked(tx, entry.userId, entry.id, false);
}

function unnamedItem(): AppError {
  return new AppError('provider_error', 'The bank aggregator’s response could not be read.', {
    cause: new Error('unexpected fields: item_id'),
  });
}

/** An item that was exchanged but couldn't be stored is removed at the aggregator: it would cost money and nobody could use it. */
async function revokeOnFailure<Result>(deps: BankDeps, grant: NewGrant, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await deps.orphanedTokens.add({ provider: 'bank', subject: grant.subject, token: grant.tokens.accessToken });
    throw error;
  }
}

async function findEntry(db: Queryable, userId: string, entryId: string): Promise<ItemRow> {
  const item = await selectItem(db, userId, entryId);
  if (item === undefined) throw new AppError('not_found', NO_SUCH_ENTRY);
  return item;
}

async function accessTokenOf(deps: BankDeps, entry: ItemRow): Promise<string> {
  const tokens = await deps.grants.tokens(deps.db, entry.userId, entry.grantId);
  if (tokens === undefined) throw new AppError('not_found', NO_SUCH_ENTRY);
  return tokens.accessToken;
}

function toEntry({ id, bankName, accounts, status, warning, expiresAt, newAccounts }: ItemRow): BankEntry {
  return {
    id,
    bank_name: bankName,
    mask: accounts.map((account) => ({ name: account.name, mask: account.mask ?? '' })),
    status: statusOf(status),
    ...(warning !== null && { warning, ...(expiresAt !== null && { expires_at: expiresAt.toISOString() }) }),
    ...(newAccounts && { new_accounts: true }),
  };
}

function statusOf(status: GrantStatus): BankEntry['status'] {
  return status === 'reauth_required' ? 'relink_required' : status;
}
