import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { RunContext } from '../shared/action.ts';
import { builtIn } from '../shared/built-in.ts';
import { fitting, jsonBytes } from '../shared/fitting.ts';
import { accountIds, type transactionRow, unreadable, unreadableIn, withOptions } from './bank-schemas.ts';
import { closedRange, isOrdered, NOT_ORDERED, rangeFields, showDays } from './day-range.ts';
import { amounts, hasAmount, leftOut, sum, sumSpending } from './spending-sums.ts';
import { MAX_ROWS, shownQuery, transactionsPage } from './transactions-action.ts';

/** Transactions of one call: ten requests of the aggregator, which permits 30 per minute for each bank. */
const MAX_READ = 5_000;
const TRIES = 3;
const MAX_SUMS = 200;
/** The other members of a result. */
const BESIDE_BYTES = 500;

type Transaction = z.output<typeof transactionRow>;

export const spending = builtIn('bank', {
  name: 'bank.spending',
  effect: 'read',
  description:
    'Add up what was spent in a range of days by category or merchant, per currency. Transfers between accounts, card payments and income are added up separately.',
  scopes: [],
  requires: 'transactions',
  input: z
    .strictObject({
      by: z.enum(['category', 'merchant']).default('category').describe('What to group by.'),
      ...rangeFields,
      account_ids: accountIds,
      max: z.int().min(1).max(MAX_SUMS).default(50).describe('Most sums, the largest first.'),
    })
    .refine(isOrdered, NOT_ORDERED),
  output: z.object({
    from: z.string(),
    to: z.string(),
    sums: z.array(sum),
    more: z
      .int()
      .describe(
        'Number of sums that were not returned; `totals` contain them. Read them with a larger `max`, fewer accounts or a shorter range.',
      ),
    totals: z.array(amounts),
    left_out: z.array(leftOut),
    unreadable,
    truncated: z
      .object({ read: z.int(), total: z.int(), oldest: z.string().nullable().describe('Day of the oldest transaction that was read.') })
      .optional()
      .describe('There are more transactions than were read, the newest: the sums are incomplete. Use a shorter range.'),
  }),
  summary: ({ by, ...range }) => `Add up spending by ${by} ${showDays(range)}`,
  shown: shownQuery,
  async run({ by, account_ids, max, ...range }, { session, clock, timeZone, progress, capBytes }) {
    const { from, to } = await closedRange(range, { clock, timeZone });
    const { rows, unreadable, read, total } = await readAll(session, { from, to, account_ids, progress });
    const { sums, totals, moved } = sumSpending(rows, by);
    const shown = fitting(sums.slice(0, max), capBytes - jsonBytes([totals, moved]) - BESIDE_BYTES);
    return {
      from,
      to,
      sums: shown,
      more: sums.length - shown.length,
      totals,
      left_out: moved,
      ...unreadableIn(unreadable + rows.filter((row) => !hasAmount(row)).length),
      ...(read < total && { truncated: { read, total, oldest: oldestOf(rows) } }),
    };
  },
});

type Session = RunContext<'bank'>['session'];

interface Query {
  from: string;
  to: string;
  account_ids: string[] | undefined;
  progress(message: string): void;
}

/** @throws AppError `conflict` when the transactions change during each attempt: pages would miss some, or have them twice */
async function readAll(session: Session, query: Query) {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const read = await readPages(session, query);
    if (read !== undefined) return read;
  }
  throw new AppError('conflict', 'The transactions changed while they were read. Retry.', { retryAfter: 1 });
}

/** Newest first. @returns undefined when the transactions changed between two pages */
async function readPages(session: Session, { from, to, account_ids, progress }: Query) {
  const rows = new Map<string, Transaction>();
  let unreadable = 0;
  for (let total = MAX_READ, offset = 0; ; ) {
    const options = withOptions({ account_ids, count: MAX_ROWS, offset });
    const page = await session.call('transactions/get', { start_date: from, end_date: to, ...options }, transactionsPage);
    if (offset > 0 && page.total_transactions !== total) return undefined;
    total = page.total_transactions;
    const { rows: found, unreadable: others } = page.transactions;
    // A page may repeat a transaction; what a page before it had has moved.
    if (found.some(({ id }) => rows.has(id))) return undefined;
    for (const row of found) rows.set(row.id, row);
    unreadable += others;
    offset += found.length + others;
    if (found.length + others === 0 || offset >= Math.min(total, MAX_READ)) {
      return { rows: [...rows.values()], unreadable, read: offset, total };
    }
    progress(`${offset} of ${total} transactions read.`);
  }
}

function oldestOf(rows: readonly Transaction[]): string | null {
  return rows.reduce<string | null>((oldest, { date }) => (date !== null && (oldest === null || date < oldest) ? date : oldest), null);
}
