import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import type { BankSandbox } from '../bank/bank-sandbox.ts';
import { line, number } from './happening.ts';

const MOST = 10_000_000;

export const bankBooking = z.strictObject({
  item_id: line(100).optional(),
  /** What is paid; negative: received. */
  amount: number(-MOST, MOST).optional(),
  merchant: line(100).optional(),
  category: z
    .string()
    .regex(/^[A-Z][A-Z_]{0,59}$/, 'must be a primary category, in capitals')
    .optional(),
  /** `pending`, `posted` at once, or `post`: all pending ones are posted. */
  state: z.enum(['pending', 'posted', 'post']).default('pending'),
});

/** A transaction at the newest bank that is linked. @throws AppError `not_found` without one */
export function book(bank: BankSandbox, given: z.output<typeof bankBooking>): object {
  const items = bank.linked();
  const item = given.item_id === undefined ? items.at(-1) : items.find(({ id }) => id === given.item_id);
  if (item === undefined) throw new AppError('not_found', 'No such bank is linked.');
  const { amount = 1_250, merchant = 'Atelier Nord Furniture', category = 'GENERAL_MERCHANDISE', state } = given;
  if (state === 'post') bank.post(item);
  else bank.book(item, { amount, merchant, category, isPosted: state === 'posted' });
  return { success: true, item_id: item.id };
}
