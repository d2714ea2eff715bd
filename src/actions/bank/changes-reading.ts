import { z } from 'zod';
import { BankError, SYNC_MUTATION } from '../../providers/bank/bank-errors.ts';
import type { BankSession } from '../../providers/bank/bank-session.ts';
import { identifier } from '../../providers/provider-text.ts';
import { list } from '../../providers/response-list.ts';
import { schemaReader } from '../../providers/responses.ts';
import { providerTransaction } from './bank-schemas.ts';

/** A place in an item's changes; '' = the beginning. A loop is what lies between two answers without `has_more`. */
export interface Place {
  /** Where the loop that this place is in began; the same as `cursor` between loops. */
  start: string;
  cursor: string;
}

export interface Changes {
  added: z.output<typeof providerTransaction>[];
  modified: z.output<typeof providerTransaction>[];
  removed: z.output<typeof removedAnswer>[];
}

export interface Reading extends Changes {
  place: Place;
  more: boolean;
  /** The aggregator has transactions to give. */
  ready: boolean;
  /** It began at the beginning. */
  reset: boolean;
  /** It began again where its loop had begun: what came earlier in that loop comes again, changed. */
  restarted: boolean;
}

export const BEGINNING: Place = { start: '', cursor: '' };

/** Largest page of the aggregator's. */
const PAGE = 500;
/** A page may hold less than was asked for; an aggregator that always says "more" must not hold us. */
const MAX_PAGES = 20;
const MAX_TRIES = 5;

const removedAnswer = z
  .object({ transaction_id: identifier, account_id: identifier.nullish() })
  .transform(({ transaction_id: id, account_id: account }) => ({ id, account: account ?? null }));
/** Kept in the database as it is. Empty: there is nothing yet. */
const cursor = z.string().regex(/^[\x20-\x7e]{0,1000}$/);
const page = z.object({
  added: list(providerTransaction, PAGE),
  modified: list(providerTransaction, PAGE),
  removed: list(removedAnswer, PAGE),
  next_cursor: cursor,
  has_more: z.boolean(),
});
export const syncAnswer = schemaReader(import.meta.url, 'syncAnswer', page);

/**
 * Changes from a place on, about `max` of them. When the transactions change
 * under it, all its pages are dropped and it begins again where the loop
 * began; a cursor that the item doesn't know means the beginning
 * (Plaid: /transactions/sync).
 *
 * @param onPage told how many were read so far
 * @throws BankError, AppError
 */
export async function readChanges(session: BankSession, from: Place, max: number, onPage: (read: number) => void): Promise<Reading> {
  let place = from;
  for (let tries = 1; ; tries += 1) {
    try {
      const read = await readLoop(session, place, max, onPage);
      const reset = place.cursor === '';
      return { ...read, reset, restarted: !reset && place !== from && from.cursor !== from.start };
    } catch (error) {
      const next = error instanceof BankError ? placeAfter(error.bankCode, place) : undefined;
      if (next === undefined || tries >= MAX_TRIES) throw error;
      place = next;
    }
  }
}

/** Where to begin again after a refusal; undefined where that wouldn't help. */
function placeAfter(bankCode: string, place: Place): Place | undefined {
  if (bankCode === SYNC_MUTATION) return { start: place.start, cursor: place.start };
  // "cursor not associated with access_token": of all that is sent, only the cursor can be wrong.
  if (bankCode === 'INVALID_FIELD' && place.cursor !== '') return BEGINNING;
  return undefined;
}

async function readLoop(
  session: BankSession,
  from: Place,
  max: number,
  onPage: (read: number) => void,
): Promise<Omit<Reading, 'reset' | 'restarted'>> {
  const changes: Changes = { added: [], modified: [], removed: [] };
  let { cursor } = from;
  let read = 0;
  for (let pages = 0; pages < MAX_PAGES && read < max; pages += 1) {
    const body = { ...(cursor !== '' && { cursor }), count: Math.min(PAGE, max - read) };
    const page = await session.call('transactions/sync', body, syncAnswer);
    // The first pull from the bank is still under way; what would come with such an answer comes again.
    if (page.next_cursor === '') return { added: [], modified: [], removed: [], place: from, more: false, ready: false };
    cursor = page.next_cursor;
    // Not as arguments: a page that is far longer than was asked for has more than a call can take.
    for (const one of page.added) changes.added.push(one);
    for (const one of page.modified) changes.modified.push(one);
    for (const one of page.removed) changes.removed.push(one);
    read = changes.added.length + changes.modified.length + changes.removed.length;
    if (!page.has_more) return { ...changes, place: { start: cursor, cursor }, more: false, ready: true };
    onPage(read);
  }
  return { ...changes, place: { start: from.start, cursor }, more: true, ready: true };
}
