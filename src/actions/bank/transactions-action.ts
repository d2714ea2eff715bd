import { z } from 'zod';
import { optionalRows, readableRows } from '../../providers/transport/response-list.ts';
import { schemaReader } from '../../providers/transport/responses.ts';
import { distinctBy } from '../../validation/distinct-by.ts';
import type { RunContext } from '../shared/action.ts';
import { builtIn } from '../shared/built-in.ts';
import { fitting, jsonBytes } from '../shared/fitting.ts';
import type { Shown } from '../shared/shown.ts';
import {
  accountIds,
  namedAccount,
  providerTransaction,
  shownAccounts,
  transactionRow,
  transactionSource,
  unreadable,
  unreadableIn,
  withOptions,
} from './bank-schemas.ts';
import { closedRange, isOrdered, NOT_ORDERED, rangeFields, showDays, shownDays } from './day-range.ts';

/** The most that the aggregator returns at once. */
export const MAX_ROWS = 500;

/** Names of accounts take at most this share of a result. */
const ACCOUNTS_SHARE = 3;
/** The other members of a result. */
const BESIDE_BYTES = 200;

const page = z.object({
  accounts: optionalRows(namedAccount),
  transactions: readableRows(providerTransaction, MAX_ROWS),
  total_transactions: z.int().min(0),
});
export const transactionsPage = schemaReader(import.meta.url, 'transactionsPage', page);

export const transactions = builtIn('bank', {
  name: 'bank.transactions',
  effect: 'read',
  description: 'Read the transactions between two days, newest first, pending ones included. Positive amounts are money out.',
  scopes: [],
  requires: 'transactions',
  input: z
    .strictObject({
      ...rangeFields,
      account_ids: accountIds,
      max: z.int().min(1).max(MAX_ROWS).default(100).describe('Most transactions.'),
      page: z
        .string()
        .regex(/^\d{1,9}$/, 'must be the `next` of a result')
        .optional()
        .describe('`next` of the previous result.'),
    })
    .refine(isOrdered, NOT_ORDERED),
  output: z.object({
    items: z.array(transactionRow),
    total: z.int().describe('Total number of transactions. If it differs between pages, the transactions have changed: start again.'),
    accounts: z.array(z.object({ id: z.string(), name: z.string(), mask: z.string().nullable() })),
    unreadable,
    next: z.string().optional().describe('There are more: pass this as `page`.'),
  }),
  sources: ({ items }) => items.map(transactionSource),
  summary: (range) => `Read transactions ${showDays(range)}`,
  shown: shownQuery,
  capBytes: 512 * 1024,
  async run({ account_ids, max, page = '0', ...range }, { session, clock, timeZone, capBytes }) {
    const { from, to } = await closedRange(range, { clock, timeZone });
    const offset = Number(page);
    const options = withOptions({ account_ids, count: max, offset });
    const response = await session.call('transactions/get', { start_date: from, end_date: to, ...options }, transactionsPage);
    const { rows, unreadable: others } = response.transactions;
    const accounts = fitting(distinctBy(response.accounts.rows, ({ id }) => id).map(toName), capBytes / ACCOUNTS_SHARE);
    const items = fitting(rows, capBytes - jsonBytes(accounts) - BESIDE_BYTES);
    // Those that can't be read may stand anywhere among the rows.
    const end = offset + (items.length < rows.length ? items.length : rows.length + others);
    const more = rows.length + others > 0 && end < response.total_transactions;
    return {
      items: distinctBy(items, ({ id }) => id),
      total: response.total_transactions,
      accounts,
      ...unreadableIn(others),
      ...(more && { next: String(end) }),
    };
  },
});

function toName({ id, name, mask }: z.output<typeof namedAccount>) {
  return { id, name, mask };
}

/** For a question's list: the accounts and days of a call on transactions. */
export async function shownQuery(
  input: Parameters<typeof shownAccounts>[0] & Parameters<typeof closedRange>[0],
  facts: unknown,
  context: RunContext<'bank'>,
): Promise<Shown> {
  return { ...(await shownAccounts(input, facts, context)), span: shownDays(await closedRange(input, context)) };
}
