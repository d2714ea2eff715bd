import type { Queryable } from '../database/database.ts';
import { lockUser } from '../database/user-lock.ts';
import { AppError } from '../errors.ts';
import { isItemRejection } from '../providers/bank/bank-errors.ts';
import type { ItemState } from '../providers/bank/bank-item.ts';
import type { BankDeps } from './bank-deps.ts';
import { setWarning, warningOf } from './item-warnings.ts';
import { type ItemDetails, type ItemRow, lockItem, noteChecked, selectItem, updateItem, updateNewAccounts } from './items-repository.ts';

/** An item as the aggregator returned it, with or without its accounts. */
export type Reading = Pick<ItemState, 'health' | 'consentExpiresAt'> & Partial<ItemDetails>;

export interface CheckOptions {
  read(accessToken: string): Promise<Reading>;
  /** A webhook says that the user has logged in again. */
  repaired?: boolean;
  /** A webhook says that consent ends at this time (null: the time is unknown); the item itself may not show it. */
  told?: Date | null;
}

const MAX_TRIES = 5;

/**
 * Reads an item and stores its status, its warning, and its accounts if they were read. If another reading was stored
 * in the meantime, the item is read again, so that the stored state is that of the latest reading.
 *
 * @returns false when the item no longer exists
 * @throws AppError `relink_required` and `item_gone`, after storing them; any other error of the read
 */
export async function checkItem(deps: BankDeps, { id, userId }: Pick<ItemRow, 'id' | 'userId'>, options: CheckOptions): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const item = await selectItem(deps.db, userId, id);
    const tokens = item && (await deps.grants.tokens(deps.db, userId, item.grantId));
    if (item === undefined || tokens === undefined) return false;
    const { reading, rejection } = await readOrRejection(() => options.read(tokens.accessToken));
    const stored = await deps.db.transaction((tx) => store(deps, tx, item, reading, options), userId);
    if (stored === 'outdated') continue;
    if (stored === 'gone') return false;
    if (rejection !== undefined) throw rejection;
    return true;
  }
  throw new AppError('unavailable', 'This bank connection is being changed at the moment. Try again.', { retryAfter: 1 });
}

/** For checks without a caller: a rejection is stored, which is enough. */
export async function checkInBackground(...check: Parameters<typeof checkItem>): Promise<void> {
  try {
    await checkItem(...check);
  } catch (error) {
    if (!isItemRejection(error)) throw error;
  }
}

/** A rejection of the item states its health, as a reading does. */
async function readOrRejection(read: () => Promise<Reading>): Promise<{ reading: Reading; rejection?: AppError }> {
  try {
    return { reading: await read() };
  } catch (error) {
    if (!isItemRejection(error)) throw error;
    return { reading: { health: error.code, consentExpiresAt: null }, rejection: error };
  }
}

async function store(
  deps: BankDeps,
  tx: Queryable,
  seen: ItemRow,
  reading: Reading,
  { repaired = false, told }: CheckOptions,
): Promise<'stored' | 'outdated' | 'gone'> {
  // Before the item and its grant, as everywhere.
  await lockUser(tx, seen.userId);
  const item = await lockItem(tx, seen.userId, seen.id);
  if (item === undefined) return 'gone';
  if (item.checks !== seen.checks || item.version !== seen.version) return 'outdated';
  if (!(await deps.statuses.set(tx, item, reading.health))) return 'gone';
  const { accounts, institutionId = null, bankName = item.bankName } = reading;
  if (accounts !== undefined) await updateItem(tx, item.userId, item.id, { institutionId, bankName, accounts });
  // Accounts are read after update mode: the user has accepted or declined the new ones.
  const chosen = accounts !== undefined && item.inUpdateMode && reading.health === 'active';
  if (chosen) await updateNewAccounts(tx, item.userId, item.id, false);
  const now = deps.clock.now();
  await setWarning(tx, deps.emit, item, warningOf({ state: reading, before: item, repaired: repaired || chosen, told, now }));
  await noteChecked(tx, item.userId, item.id, reading.health === 'item_gone');
  return 'stored';
}
