import { z } from 'zod';
import { identifier } from '../../providers/shared/provider-text.ts';
import { readableRows } from '../../providers/transport/response-list.ts';
import type { RunContext } from '../shared/action.ts';
import { singleLine } from '../shared/display-text.ts';
import { fitting } from '../shared/fitting.ts';
import type { Source } from '../shared/labels.ts';
import type { Shown } from '../shared/shown.ts';

/** A masked number shows its last four digits, at most half of them, and not its length. */
const SHOWN_DIGITS = 4;
/** Seven digits of any script and more, with or without separators. */
const LONG_NUMBER = /\p{Nd}(?:[\p{Zs}\p{Pd}._/]{0,3}\p{Nd}){6,}/gu;

export function masked(number: string): string {
  const shown = Math.min(SHOWN_DIGITS, Math.floor(number.length / 2));
  return `••••${shown === 0 ? '' : number.slice(-shown)}`;
}

export const accountIds = z
  .array(z.string().min(1).max(255))
  .min(1)
  .max(100)
  .optional()
  .describe('Ids of accounts, as in bank.balances; default all.');

/** For a question's list: the accounts that a call names, by their names. */
export async function shownAccounts(
  { account_ids }: { account_ids?: string[] | undefined },
  _facts: unknown,
  { session }: Pick<RunContext<'bank'>, 'session'>,
): Promise<Shown> {
  if (account_ids === undefined) return {};
  const { accounts } = await session.call('accounts/get', withOptions({ account_ids }), z.object({ accounts: readableRows(namedAccount) }));
  return { items: { account_ids: accounts.rows.map(({ name }) => ({ name })) } };
}

/** Input: where to continue a list of accounts, which the aggregator gives as a whole. */
export const fromAccount = z.int().min(0).max(100_000).default(0).describe('`next` of the previous result.');
export const nextAccount = z.int().optional().describe('There are more accounts: pass this as `from`.');

/** As many of the accounts from a place on as fit into a result. */
export function accountsPart<Account>(all: readonly Account[], from: number, capBytes: number): { accounts: Account[]; next?: number } {
  const accounts = fitting(all.slice(from), capBytes - BESIDE_BYTES);
  const next = from + accounts.length;
  return { accounts, ...(next < all.length && { next }) };
}

/** The other members of a result with accounts. */
const BESIDE_BYTES = 200;

/** The aggregator's `options` of a call, omitted if empty. */
export function withOptions(options: Record<string, unknown>): { options?: Record<string, unknown> } {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return given.length === 0 ? {} : { options: Object.fromEntries(given) };
}

/**
 * A member that may be null or missing, whatever the aggregator documents; another value than documented counts as missing:
 * one member must not hide the row, nor one row its page.
 */
export function optional<S extends z.ZodType>(schema: S) {
  return schema
    .nullish()
    .catch(null)
    .transform((value): z.output<S> | null => value ?? null);
}

/** More than all money in any currency; sums of such numbers are none. */
const MOST = 1e24;

/** An empty text says nothing. */
const text = optional(singleLine.refine((value) => value.trim() !== ''));
/** Some banks include the full number in an account's name. */
const accountName = text.transform((name) => name?.replace(LONG_NUMBER, masked) ?? null);
const amount = optional(z.number().min(-MOST).max(MOST));
/** Some banks send the time, too. */
const day = optional(
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}(?:[T ]|$)/)
    .transform((given) => given.slice(0, 'YYYY-MM-DD'.length)),
);
const id = optional(identifier);

/** What the aggregator calls an account of none of its other types. */
const OTHER_TYPE = 'other';

const currencies = { iso_currency_code: text, unofficial_currency_code: text };

/** ISO 4217, else the aggregator's code for other currencies, else null. */
function currencyOf(codes: { iso_currency_code: string | null; unofficial_currency_code: string | null }) {
  return codes.iso_currency_code ?? codes.unofficial_currency_code;
}

/** A transaction of the aggregator (Plaid: Transaction), converted to a row of the result. Only its id is required. */
export const providerTransaction = z
  .object({
    transaction_id: identifier,
    account_id: id,
    date: day,
    authorized_date: day,
    name: text,
    merchant_name: text,
    amount,
    ...currencies,
    personal_finance_category: optional(z.object({ primary: text, detailed: text })),
    pending: optional(z.boolean()),
    pending_transaction_id: id,
  })
  .transform(
    (given): z.output<typeof transactionRow> => ({
      id: given.transaction_id,
      date: given.date,
      authorized: given.authorized_date,
      name: given.name,
      merchant: given.merchant_name,
      amount: given.amount,
      currency: currencyOf(given),
      account: given.account_id,
      category: given.personal_finance_category?.primary ?? null,
      subcategory: given.personal_finance_category?.detailed ?? null,
      // Some banks leave it out for what they have posted.
      pending: given.pending ?? false,
      pending_id: given.pending_transaction_id,
    }),
  );

export const transactionRow = z.object({
  id: z.string(),
  date: z.string().nullable().describe('YYYY-MM-DD: the day it was posted, or authorized if it is pending.'),
  authorized: z.string().nullable().describe('YYYY-MM-DD: the day it was authorized.'),
  name: z.string().nullable(),
  merchant: z.string().nullable(),
  amount: z.number().nullable().describe('Positive for money out of the account, negative for money in.'),
  currency: z.string().nullable(),
  account: z.string().nullable().describe('Id of the account.'),
  category: z.string().nullable(),
  subcategory: z.string().nullable(),
  pending: z.boolean(),
  pending_id: z.string().nullable().describe('For a posted transaction: its id while it was pending.'),
});

/** Number of rows that have no usable id, and are not in a result. */
export const unreadable = z.int().optional().describe('Number of entries of the bank that could not be read and are left out.');

/** The member of a result, if there are any. */
export function unreadableIn(count: number): { unreadable?: number } {
  return count === 0 ? {} : { unreadable: count };
}

/** The other party of a transfer writes its text. */
export function transactionSource({ id: item, name, merchant, date }: z.output<typeof transactionRow>): Source {
  const [author, time] = [merchant ?? name, date];
  return { item, integrity: 'others', ...(author !== null && { author }), ...(time !== null && { time }), fields: ['name', 'merchant'] };
}

const accountFields = {
  account_id: identifier,
  name: accountName,
  official_name: accountName,
  type: text,
  subtype: text,
  mask: text,
};

function toAccount(given: z.output<z.ZodObject<typeof accountFields>>) {
  return {
    id: given.account_id,
    name: given.name ?? given.official_name ?? 'Account',
    official_name: given.official_name,
    type: given.type ?? OTHER_TYPE,
    subtype: given.subtype,
    mask: given.mask?.slice(-SHOWN_DIGITS) ?? null,
  };
}

/** An account of the aggregator (Plaid: AccountBase) without its balances. Only its id is required. */
export const namedAccount = z.object(accountFields).transform(toAccount);

const providerBalances = z.object({ available: amount, current: amount, limit: amount, last_updated_datetime: text, ...currencies });
const NO_BALANCES = providerBalances.parse({});

/** The same with its balances, as a row of the result. */
export const providerAccount = z
  .object({ ...accountFields, balances: optional(providerBalances) })
  .transform(({ balances, ...given }): z.output<typeof accountRow> => {
    const { available, current, limit, last_updated_datetime: updated, ...codes } = balances ?? NO_BALANCES;
    return { ...toAccount(given), balances: { available, current, limit, currency: currencyOf(codes), updated } };
  });

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
