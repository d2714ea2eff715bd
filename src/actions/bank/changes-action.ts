import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { RunContext } from '../shared/action.ts';
import { builtIn } from '../shared/built-in.ts';
import { transactionRow, transactionSource } from './bank-schemas.ts';
import { BEGINNING, type Reading, readChanges, type SyncPosition } from './changes-reading.ts';
import { advanceSyncState, selectSyncItem } from './sync-states-repository.ts';

export const changes = builtIn('bank', {
  name: 'bank.changes',
  effect: 'read',
  description:
    'Read the transactions of a bank that were added, modified or removed since the last call without `cursor`, from any client; a pending one that is posted is removed and added. Positive amounts are money out.',
  scopes: [],
  requires: 'transactions',
  input: z.strictObject({
    cursor: z.string().max(4_096).optional().describe('Read from the `cursor` of an earlier result; empty = from the beginning.'),
    max: z.int().min(1).max(1_000).default(100).describe('Most changes, roughly.'),
  }),
  output: z.object({
    added: z.array(transactionRow),
    modified: z.array(transactionRow),
    removed: z.array(z.object({ id: z.string(), account: z.string().nullable() })),
    cursor: z.string(),
    more: z.boolean().describe('There are more changes: call again.'),
    ready: z.boolean().describe('false: the bank’s transactions are still being fetched. Retry in a minute.'),
    reset: z
      .literal(true)
      .optional()
      .describe('The result starts from the beginning (first call, bank connected again, or position lost): discard all earlier results.'),
    restarted: z
      .literal(true)
      .optional()
      .describe(
        'The transactions changed between two calls: discard the results since the last one with `more: false`; their content is repeated here.',
      ),
  }),
  sources: ({ added, modified }) => [...added, ...modified].map(transactionSource),
  summary: () => 'Read new and changed transactions',
  // A truncated row would be lost, because the stored position is already after it.
  capBytes: 2 * 1024 * 1024,
  async run({ cursor, max }, context) {
    const read = (from: SyncPosition) => readChanges(context.session, from, max, (count) => context.progress(`${count} changes read.`));
    return toResult(cursor === undefined ? await continueReading(context, read) : await read(decode(cursor)));
  },
});

/** Reads from the item's stored position, which is advanced unless another call has done so in the meantime. */
async function continueReading({ db, userId, account }: RunContext, read: (from: SyncPosition) => Promise<Reading>): Promise<Reading> {
  const item = await selectSyncItem(db, userId, account.id);
  if (item === undefined) throw new AppError('not_found', 'There is no such bank connection.');
  const { syncState: seen, subject } = item;
  const reading = await read(seen?.item === subject ? seen : BEGINNING);
  const { ready, position } = reading;
  if (!ready || (position.start === seen?.start && position.cursor === seen.cursor)) return reading;
  if (await advanceSyncState(db, { id: account.id, userId }, seen, { item: subject, ...position })) return reading;
  throw new AppError('conflict', 'Another call read the changes of this bank at the same time. Retry.', { retryAfter: 1 });
}

function toResult({ added, modified, removed, position, more, ready, reset, restarted }: Reading) {
  const flags = { ...(reset && { reset }), ...(restarted && { restarted }) };
  return { added, modified, removed, cursor: encode(position), more, ready, ...flags };
}

const encodedPosition = z.tuple([z.string().max(1_000), z.string().max(1_000)]);

/** Between loops the aggregator's cursor; within a loop, `~` and both cursors, so that the loop can be restarted. */
function encode({ start, cursor }: SyncPosition): string {
  return start === cursor ? cursor : `~${Buffer.from(JSON.stringify([start, cursor])).toString('base64url')}`;
}

function decode(encoded: string): SyncPosition {
  if (!encoded.startsWith('~')) return { start: encoded, cursor: encoded };
  const parsed = encodedPosition.safeParse(parse(Buffer.from(encoded.slice(1), 'base64url').toString()));
  if (!parsed.success) throw new AppError('invalid_request', 'cursor: must be the `cursor` of an earlier result');
  const [start, cursor] = parsed.data;
  return { start, cursor };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
