import { z } from 'zod';
import { identifier, providerText, shownText } from '../provider-text.ts';
import { list } from '../response-list.ts';
import { type ItemHealth, itemHealth } from './bank-errors.ts';

export interface BankAccount {
  account_id: string;
  /** Stable across items of the same login, where the bank offers it. */
  persistent_account_id: string | null;
  name: string;
  /** Trailing digits; null where the bank gives none. */
  mask: string | null;
  /** `depository`, `credit`, …; missing where the bank doesn't say, or an older version stored the account. */
  type?: string;
}

/** What the aggregator says of an item itself. */
export interface ItemState {
  health: ItemHealth;
  /** When the user's consent ends; null = no end is known. */
  consentExpiresAt: Date | null;
  /** Where its events go; null = nowhere. */
  webhook: string | null;
}

/** An item with its accounts. */
export interface BankItem extends ItemState {
  institutionId: string | null;
  bankName: string;
  accounts: BankAccount[];
}

/** Nothing stands or falls with these: an odd list counts as none. */
const products = list(z.string(), 100).nullish().catch(undefined);

/** Answer of /item/get. */
export const itemAnswer = z.object({
  item: z.object({
    institution_id: identifier.nullish().catch(null),
    institution_name: shownText(500),
    error: z.object({ error_code: z.string().nullish(), error_type: z.string().nullish() }).nullish(),
    // What isn't a time, or an address, tells no more than none.
    consent_expiration_time: z.iso.datetime({ offset: true }).nullish().catch(null),
    webhook: z.string().nullish().catch(null),
    products: products,
    available_products: products,
    /** Missing where the aggregator asks users for no consent by product. */
    consented_products: products,
  }),
});

/** More than any login has: what is compared with each other must not be without end. */
const MAX_ACCOUNTS = 1_000;

/** Answer of /accounts/get. */
export const accountsAnswer = z.object({
  accounts: list(
    z.object({
      account_id: identifier,
      persistent_account_id: identifier.nullish().catch(null),
      name: shownText(500),
      // Trailing digits: cut, they would be others.
      mask: providerText(20).nullish().catch(null),
      type: providerText(100).nullish().catch(null),
    }),
    MAX_ACCOUNTS,
  ),
});

export function toItemState({ item }: z.output<typeof itemAnswer>): ItemState {
  const { error, consent_expiration_time: expiry, webhook } = item;
  return {
    health: error === null || error === undefined ? 'active' : itemHealth(error.error_code ?? '', error.error_type ?? ''),
    consentExpiresAt: expiry === null || expiry === undefined ? null : new Date(expiry),
    webhook: webhook ?? null,
  };
}

export function toBankItem(itemData: z.output<typeof itemAnswer>, { accounts }: z.output<typeof accountsAnswer>): BankItem {
  const { institution_id: institutionId, institution_name: bankName } = itemData.item;
  return {
    ...toItemState(itemData),
    institutionId: institutionId ?? null,
    bankName: bankName || 'Bank',
    accounts: accounts.map((account) => ({
      account_id: account.account_id,
      persistent_account_id: account.persistent_account_id ?? null,
      name: account.name || 'Account',
      mask: account.mask ?? null,
      ...(account.type != null && { type: account.type }),
    })),
  };
}

/** Those of the products that the bank offers and the user has not agreed to (Plaid: Data Transparency Messaging). */
export function productsWithoutConsent({ item }: z.output<typeof itemAnswer>, wanted: readonly string[]): string[] {
  const { products: added, available_products: available, consented_products: consented } = item;
  if (consented == null) return [];
  const isOffered = (product: string) => available == null || available.includes(product);
  return wanted.filter((product) => !consented.includes(product) && !(added ?? []).includes(product) && isOffered(product));
}
