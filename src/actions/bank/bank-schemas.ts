import { z } from 'zod';
import { identifier } from '../../providers/shared/provider-text.ts';
import { singleLine } from '../shared/display-text.ts';
import type { Source } from '../shared/labels.ts';

/** A masked number shows its last four digits, at most half of them, and not its length. */
const SHOWN_DIGITS = 4;
/** Seven digits and more, with or without separators. */
const LONG_NUMBER = /\d(?:[ .-]?\d){6,}/g;

/** Schema of the bank's text. */
export const bankText = singleLine(200);

/** Some banks include the full number in an account's name. */
export const accountName = bankText.transform((name) => name.replace(LONG_NUMBER, masked));

export function masked(number: string): string {
  const shown = Math.min(SHOWN_DIGITS, Math.floor(number.length / 2));
  return `••••${shown === 0 ? '' : number.slice(-shown)}`;
}

export const accountIds = z
  .array(z.string().min(1).max(255))
  .min(1)
  .max(100)
  .optional()
  .describe('Only these of the bank’s accounts, by the ids in bank.balances.');

/** The aggregator's `options` of a call, omitted if empty. */
export function withOptions(options: Record<string, unknown>): { options?: Record<string, unknown> } {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return given.length === 0 ? {} : { options: Object.fromEntries(given) };
}

const currencies = { iso_currency_code: bankText.nullish(), unofficial_currency_code: bankText.nullish() };

/** ISO 4217, else the aggregator's code for other currencies, else null. */
function currencyOf(codes: { iso_currency_code?: string | null | undefined; unofficial_currency_code?: string | null | undefined }) {
  return codes.iso_currency_code ?? codes.unofficial_currency_code ?? null;
}

/** A transaction of the aggregator (Plaid: Transaction), converted to a row of the result. */
export const providerTransaction = z
  .object({
    transaction_id: identifier,
    account_id: identifier,
    date: bankText,
    authorized_date: bankText.nullish(),
    name: bankText.nullish(),
    merchant_name: bankText.nullish(),
    amount: z.number(),
    ...currencies,
    personal_finance_category: z.object({ primary: bankText, detailed: bankText.nullish() }).nullish(),
    pending: z.boolean(),
    pending_transaction_id: identifier.nullish(),
  })
  .transform(
    (given): z.output<typeof transactionRow> => ({
      id: given.transaction_id,
      date: given.date,
      authorized: given.authorized_date ?? null,
      name: given.name ?? null,
      merchant: given.merchant_name ?? null,
      amount: given.amount,
      currency: currencyOf(given),
      account: given.account_id,
      category: given.personal_finance_category?.primary ?? null,
      subcategory: given.personal_finance_category?.detailed ?? null,
      pending: given.pending,
      pending_id: given.pending_transaction_id ?? null,
    }),
  );

export const transactionRow = z.object({
  id: z.string(),
  date: z.string().describe('YYYY-MM-DD: the day it was posted, or authorized if it is pending.'),
  authorized: z.string().nullable().describe('YYYY-MM-DD: the day it was authorized.'),
  name: z.string().nullable(),
  merchant: z.string().nullable(),
  amount: z.number().describe('Positive for money out of the account, negative for money in.'),
  currency: z.string().nullable(),
  account: z.string().describe('Id of the account.'),
  category: z.string().nullable(),
  subcategory: z.string().nullable(),
  pending: z.boolean(),
  pending_id: z.string().nullable().describe('For a posted transaction: its id while it was pending.'),
});

/** The other party of a transfer writes its text. */
export function transactionSource({ id: item, name, merchant, date: time }: z.output<typeof transactionRow>): Source {
  const author = merchant ?? name;
  return { item, integrity: 'others', ...(author !== null && { author }), time, fields: ['name', 'merchant'] };
}

/** An account of the aggregator (Plaid: AccountBase), converted to a row of the result. */
export const providerAccount = z
  .object({
    account_id: identifier,
    name: accountName,
    official_name: accountName.nullish(),
    type: bankText,
    subtype: bankText.nullish(),
    mask: bankText.nullish(),
    balances: z.object({
      available: z.number().nullish(),
      current: z.number().nullish(),
      limit: z.number().nullish(),
      last_updated_datetime: bankText.nullish(),
      ...currencies,
    }),
  })
  .transform(
    ({ balances, ...given }): z.output<typeof accountRow> => ({
      id: given.account_id,
      name: given.name,
      official_name: given.official_name ?? null,
      type: given.type,
      subtype: given.subtype ?? null,
      mask: given.mask?.slice(-SHOWN_DIGITS) ?? null,
      balances: {
        available: balances.available ?? null,
        current: balances.current ?? null,
        limit: balances.limit ?? null,
        currency: currencyOf(balances),
        updated: balances.last_updated_datetime ?? null,
      },
    }),
  );

export const accountRow = z.object({
  id: z.string(),
  name: z.string(),
  official_name: z.string().nullable(),
  type: z.string(),
  subtype: z.string().nullable(),
  mask: z.string().nullable().describe('The last digits of the account number, if the bank provides them.'),
  balances: z.object({
    available: z.number().nullable(),
    current: z.number().nullable(),
    limit: z.number().nullable(),
    currency: z.string().nullable(),
    updated: z.string().nullable().describe('When the bank reported the balance, ISO 8601; null if unknown.'),
  }),
});
