import type { BankAccount } from '../providers/bank/bank-item.ts';
import type { ItemDetails } from './items-repository.ts';

type Linked = Pick<ItemDetails, 'institutionId' | 'accounts'>;

export interface Overlaps<Item> {
  /** The item that the new one replaces: no account is lost. */
  replaced: Item | undefined;
  /** Items that are kept although they may share an account with the new one. */
  kept: Item[];
}

/**
 * Compares a new item with the user's items of the same bank. At some banks a second item of a login silently invalidates
 * the first, so a login is kept once. Another login of the same bank (a couple's joint account) has accounts that the new
 * item lacks, and is never replaced.
 *
 * @param own the item that is replaced in any case
 */
export function findOverlaps<Item extends Linked>(items: readonly Item[], added: Linked, own?: Item): Overlaps<Item> {
  const sameBank = added.institutionId === null ? [] : items.filter(({ institutionId }) => institutionId === added.institutionId);
  // Of several covered items, the one with the most accounts is the login that was linked again.
  const [covered] = sameBank
    .filter(({ accounts }) => accounts.length > 0 && covers(added.accounts, accounts))
    .sort((one, other) => other.accounts.length - one.accounts.length);
  const replaced = own ?? covered;
  return { replaced, kept: sameBank.filter((item) => item !== replaced && mayShare(item.accounts, added.accounts)) };
}

/** Whether each of the old accounts is certainly among the new ones; a new account matches one old account only. */
function covers(accounts: readonly BankAccount[], old: readonly BankAccount[]): boolean {
  const free = new Set(accounts);
  const take = (fits: (account: BankAccount) => boolean) => {
    const found = [...free].find(fits);
    return found !== undefined && free.delete(found);
  };
  const unmatched = old.filter(
    (known) => !take((account) => hasId(known) && known.persistent_account_id === account.persistent_account_id),
  );
  // Those with an id first: they fit only accounts without one.
  return unmatched.sort((one, other) => Number(hasId(other)) - Number(hasId(one))).every((known) => take((one) => looksSame(known, one)));
}

/** Compares name, mask and type where ids are missing. A name alone is not enough: many accounts are called "Checking". */
function looksSame(known: BankAccount, account: BankAccount): boolean {
  if (hasId(known) && hasId(account)) return false;
  return hasMask(known) && known.mask === account.mask && known.name === account.name && isSameType(known, account);
}

function isSameType(one: BankAccount, other: BankAccount): boolean {
  return one.type === undefined || other.type === undefined || one.type === other.type;
}

function mayShare(some: readonly BankAccount[], others: readonly BankAccount[]): boolean {
  return some.some((one) => others.some((other) => mayBeSame(one, other)));
}

function mayBeSame(one: BankAccount, other: BankAccount): boolean {
  if (hasId(one) && hasId(other)) return one.persistent_account_id === other.persistent_account_id;
  return one.name === other.name && (!hasMask(one) || !hasMask(other) || one.mask === other.mask) && isSameType(one, other);
}

function hasMask({ mask }: BankAccount): boolean {
  return mask !== null && /[\p{L}\p{N}]/u.test(mask);
}

function hasId({ persistent_account_id: id }: BankAccount): boolean {
  return id !== null;
}
