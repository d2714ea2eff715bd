import type { Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { isItemRejection } from '../providers/bank/bank-errors.ts';
import type { ItemState } from '../providers/bank/bank-item.ts';
import { lockUser } from '../vault/grants-repository.ts';
import type { BankDeps } from './bank-deps.ts';
import { noteChecked } from './checks-repository.ts';
import { announce, announcedBy } from './item-warnings.ts';
import { type ItemDetails, type ItemRow, lockItem, selectItem, updateItem, updateNewAccounts } from './items-repository.ts';

/** What was read of an item, with or without its accounts. */
export type Reading = Pick<ItemState, 'health' | 'consentExpiresAt'> & Partial<ItemDetails>;

export interface CheckOptions {
  /** Asks the aggregator. */
  read(accessToken: string): Promise<Reading>;
  /** The aggregator says that the user has logged in again. */
  repaired?: boolean;
  /** The aggregator says that consent ends at this time (null: some time), which an item doesn't always show. */
  told?: Date | null;
}

const MAX_TRIES = 5;

/**
 * Reads an item and stores what it says of the entry: status, warning, and the
 * accounts where they were read too. A reading counts only if no other was
 * stored since it began; else the item is read again, so that of two at a time
 * the later one wins, whichever is stored last.
 *
 * @returns false when there is no such entry (any more)
 * @throws AppError what the aggregator says against the entry (`relink_required`, `item_gone`), after storing it; what else kept it from answering
 */
export async function checkItem(deps: BankDeps, entry: Pick<ItemRow, 'id' | 'userId'>, options: CheckOptions): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const row = await selectItem(deps.db, entry.userId, entry.id);
    if (row === undefined) return false;
    const tokens = await deps.grants.tokens(deps.db, row.userId, row.grantId);
    if (tokens === undefined) return false;
    const { reading, refusal } = await readOrRefusal(() => options.read(tokens.accessToken));
    const stored = await deps.db.transaction((tx) => store(deps, tx, row, reading, options), row.userId);
    if (stored === 'outdated') continue;
    if (stored === 'gone') return false;
    if (refusal !== undefined) throw refusal;
    return true;
  }
  throw new AppError('unavailable', 'This bank is being changed again and again. Try again.', { retryAfter: 1 });
}

/** A refusal says of the entry what a reading would. */
async function readOrRefusal(read: () => Promise<Reading>): Promise<{ reading: Reading; refusal?: AppError }> {
  try {
    return { reading: await read() };
  } catch (error) {
    if (!isItemRejection(error)) throw error;
    return { reading: { health: error.code, consentExpiresAt: null }, refusal: error };
  }
}

async function store(
  deps: BankDeps,
  tx: Queryable,
  seen: ItemRow,
  reading: Reading,
  { repaired = false, told }: CheckOptions,
): Promise<'stored' | 'outdated' | 'gone'> {
  // Before the entry and its grant, as everywhere.
  await lockUser(tx, seen.userId);
  const entry = await lockItem(tx, seen.userId, seen.id);
  if (entry === undefined) return 'gone';
  if (entry.checks !== seen.checks) return 'outdated';
  if (!(await deps.statuses.set(tx, entry, reading.health))) return 'gone';
  const { accounts, institutionId = null, bankName = entry.bankName } = reading;
  if (accounts !== undefined) await updateItem(tx, entry.userId, entry.id, { institutionId, bankName, accounts });
  // Accounts are read after update mode: what was offered was taken, or left.
  const chosen = accounts !== undefined && entry.inUpdateMode && reading.health === 'active';
  if (chosen) await updateNewAccounts(tx, entry.userId, entry.id, false);
  await announce(tx, deps.emit, entry, announcedBy({ state: reading, before: entry, repaired: repaired || chosen, told }));
  await noteChecked(tx, entry.userId, entry.id, reading.health === 'item_gone');
  return 'stored';
}

/** For readings that nobody waits for: a refusal is stored, and there is nobody to tell. */
export function unlessRefused(error: unknown): void {
  if (!isItemRejection(error)) throw error;
}
