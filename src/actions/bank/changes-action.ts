import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { RunContext } from '../shared/action.ts';
import { builtIn } from '../shared/built-in.ts';
import { transactionRow, transactionSource, unreadable, unreadableIn } from './bank-schemas.ts';
import { type Reading, readChanges } from './changes-reading.ts';
import { BEGINNING, decodePosition, encodePosition, isSamePosition, type SyncPosition } from './sync-position.ts';
import { advanceSyncState, type SyncItemRow, type SyncState, selectSyncItem } from './sync-states-repository.ts';

/** What a result needs beside the changes: two cursors, and names. */
const BESIDE_BYTES = 3_500;

export const changes = builtIn('bank', {
  name: 'bank.changes',
  effect: 'read',
  description:
    'Read the transactions that were added, modified or removed since the changes that any client has received; a pending one that is posted is removed and added. A result counts as received when its `cursor` is passed to the next call, also after the last one. Positive amounts are money out.',
  scopes: [],
  requires: 'transactions',
  input: z.strictObject({
    cursor: z
      .string()
      .max(4_096)
      .optional()
      .describe(
        '`cursor` of the previous result: it was received, read on. Left out: what no client has received. Empty: from the beginning.',
      ),
    max: z.int().min(1).max(1_000).default(100).describe('Most changes, roughly.'),
  }),
  output: z.object({
    added: z.array(transactionRow),
    modified: z.array(transactionRow),
    removed: z.array(z.object({ id: z.string(), account: z.string().nullable() })),
    unreadable,
    cursor: z.string().describe('Where the changes continue: pass this as `cursor` when the result was received.'),
    more: z.boolean().describe('There are more changes: call again with `cursor`.'),
    ready: z.boolean().describe('false: the bank’s transactions are still being fetched. Retry in a minute.'),
    reset: z
      .literal(true)
      .optional()
      .describe(
        'The result starts from the beginning (first call, bank connected again, or the bank’s changes could not be continued): discard all earlier results.',
      ),
    restarted: z
      .literal(true)
      .optional()
      .describe(
        'The transactions changed between two calls: discard the results since the last one with `more: false`; their content is repeated here.',
      ),
    repeated: z
      .literal(true)
      .optional()
      .describe('An earlier call returned some of these changes already, and no call has passed its `cursor`.'),
  }),
  sources: ({ added, modified }) => [...added, ...modified].map(transactionSource),
  summary: () => 'Read new and changed transactions',
  capBytes: 2 * 1024 * 1024,
  async run({ cursor, max }, context) {
    const { session, capBytes, progress } = context;
    const limits = { max, bytes: capBytes - BESIDE_BYTES };
    const read = (from: SyncPosition) => readChanges(session, from, limits, (count) => progress(`${count} changes read.`));
    const given = cursor === undefined ? undefined : decodePosition(cursor);
    if (given?.isShared === false) return toResult(await read(given.position), false);
    const stored = await storedPosition(context, given?.position);
    if (stored === undefined) return toResult(await read(given?.position ?? BEGINNING), false);
    const isRepeated = given === undefined && stored.offered !== undefined;
    return { ...toResult(await offered(context, stored, read), true), ...(isRepeated && { repeated: true as const }) };
  },
});

/** The stored position of an item. It moves when a result is received, because a result that is lost would take its changes with it. */
interface StoredPosition extends Pick<SyncState, 'offered'> {
  item: SyncItemRow;
  /** Up to here, the changes have been received. */
  from: SyncPosition;
}

/**
 * The stored position, moved to that of a result which the caller has received.
 *
 * @param received undefined: nothing is known to be received
 * @returns undefined if another caller has received something else since
 */
async function storedPosition(context: RunContext, received: SyncPosition | undefined): Promise<StoredPosition | undefined> {
  const { db, userId, account } = context;
  const item = await selectSyncItem(db, userId, account.id);
  if (item === undefined) throw new AppError('not_found', 'There is no such bank connection.');
  const state = item.syncState?.item === item.subject ? item.syncState : { item: item.subject, ...BEGINNING };
  if (received === undefined || isSamePosition(received, state)) return { item, from: positionOf(state), offered: state.offered };
  if (!isSamePosition(received, state.offered)) return undefined;
  const moved = { item: item.subject, ...received };
  await advance(context, item.syncState, moved);
  return { item: { ...item, syncState: moved }, from: received, offered: undefined };
}

/** Reads from the stored position, and remembers where the result ends: who passes its `cursor` has received it. */
async function offered(context: RunContext, { item, from, offered }: StoredPosition, read: (from: SyncPosition) => Promise<Reading>) {
  const reading = await read(from);
  const { ready, position } = reading;
  if (!ready || isSamePosition(position, from) || isSamePosition(position, offered)) return reading;
  const next = isEmpty(reading) ? position : { ...from, offered: position };
  await advance(context, item.syncState, { item: item.subject, ...next });
  return reading;
}

async function advance({ db, account: { id }, userId }: RunContext, seen: SyncState | null, next: SyncState): Promise<void> {
  if (await advanceSyncState(db, { id, userId }, seen, next)) return;
  throw new AppError('conflict', 'Another call read the changes of this bank at the same time. Retry.', { retryAfter: 1 });
}

/** Nothing is lost with it. */
function isEmpty({ added, modified, removed, unreadable: others, reset, restarted }: Reading): boolean {
  return !reset && !restarted && added.length + modified.length + removed.length + others === 0;
}

function positionOf({ start, cursor }: SyncPosition): SyncPosition {
  return { start, cursor };
}

function toResult({ added, modified, removed, unreadable: others, position, more, ready, reset, restarted }: Reading, isShared: boolean) {
  const flags = { ...(reset && { reset }), ...(restarted && { restarted }), ...unreadableIn(others) };
  return { added, modified, removed, cursor: encodePosition({ position, isShared }), more, ready, ...flags };
}
