import { z } from 'zod';
import { identifier } from '../../providers/provider-text.ts';
import { list } from '../../providers/response-list.ts';
import { schemaReader } from '../../providers/responses.ts';
import { builtIn } from '../built-in.ts';
import { accountIds, accountName, bankText, providerTransaction, transactionRow, withOptions } from './bank-schemas.ts';

const MAX_ROWS = 500;

const page = z.object({
  accounts: list(
    z
      .object({ account_id: identifier, name: accountName, mask: bankText.nullish() })
      .transform(({ account_id: id, name, mask }) => ({ id, name, mask: mask?.slice(-4) ?? null })),
  ),
  transactions: list(providerTransaction, MAX_ROWS),
  total_transactions: z.int().min(0),
});
export const transactionsPage = schemaReader(import.meta.url, 'transactionsPage', page);

/** Shown with a short pattern: zod's own knows leap years, in 200 characters. */
const day = z.iso
  .date({ error: ({ input }) => (input === undefined ? undefined : 'must be a day, YYYY-MM-DD') })
  .meta({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });

export const transactions = builtIn({
  name: 'bank.transactions',
  provider: 'bank',
  effect: 'read',
  description:
    'Read the transactions of a bank between two days, the newest first, pending ones included. A positive amount is money out, a negative one money in.',
  scopes: [],
  requires: 'transactions',
  input: z
    .strictObject({
      from: day.describe('First day, YYYY-MM-DD.'),
      to: day.describe('Last day, YYYY-MM-DD; it is included.'),
      account_ids: accountIds,
      max: z.int().min(1).max(MAX_ROWS).default(100).describe('How many at most.'),
      page: z
        .string()
        .regex(/^\d{1,9}$/, 'must be the `next` of an answer')
        .default('0')
        .describe('`next` of the answer before, to go on there.'),
    })
    .refine(({ from, to }) => from <= to, { path: ['to'], message: 'must not be before from' }),
  output: z.object({
    items: z.array(transactionRow),
    total: z.int().describe('How many there are in all. If it differs between pages, something happened meanwhile: begin again.'),
    accounts: z.array(z.object({ id: z.string(), name: z.string(), mask: z.string().nullable() })),
    next: z.string().optional().describe('There are more: pass it as `page`.'),
  }),
  summary: ({ from, to }) => `Read transactions from ${from} to ${to}`,
  capBytes: 512 * 1024,
  async run({ from, to, account_ids, max, page }, { session }) {
    const offset = Number(page);
    const options = withOptions({ account_ids, count: max, offset });
    const given = await session.call('transactions/get', { start_date: from, end_date: to, ...options }, transactionsPage);
    const end = offset + given.transactions.length;
    const more = given.transactions.length > 0 && end < given.total_transactions;
    return { items: given.transactions, total: given.total_transactions, accounts: given.accounts, ...(more && { next: String(end) }) };
  },
});
