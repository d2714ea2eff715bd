import { z } from 'zod';
import { type EntryHealth, entryHealth } from './bank-errors.ts';
import { identifier, providerText } from './provider-text.ts';

export interface BankAccount {
  account_id: string;
  /** Stable across items of the same login, where the bank offers it. */
  persistent_account_id: string | null;
  name: string;
  /** Trailing digits; null where the bank gives none. */
  mask: string | null;
}

/** What the aggregator says of an item itself. */
export interface ItemState {
  health: EntryHealth;
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

/** Answer of /item/get. */
export const itemAnswer = z.object({
  item: z.object({
    institution_id: identifier.nullish(),
    institution_name: providerText(500).nullish(),
    error: z.object({ error_code: z.string(), error_type: z.string().nullish() }).nullish(),
    consent_expiration_time: z.iso.datetime({ offset: true }).nullish(),
    webhook: z.string().nullish(),
  }),
});

/** Answer of /accounts/get. */
export const accountsAnswer = z.object({
  accounts: z.array(
    z.object({
      account_id: identifier,
      persistent_account_id: identifier.nullish(),
      name: providerText(500),
      mask: providerText(20).nullish(),
    }),
  ),
});

export function toItemState({ item }: z.output<typeof itemAnswer>): ItemState {
  const { error, consent_expiration_time: expiry, webhook } = item;
  return {
    health: error === null || error === undefined ? 'active' : entryHealth(error.error_code, error.error_type ?? ''),
    consentExpiresAt: expiry === null || expiry === undefined ? null : new Date(expiry),
    webhook: webhook ?? null,
  };
}

export function toBankItem(itemData: z.output<typeof itemAnswer>, { accounts }: z.output<typeof accountsAnswer>): BankItem {
  const { institution_id: institutionId, institution_name: bankName } = itemData.item;
  return {
    ...toItemState(itemData),
    institutionId: institutionId ?? null,
    bankName: bankName ?? 'Bank',
    accounts: accounts.map((account) => ({
      account_id: account.account_id,
      persistent_account_id: account.persistent_account_id ?? null,
      name: account.name,
      mask: account.mask ?? null,
    })),
  };
}
