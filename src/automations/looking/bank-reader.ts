import { z } from 'zod';
import type { providerTransaction } from '../../actions/bank/bank-schemas.ts';
import { readChanges } from '../../actions/bank/changes-reading.ts';
import { BEGINNING } from '../../actions/bank/sync-position.ts';
import type { BankSession } from '../../providers/bank/bank-session.ts';
import { dayOf } from './bank-day.ts';
import type { BankTransaction } from './event-types.ts';
import type { Found, LookInput } from './look-types.ts';

/** Of one look. */
const LIMITS = { max: 5_000, bytes: 4 * 1024 * 1024 };
const DAY_MS = 24 * 3_600_000;
/** How long before the last look a bank's day may be of which it reports a transaction only now. */
const LATE_MS = 3 * DAY_MS;

const cursor = z.string().max(1_000);
const storedPosition = z.object({
  /** The aggregator's id of the item that the cursors belong to. */
  item: z.string(),
  start: cursor,
  cursor,
  /** Of a loop that began at the beginning: the first day that counts; null: none does. */
  since: z.string().nullable().optional(),
});

/**
 * Transactions that were added or modified since a cursor (Plaid: /transactions/sync), which is another one than that of
 * `bank.changes`. One that is posted has the occurrence that it had while it was pending.
 *
 * @throws BankError, AppError
 */
export async function readBank(session: BankSession, input: LookInput): Promise<Found> {
  const known = storedPosition.safeParse(input.position).data;
  // The transactions of a bank that was connected again have other ids.
  const isOther = known !== undefined && known.item !== input.subject;
  const from = known === undefined || isOther ? BEGINNING : { start: known.start, cursor: known.cursor };
  const { added, modified, position, more, ready, reset } = await readChanges(session, from, LIMITS, () => {});
  // The aggregator is still fetching what the bank has.
  if (!ready) return { position: input.position, events: [], more: false };
  const since = reset ? firstDay(input, known === undefined, isOther) : known?.since;
  const events = [
    ...added.map((row) => toEvent(input.accountId, row, true)),
    ...modified.map((row) => toEvent(input.accountId, row, false)),
  ].filter(({ day }) => since === undefined || (since !== null && day !== null && day >= since));
  const stored = { item: input.subject, ...position, ...(more && since !== undefined && { since }) };
  return { position: stored, events, more };
}

/** Of a reading that begins at the beginning: the first day of which something may be missing; null: nothing is. */
function firstDay({ since }: LookInput, isFirst: boolean, isOther: boolean): string | null {
  if (isFirst) return null;
  // What the earlier connection has reported under other ids would start again.
  return dayOf(isOther ? since + DAY_MS : since - LATE_MS);
}

function toEvent(account: string, row: z.output<typeof providerTransaction>, isNew: boolean): BankTransaction {
  const texts = (...given: (string | null)[]) => given.filter((text) => text !== null);
  return {
    event: 'bank.transaction',
    occurrence: `bank:${account}:${row.pending_id ?? row.id}`,
    ids: { transaction: row.id },
    at: undefined,
    amount: row.amount,
    day: row.date,
    isNew,
    merchant: texts(row.merchant, row.name),
    category: texts(row.category, row.subcategory).map((text) => text.replaceAll('_', ' ')),
  };
}
