import type { BankAccount } from '../providers/bank-item.ts';

interface Linked {
  institutionId: string | null;
  accounts: BankAccount[];
}

/**
 * The entry of the user's that a new item links again: the same institution and
 * at least one account in common. At some banks the
 * second item silently kills the first, so two must not stand side by side.
 */
export function findDuplicate<Entry extends Linked>(entries: readonly Entry[], item: Linked): Entry | undefined {
  if (item.institutionId === null) return undefined;
  return entries.find(
    (entry) =>
      entry.institutionId === item.institutionId &&
      entry.accounts.some((known) => item.accounts.some((account) => isSameAccount(known, account))),
  );
}

function isSameAccount(known: BankAccount, account: BankAccount): boolean {
  if (known.persistent_account_id !== null && account.persistent_account_id !== null) {
    return known.persistent_account_id === account.persistent_account_id;
  }
  return known.name === account.name && known.mask === account.mask;
}
