import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { BankError, isUnknownCursor, SYNC_MUTATION } from '../../providers/bank/bank-errors.ts';
import type { BankSession } from '../../providers/bank/bank-session.ts';
import { optionalRows } from '../../providers/transport/response-list.ts';
import { schemaReader } from '../../providers/transport/responses.ts';
import { jsonBytes } from '../shared/fitting.ts';
import { providerTransaction } from './bank-schemas.ts';
import { type Changes, NetChanges, providerRemoval } from './net-changes.ts';
import { BEGINNING, type SyncPosition } from './sync-position.ts';

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

export interface ReadingLimits {
  /** Most changes, roughly. */
  max: number;
  /** Most bytes of the changes' JSON. */
  bytes: number;
}

/** The aggregator's largest page. */
const PAGE_SIZE = 500;
/** A page may have fewer changes than requested; bounds an aggregator that always reports more. */
const MAX_PAGES = 20;
/** From a loop's start, and then from the beginning. */
const TRIES = 4;
/** A usual change, bytes of JSON. */
const USUAL_BYTES = 400;
/** Rows are of different lengths: of a page that didn't fit, a little less than the same share is requested. */
const MARGIN = 0.8;
/** Another page is read if this share of the bytes is left for it. */
const WORTH_READING = 0.25;

/** Stored unchanged. Empty or null: there is no data yet. */
const cursor = z
  .string()
  .regex(/^[\x20-\x7e]{0,1000}$/)
  .nullable()
  .transform((given) => given ?? '');
const page = z.object({
  added: optionalRows(providerTransaction, PAGE_SIZE),
  modified: optionalRows(providerTransaction, PAGE_SIZE),
  removed: optionalRows(providerRemoval, PAGE_SIZE),
  next_cursor: cursor,
  has_more: z.boolean(),
});
export const syncPage = schemaReader(import.meta.url, 'syncPage', page);

/**
 * Reads changes from a position (Plaid: /transactions/sync). If transactions change during a loop, its pages are dropped
 * and the loop is restarted. For a cursor that is unknown, or with which the aggregator reports such a change again and
 * again, reading starts from the beginning: nothing else ends that.
 *
 * @param onPage called with the number of changes read so far
 * @throws BankError, AppError
 */
export async function readChanges(
  session: BankSession,
  from: SyncPosition,
  limits: ReadingLimits,
  onPage: (read: number) => void,
): Promise<Reading> {
  let position = from;
  for (let tries = 1; ; tries += 1) {
    try {
      const read = await readLoop(session, position, limits, onPage);
      const reset = position.cursor === '';
      return { ...read, reset, restarted: !reset && position !== from && from.cursor !== from.start };
    } catch (error) {
      const next = restartPosition(error, position, tries);
      if (next === undefined) throw error;
      if (next.start !== position.start) tries = 0;
      position = next;
    }
  }
}

/** Where to restart after an error; undefined if that wouldn't help. @param tries from the position's loop */
function restartPosition(error: unknown, { start, cursor }: SyncPosition, tries: number): SyncPosition | undefined {
  if (isUnknownCursor(error) && cursor !== '') return BEGINNING;
  const isStuck = error instanceof CursorStuck || (error instanceof BankError && error.bankCode === SYNC_MUTATION);
  if (!isStuck) return undefined;
  if (tries < TRIES) return { start, cursor: start };
  return start === '' ? undefined : BEGINNING;
}

/** The aggregator reports more changes after a cursor, and gives one for them that has been sent. */
class CursorStuck extends AppError {
  constructor() {
    super('unavailable', 'The bank’s list of changes does not advance. Try again.', { retryAfter: 60 });
  }
}

async function readLoop(
  session: BankSession,
  from: SyncPosition,
  { max, bytes }: ReadingLimits,
  onPage: (read: number) => void,
): Promise<Omit<Reading, 'reset' | 'restarted'>> {
  const changes = new NetChanges();
  const sent = new Set<string>();
  let { cursor } = from;
  let [read, left] = [0, bytes];
  for (let pages = 0; pages < MAX_PAGES && read < max && (read === 0 || left >= bytes * WORTH_READING); pages += 1) {
    const found = await readPage(session, cursor, { max: max - read, bytes: left }, read === 0);
    if (found === undefined) break;
    const { page, size } = found;
    // The first fetch from the bank is still running; any changes in such a response are repeated later.
    if (page.next_cursor === '') return { ...NO_CHANGES, position: from, more: false, ready: false };
    sent.add(cursor);
    if (page.has_more && sent.has(page.next_cursor)) throw new CursorStuck();
    cursor = page.next_cursor;
    read = changes.add(page);
    left -= size;
    if (!page.has_more) return { ...changes.all(), position: { start: cursor, cursor }, more: false, ready: true };
    onPage(read);
  }
  return { ...changes.all(), position: { start: from.start, cursor }, more: true, ready: true };
}

const NO_CHANGES: Changes = { added: [], modified: [], removed: [], unreadable: 0 };

/** A page that fits. @returns undefined: it doesn't, and is not needed, because others have been read before it */
async function readPage(session: BankSession, cursor: string, { max, bytes }: ReadingLimits, isNeeded: boolean) {
  for (let count = Math.min(PAGE_SIZE, max, most(bytes / USUAL_BYTES)); ; ) {
    const page = await session.call('transactions/sync', { ...(cursor !== '' && { cursor }), count }, syncPage);
    const size = jsonBytes([page.added.rows, page.modified.rows, page.removed.rows]);
    if (size <= bytes || (count === 1 && isNeeded)) return { page, size };
    if (!isNeeded) return undefined;
    count = most(MARGIN * count * (bytes / size));
  }
}

function most(count: number): number {
  return Math.max(1, Math.floor(count));
}
