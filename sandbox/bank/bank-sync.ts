import { z } from 'zod';
import type { Items } from './bank-items.ts';
import { withOddRow } from './bank-odd-rows.ts';
import { transactionBody } from './bank-responses.ts';
import { AggregatorError } from './bank-sandbox-errors.ts';
import type { Item } from './bank-state.ts';
import type { TransactionEvent } from './bank-transactions.ts';

/** A position in an item's log of events; opaque to clients. */
const place = z.object({
  item: z.string(),
  position: z.int().min(0),
  /** The generation of the loop that the next page belongs to; null at the end of a loop. */
  loop: z.int().nullable(),
});
type Place = z.output<typeof place>;

interface SyncRequest {
  cursor: string;
  count: number;
  /** Only changes of this account; undefined: of all. */
  account: string | undefined;
}

const MUTATION = 'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION';
const EMPTY = { added: [], modified: [], removed: [], next_cursor: '', has_more: false };

/**
 * One page of changes to an item's transactions, as Plaid's /transactions/sync.
 *
 * The first call for an item returns nothing, because it starts fetching from the bank. After a mutation, a cursor of an
 * unfinished loop is rejected, and the client starts again from the loop's first cursor. Of a stuck item every cursor is
 * rejected, which clients of the real one report, until the client starts from the beginning.
 *
 * @throws AggregatorError INVALID_FIELD for a cursor that isn't this item's, or
 *   TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION
 */
export function syncPage(items: Items, item: Item, { cursor, count, account }: SyncRequest): object {
  const from = readCursor(item, cursor);
  if (!item.transactionsReady) {
    items.change(item, { transactionsReady: true });
    return { transactions_update_status: 'NOT_READY', ...EMPTY };
  }
  if (cursor === '') items.change(item, { stuck: false });
  if (item.stuck === true) throw new AggregatorError(MUTATION);
  if (from.loop !== null) rejectMutated(items, item, from.loop);
  const events = items.events(item);
  const page = events.slice(from.position, from.position + count);
  const position = Math.min(from.position, events.length) + page.length;
  const hasMore = position < events.length;
  return {
    transactions_update_status: 'HISTORICAL_UPDATE_COMPLETE',
    ...pageBody(
      item,
      page.filter(({ transaction }) => account === undefined || transaction.account_id === account),
    ),
    next_cursor: writeCursor({ item: item.id, position, loop: hasMore ? item.generation : null }),
    has_more: hasMore,
  };
}

/** A mutation is reported when a further page is requested. */
function rejectMutated(items: Items, item: Item, loop: number): void {
  if (item.mutateNextPage) {
    items.change(item, { mutateNextPage: false, generation: item.generation + 1 });
    items.addChange(item, 'correction');
  }
  if (loop !== item.generation) throw new AggregatorError(MUTATION);
}

function pageBody(item: Item, page: readonly TransactionEvent[]): object {
  const bodies = (kind: TransactionEvent['kind']) => page.filter((event) => event.kind === kind).map((event) => event.transaction);
  return {
    added: withOddRow(item, bodies('added').map(transactionBody)),
    modified: withOddRow(item, bodies('modified').map(transactionBody)),
    removed: bodies('removed').map(({ transaction_id, account_id }) => ({ transaction_id, account_id })),
  };
}

function writeCursor(cursor: Place): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64');
}

function readCursor(item: Item, cursor: string): Place {
  if (cursor === '') return { item: item.id, position: 0, loop: null };
  const parsed = place.safeParse(decode(cursor));
  if (!parsed.success || parsed.data.item !== item.id) {
    throw new AggregatorError('INVALID_FIELD', 'cursor not associated with access_token');
  }
  return parsed.data;
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64').toString());
  } catch {
    return undefined;
  }
}
