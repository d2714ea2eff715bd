import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Queryable } from '../database/database.ts';
import { lockExistingUser, lockUser } from '../database/user-lock.ts';
import { AppError } from '../errors.ts';
import { isItemRejection } from '../providers/bank/bank-errors.ts';
import type { BankItem } from '../providers/bank/bank-item.ts';
import type { BankProvider, LinkToken } from '../providers/bank/bank-provider.ts';
import type { NewGrant } from '../vault/grants/grants.ts';
import { about, type BankDeps, configured } from './bank-deps.ts';
import { findOverlaps } from './duplicates.ts';
import { checkItem } from './item-check.ts';
import { NO_WARNING, setWarning, warningOf } from './item-warnings.ts';
import {
  type ItemRow,
  insertItem,
  noteChecked,
  noteUpdateMode,
  resetSyncState,
  selectItem,
  selectItems,
  updateItem,
  updateNewAccounts,
} from './items-repository.ts';

/**
 * A link token for the aggregator's widget.
 *
 * @param itemId an item to repair or extend (update mode); undefined: a new bank
 * @returns the token; in the sandbox with the address of its link page
 * @throws AppError `not_found`, `item_gone`, and the errors of {@link BankProvider}
 */
export async function createLinkToken(
  deps: BankDeps,
  userId: string,
  itemId: string | undefined,
): Promise<LinkToken & { link_url?: string }> {
  const provider = configured(deps);
  if (itemId !== undefined && !z.uuid().safeParse(itemId).success) throw noSuchItem();
  const token = itemId === undefined ? await provider.createLinkToken(userId) : await updateModeToken(deps, provider, userId, itemId);
  const page = provider.linkPage(token.link_token);
  return page === undefined ? token : { ...token, link_url: page };
}

/**
 * Exchanges the widget's public token and stores the item. A login that is linked again keeps its id; the old item is
 * removed at the aggregator. If the process ends between exchange and commit, the item is lost: public tokens work once.
 *
 * @returns ids of items that were kept although they may share an account with the new one
 */
export function linkItem(deps: BankDeps, userId: string, publicToken: string): Promise<string[]> {
  const provider = configured(deps);
  // The caller may be gone before the item is stored.
  return deps.orphanedTokens.during(exchangeAndStore(deps, provider, userId, publicToken));
}

async function exchangeAndStore(deps: BankDeps, provider: BankProvider, userId: string, publicToken: string): Promise<string[]> {
  const { accessToken, itemId: subject } = await provider.exchange(publicToken);
  const grant: NewGrant = {
    userId,
    provider: 'bank',
    subject: subject ?? randomUUID(),
    tokens: { accessToken },
    scopes: [],
    expiresAt: null,
  };
  const storing = async () => {
    if (subject === undefined) {
      const cause = new Error('unexpected fields: item_id');
      throw new AppError('provider_error', 'The bank aggregator’s response could not be read.', { cause });
    }
    const item = await provider.describe(accessToken);
    // Cached for the transaction, which must not wait for a key service.
    await deps.userKeys.forUser(deps.db, userId);
    return deps.db.transaction((tx) => storeItem(deps, tx, grant, item), userId);
  };
  const { id, kept } = await storing().catch(async (error: unknown) => {
    // An item that was exchanged but not stored is removed at the aggregator, which would charge for it.
    await deps.orphanedTokens.add({ provider: 'bank', subject: grant.subject, token: accessToken });
    throw error;
  });
  if (kept.length > 0) deps.logger.info({ item: id, kept }, 'a bank was linked beside items that may share an account with it');
  return kept;
}

/**
 * Deletes an item: it cannot be used from now on, and is removed at the aggregator in the background.
 *
 * @throws AppError `not_found`
 */
export async function deleteItem(deps: BankDeps, userId: string, itemId: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    // Not while the same bank is being relinked, which would restore the item.
    await lockUser(tx, userId);
    const { grantId } = await findItem(tx, userId, itemId);
    await deps.emit(tx, userId, 'account.disconnected', about(itemId));
    await deps.grants.end(tx, userId, grantId);
  }, userId);
}

/**
 * Reads an item and its accounts again, for example after update mode, and stores its status.
 *
 * @throws AppError `not_found`, `relink_required`, `item_gone`, …
 */
export async function refreshItem(deps: BankDeps, userId: string, itemId: string): Promise<void> {
  const provider = configured(deps);
  const read = (accessToken: string) => provider.describe(accessToken);
  // Concurrent requests share a check; each of their own would make the others outdated.
  const found = await deps.refreshes.run(`${userId} ${itemId}`, () => checkItem(deps, { id: itemId, userId }, { read }));
  if (!found) throw noSuchItem();
}

/** A rejection of the item (log in again, gone) is stored as its status. */
async function updateModeToken(deps: BankDeps, provider: BankProvider, userId: string, itemId: string): Promise<LinkToken> {
  const { grantId } = await findItem(deps.db, userId, itemId);
  const version = await deps.statuses.version(userId, grantId);
  const tokens = await deps.grants.tokens(deps.db, userId, grantId);
  if (tokens === undefined) throw noSuchItem();
  const { accessToken } = tokens;
  try {
    const token = await provider.createLinkToken(userId, accessToken);
    await noteUpdateMode(deps.db, userId, itemId);
    return token;
  } catch (error) {
    if (isItemRejection(error)) await deps.statuses.rejected(userId, grantId, version, error.code);
    throw error;
  }
}

async function storeItem(deps: BankDeps, tx: Queryable, grant: NewGrant, item: BankItem): Promise<{ id: string; kept: string[] }> {
  await lockExistingUser(tx, grant.userId);
  const items = await selectItems(tx, grant.userId);
  // The aggregator may return an existing item, which then replaces itself, whatever its accounts are now.
  const own = items.find(({ subject }) => subject === grant.subject);
  const { replaced, kept: beside } = findOverlaps(items, item, own);
  const kept = beside.map(({ id }) => id);
  if (replaced !== undefined) {
    await replaceItem(deps, tx, replaced, grant, item);
    return { id: replaced.id, kept };
  }
  const { id: grantId } = await deps.grants.store(tx, grant);
  const id = randomUUID();
  await insertItem(tx, id, grantId, grant.userId, item);
  await deps.emit(tx, grant.userId, 'account.connected', about(id));
  return { id, kept };
}

async function replaceItem(deps: BankDeps, tx: Queryable, old: ItemRow, grant: NewGrant, item: BankItem): Promise<void> {
  const { id, userId } = old;
  await updateItem(tx, userId, id, item);
  await updateNewAccounts(tx, userId, id, false);
  await setWarning(tx, deps.emit, old, warningOf({ state: item, before: NO_WARNING, repaired: true, now: deps.clock.now() }));
  await noteChecked(tx, userId, id, false);
  // A cursor belongs to its item (Plaid: /transactions/sync).
  if (old.subject !== grant.subject) await resetSyncState(tx, userId, id, grant.subject);
  await deps.emit(tx, userId, 'account.connected', about(id));
  if (old.status !== 'active') await deps.emit(tx, userId, 'account.status', { ...about(id), status: 'active' });
  await deps.grants.replace(tx, old.grantId, grant);
}

async function findItem(db: Queryable, userId: string, itemId: string): Promise<ItemRow> {
  const item = await selectItem(db, userId, itemId);
  if (item === undefined) throw noSuchItem();
  return item;
}

function noSuchItem(): AppError {
  return new AppError('not_found', 'There is no such bank account entry.');
}
