import { z } from 'zod';
import { distinctBy } from '../../validation/distinct-by.ts';
import { identifier, providerText, shownText } from '../shared/provider-text.ts';
import { list, readableRows } from '../transport/response-list.ts';
import { type ItemHealth, itemHealth } from './bank-errors.ts';

/** A text that the bank may leave out; an invalid one counts as left out. */
function optionalText(schema: z.ZodType<string>) {
  return schema
    .nullish()
    .catch(null)
    .transform((value) => value ?? null);
}

const account = z.object({
  account_id: identifier,
  /** Stable across items of the same login, if the bank provides it. */
  persistent_account_id: optionalText(identifier),
  name: shownText(500).transform((name) => name || 'Account'),
  /** The last 2 to 4 characters of the number (Plaid: AccountBase); null if the bank provides none. */
  mask: optionalText(providerText(20)).transform((mask) => mask?.slice(-4) ?? null),
  /** `depository`, `credit`, …; missing if the bank does not say, or an older version stored the account. */
  type: optionalText(providerText(100))
    .transform((type) => type ?? undefined)
    .optional(),
});
export type BankAccount = z.output<typeof account>;

/** The aggregator's data about an item itself. */
export interface ItemState {
  health: ItemHealth;
  /** When the user's consent expires; null: unknown. */
  consentExpiresAt: Date | null;
  /** Where its webhooks are sent; null: nowhere. */
  webhook: string | null;
}

/** An item with its accounts. */
export interface BankItem extends ItemState {
  institutionId: string | null;
  bankName: string;
  accounts: BankAccount[];
}

/** Optional information; an invalid list counts as none. */
const products = list(z.string(), 100).nullish().catch(undefined);

/** Response of /item/get. */
export const itemResponse = z.object({
  item: z.object({
    institution_id: optionalText(identifier),
    institution_name: shownText(500),
    error: z.object({ error_code: z.string().nullish().catch(null), error_type: z.string().nullish().catch(null) }).nullish(),
    // An invalid time or address counts as none.
    consent_expiration_time: z.iso.datetime({ offset: true }).nullish().catch(null),
    webhook: optionalText(z.string()),
    products: products,
    available_products: products,
    /** Missing if the aggregator requires no consent by product. */
    consented_products: products,
  }),
});

/** More than any login has. The limit bounds the comparison of accounts. */
const MAX_ACCOUNTS = 1_000;

/** Response of /accounts/get. */
export const accountsResponse = z
  .object({ accounts: readableRows(account, MAX_ACCOUNTS) })
  .transform(({ accounts: { rows } }) => ({ accounts: distinctBy(rows, ({ account_id }) => account_id) }));

export function toItemState({ item }: z.output<typeof itemResponse>): ItemState {
  const { error, consent_expiration_time: expiry, webhook } = item;
  return {
    health: error === null || error === undefined ? 'active' : itemHealth(error.error_code ?? '', error.error_type ?? ''),
    consentExpiresAt: expiry === null || expiry === undefined ? null : new Date(expiry),
    webhook,
  };
}

export function toBankItem(itemData: z.output<typeof itemResponse>, { accounts }: z.output<typeof accountsResponse>): BankItem {
  const { institution_id: institutionId, institution_name: bankName } = itemData.item;
  return {
    ...toItemState(itemData),
    institutionId,
    bankName: bankName || 'Bank',
    accounts,
  };
}

/** Products that the bank offers and the user has not consented to (Plaid: Data Transparency Messaging). */
export function productsWithoutConsent({ item }: z.output<typeof itemResponse>, wanted: readonly string[]): string[] {
  const { products: added, available_products: available, consented_products: consented } = item;
  if (consented == null) return [];
  const isOffered = (product: string) => available == null || available.includes(product);
  return wanted.filter((product) => !consented.includes(product) && !(added ?? []).includes(product) && isOffered(product));
}
