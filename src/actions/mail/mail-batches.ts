import { z } from 'zod';
import { AppError } from '../../errors.ts';

/** Errors by item. */
export const failures = z
  .array(z.object({ id: z.string(), error: z.object({ code: z.string(), message: z.string(), retry_after: z.number().optional() }) }))
  .optional()
  .describe('Items that failed, each with its error; absent if none failed.');

/**
 * Runs an operation for each item and collects results and errors.
 *
 * @throws AppError the first error if all items failed
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
  return { done, failed: failed.length > 0 ? failed : undefined };
}

function describe(error: unknown) {
  if (!(error instanceof AppError)) throw error;
  return { code: error.code, message: error.message, retry_after: error.retryAfter };
}
