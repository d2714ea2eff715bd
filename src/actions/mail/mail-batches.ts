import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { fitting, jsonBytes } from '../shared/fitting.ts';
import { nextWithin, PAGE_BYTES, type PagePlace } from '../shared/page-part.ts';

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

/**
 * As many of the items that were read as fit into a result.
 *
 * @param listed the items of the provider's page that were to be read, from the place on
 * @param next the provider's token of the following page
 * @param bytes of the items' JSON
 */
export function fittingPart<Item extends { id: string }>(
  listed: readonly { id: string }[],
  done: readonly Item[],
  { place, next, bytes }: { place: PagePlace; next: string | undefined; bytes: number },
) {
  const items = fitting(done, bytes);
  const following = done[items.length];
  if (following === undefined) return { items, next };
  return { items, next: nextWithin(place, place.skip + listed.findIndex(({ id }) => id === following.id)) };
}

/** What a result has beside its items. */
export function bytesBeside(failed: unknown): number {
  return PAGE_BYTES + jsonBytes(failed);
}

function describe(error: unknown) {
  if (!(error instanceof AppError)) throw error;
  return { code: error.code, message: error.message, retry_after: error.retryAfter };
}
