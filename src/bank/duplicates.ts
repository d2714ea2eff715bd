import type { BankAccount } from '../providers/bank/bank-item.ts';

interface Linked {
  institutionId: string | null;
  accounts: BankAccount[];
}

export interface Overlaps<Entry> {
  /** The entry whose place the new item takes: it loses no account by that. */
  replaced: Entry | undefined;
  /** Entries that stay beside the new item although they may share an account with it. */
  kept: Entry[];
}

/**
 * What a new item means for the user's entries of the same bank. At some banks a second item silently kills the first,
 * so the same login must not stand twice. Another login of the same bank (a couple's joint account) has accounts
 * that the new item lacks, and is never replaced.
 *
 * @param own the entry that is replaced in any case
 */
export function findOverlaps<Entry extends Linked>(entries: readonly Entry[], item: Linked, own?: Entry): Overlaps<Entry> {
  const sameBank = item.institutionId === null ? [] : entries.filter(({ institutionId }) => institutionId === item.institutionId);
  // Of several that are covered, the one with the most accounts is the login that was linked again.
  const [covered] = sameBank
    .filter(({ accounts }) => accounts.length > 0 && covers(item.accounts, accounts))
    .sort((one, other) => other.accounts.length - one.accounts.length);
  const replaced = own ?? covered;
  return { replaced, kept: sameBank.filter((entry) => entry !== replaced && mayShare(entry.accounts, item.accounts)) };
}

/** Whether each of the old accounts is surely among the new ones, no new one standing for two. */
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

/** By what is shown of them, where ids don't tell. Without a mask nothing is sure: many accounts are called "Checking". */
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

/** An empty one tells as little as none. */
function hasMask({ mask }: BankAccount): boolean {
  return mask !== null && /[\p{L}\p{N}]/u.test(mask);
}

function hasId({ persistent_account_id: id }: BankAccount): boolean {
  return id !== null;
}
