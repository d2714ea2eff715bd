import { z } from 'zod';
import { AppError } from '../../errors.ts';

/** What could not be done, item by item. */
export const failures = z
  .array(z.object({ id: z.string(), error: z.object({ code: z.string(), message: z.string(), retry_after: z.number().optional() }) }))
  .optional()
  .describe('Items that failed, each with its error; absent when none did.');

/**
 * Does one thing for each item; what failed stands beside what worked.
 *
 * @throws AppError the first failure when nothing worked
 */
export async function forEach<Item extends { id: string }, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>) {
  const settled = await Promise.allSettled(items.map(run));
  const done: Result[] = [];
  const failed: NonNullable<z.output<typeof failures>> = [];
  for (const [index, outcome] of settled.entries()) {
    if (outcome.status === 'fulfilled') done.push(outcome.value);
    else failed.push({ id: items[index]?.id ?? '', error: describe(outcome.reason) });
  }
  const first = settled.find((outcome) => outcome.status === 'rejected');
  if (done.length === 0 && first !== undefined) throw first.reason;
  return { done, ...(failed.length > 0 && { failed }) };
}

function describe(error: unknown) {
  if (!(error instanceof AppError)) throw error;
  const { code, message, retryAfter } = error;
  return { code, message, ...(retryAfter !== undefined && { retry_after: retryAfter }) };
}
