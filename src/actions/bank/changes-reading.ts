import { z } from 'zod';
import { BankError, SYNC_MUTATION } from '../../providers/bank/bank-errors.ts';
import type { BankSession } from '../../providers/bank/bank-session.ts';
import { identifier } from '../../providers/shared/provider-text.ts';
import { list } from '../../providers/transport/response-list.ts';
import { schemaReader } from '../../providers/transport/responses.ts';
import { providerTransaction } from './bank-schemas.ts';

/** A position in an item's changes; '' = the beginning. A loop is the pages up to one without `has_more`. */
export interface SyncPosition {
  /** Cursor at the start of the current loop; equal to `cursor` between loops. */
  start: string;
  cursor: string;
}

type Changes = Pick<z.output<typeof page>, 'added' | 'modified' | 'removed'>;

export interface Reading extends Changes {
  position: SyncPosition;
  more: boolean;
  /** The aggregator has fetched the transactions. */
  ready: boolean;
  /** It started from the beginning. */
  reset: boolean;
  /** The loop was restarted: its earlier changes are repeated, with modifications. */
  restarted: boolean;
}

export const BEGINNING: SyncPosition = { start: '', cursor: '' };

/** The aggregator's largest page. */
const PAGE_SIZE = 500;
/** A page may have fewer changes than requested; bounds an aggregator that always reports more. */
const MAX_PAGES = 20;
const MAX_TRIES = 5;

const providerRemoval = z
  .object({ transaction_id: identifier, account_id: identifier.nullish() })
  .transform(({ transaction_id: id, account_id: account }) => ({ id, account: account ?? null }));
/** Stored unchanged. Empty: there is no data yet. */
const cursor = z.string().regex(/^[\x20-\x7e]{0,1000}$/);
const page = z.object({
  added: list(providerTransaction, PAGE_SIZE),
  modified: list(providerTransaction, PAGE_SIZE),
  removed: list(providerRemoval, PAGE_SIZE),
  next_cursor: cursor,
  has_more: z.boolean(),
});
export const syncPage = schemaReader(import.meta.url, 'syncPage', page);

/**
 * Reads about `max` changes from a position (Plaid: /transactions/sync). If transactions change during a loop, its pages
 * are dropped and the loop is restarted; for an unknown cursor, reading starts from the beginning.
 *
 * @param onPage called with the number of changes read so far
 * @throws BankError, AppError
 */
export async function readChanges(session: BankSession, from: SyncPosition, max: number, onPage: (read: number) => void): Promise<Reading> {
  let position = from;
  for (let tries = 1; ; tries += 1) {
    try {
      const read = await readLoop(session, position, max, onPage);
      const reset = position.cursor === '';
      return { ...read, reset, restarted: !reset && position !== from && from.cursor !== from.start };
    } catch (error) {
      const next = error instanceof BankError ? restartPosition(error.bankCode, position) : undefined;
      if (next === undefined || tries >= MAX_TRIES) throw error;
      position = next;
    }
  }
}

/** Where to restart after an error; undefined if that wouldn't help. */
function restartPosition(bankCode: string, position: SyncPosition): SyncPosition | undefined {
  if (bankCode === SYNC_MUTATION) return { start: position.start, cursor: position.start };
  // "cursor not associated with access_token": only the cursor can be invalid.
  if (bankCode === 'INVALID_FIELD' && position.cursor !== '') return BEGINNING;
  return undefined;
}

async function readLoop(
  session: BankSession,
  from: SyncPosition,
  max: number,
  onPage: (read: number) => void,
): Promise<Omit<Reading, 'reset' | 'restarted'>> {
  const changes: Changes = { added: [], modified: [], removed: [] };
  let { cursor } = from;
  let read = 0;
  for (let pages = 0; pages < MAX_PAGES && read < max; pages += 1) {
    const body = { ...(cursor !== '' && { cursor }), count: Math.min(PAGE_SIZE, max - read) };
    const page = await session.call('transactions/sync', body, syncPage);
    // The first fetch from the bank is still running; any changes in such a response are repeated later.
    if (page.next_cursor === '') return { added: [], modified: [], removed: [], position: from, more: false, ready: false };
    cursor = page.next_cursor;
    // Not spread into push(): a page far longer than requested would exceed the limit of arguments.
    for (const change of page.added) changes.added.push(change);
    for (const change of page.modified) changes.modified.push(change);
    for (const change of page.removed) changes.removed.push(change);
    read = changes.added.length + changes.modified.length + changes.removed.length;
    if (!page.has_more) return { ...changes, position: { start: cursor, cursor }, more: false, ready: true };
    onPage(read);
  }
  return { ...changes, position: { start: from.start, cursor }, more: true, ready: true };
}
