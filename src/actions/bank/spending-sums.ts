import { z } from 'zod';
import { nameKey } from '../../validation/lower-case.ts';
import type { transactionRow } from './bank-schemas.ts';
import { fromUnits, toUnits } from './exact-amounts.ts';

type Transaction = z.output<typeof transactionRow>;
type Spendable = Transaction & { amount: number };

const currency = z.string().nullable();

/** What was spent, by currency. */
export const amounts = z.object({
  currency,
  amount: z.number().describe('Spent, less refunds.'),
  refunds: z.number().describe('Money back, already subtracted.'),
  pending: z.number().describe('The part of `amount` that is not posted yet and may change.'),
  count: z.int(),
});
/** The same by name. */
export const sum = z.object({ name: z.string().nullable().describe('Category or merchant; null: the bank names none.'), ...amounts.shape });
/** Money that moved without being spent. */
export const leftOut = z.object({ kind: z.enum(['transfer', 'income']), currency, in: z.number(), out: z.number(), count: z.int() });

type Sum = z.output<typeof sum>;
type LeftOut = z.output<typeof leftOut>;

interface Units {
  out: bigint;
  in: bigint;
  pending: bigint;
  count: number;
}

interface Group<Label> extends Units {
  label: Label;
  currency: string | null;
}

/** Plaid's personal finance categories for money that stays the user's, or is lent (plaid.com/docs, "PFC taxonomy"). */
const TRANSFERS: ReadonlySet<string> = new Set(['TRANSFER_IN', 'TRANSFER_OUT', 'LOAN_DISBURSEMENTS']);
/** The purchases with the card are counted. */
const CARD_PAYMENT = 'LOAN_PAYMENTS_CREDIT_CARD_PAYMENT';
/** Cash is spent without a trace. */
const CASH = 'TRANSFER_OUT_WITHDRAWAL';
const INCOME = 'INCOME';

/**
 * Adds up what was spent, exactly. Refunds reduce the sum of their name. Transfers, payments of the user's cards and
 * income are left out, and added up separately; so is money in without a category. A pending transaction that is also
 * there as posted counts once, and one without an amount doesn't.
 *
 * @returns the largest sums first
 */
export function sumSpending(rows: readonly Transaction[], by: 'category' | 'merchant'): { sums: Sum[]; totals: Sum[]; moved: LeftOut[] } {
  const [sums, totals, others] = [new Groups<string | null>(), new Groups<null>(), new Groups<LeftOut['kind']>()];
  const replaced = new Set(rows.flatMap(({ pending_id: id }) => id ?? []));
  for (const row of rows) {
    if (!hasAmount(row) || (row.pending && replaced.has(row.id))) continue;
    const kind = kindOf(row);
    if (kind === 'spending') {
      sums.add(by === 'category' ? row.category : (row.merchant ?? row.name), row);
      totals.add(null, row);
    } else others.add(kind, row);
  }
  return { sums: sums.all.map(spent), totals: totals.all.map(spent), moved: others.all.map(moved) };
}

/** What has no amount can't be added up. */
export function hasAmount(row: Transaction): row is Spendable {
  return row.amount !== null;
}

function kindOf({ category, subcategory, amount }: Spendable): 'spending' | LeftOut['kind'] {
  if (subcategory === CARD_PAYMENT || (category !== null && TRANSFERS.has(category) && subcategory !== CASH)) return 'transfer';
  if (category === INCOME || (category === null && amount < 0)) return 'income';
  return 'spending';
}

/** Sums by label, whatever its case, and currency. */
class Groups<Label extends string | null> {
  readonly #groups = new Map<string, Group<Label>>();

  get all(): Group<Label>[] {
    const net = (group: Group<Label>) => group.out - group.in;
    return [...this.#groups.values()].sort((one, other) => (net(one) === net(other) ? 0 : net(one) > net(other) ? -1 : 1));
  }

  add(label: Label, { amount, currency, pending }: Spendable): void {
    const key = JSON.stringify([label && nameKey(label), currency]);
    const group = this.#groups.get(key) ?? { label, currency, out: 0n, in: 0n, pending: 0n, count: 0 };
    this.#groups.set(key, group);
    const units = toUnits(amount);
    if (units > 0n) group.out += units;
    else group.in -= units;
    if (pending) group.pending += units;
    group.count += 1;
  }
}

function spent({ label: name, currency, count, ...units }: Group<string | null>): Sum {
  const amount = fromUnits(units.out - units.in);
  return { name, currency, amount, refunds: fromUnits(units.in), pending: fromUnits(units.pending), count };
}

function moved({ label: kind, currency, count, ...units }: Group<LeftOut['kind']>): LeftOut {
  return { kind, currency, in: fromUnits(units.in), out: fromUnits(units.out), count };
}
