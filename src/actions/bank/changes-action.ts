import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { RunContext } from '../action.ts';
import { builtIn } from '../built-in.ts';
import { transactionRow } from './bank-schemas.ts';
import { BEGINNING, type Place, type Reading, readChanges } from './changes-reading.ts';
import { advanceSyncState, selectEntry } from './sync-states-repository.ts';

export const changes = builtIn({
  name: 'bank.changes',
  provider: 'bank',
  effect: 'read',
  description: `Read the transactions of a bank that were added, modified or removed since the last call. Without \`cursor\` it goes on where the entry's last call without one ended, whoever made it; keep the \`cursor\` of each answer to read again from there. A posted transaction is a removed pending one and an added one. A positive amount is money out, a negative one money in.`,
  scopes: [],
  requires: 'transactions',
  input: z.strictObject({
    cursor: z
      .string()
      .max(4_096)
      .optional()
      .describe('`cursor` of an earlier answer, to read from there; empty = from the beginning. The entry’s own place stays.'),
    max: z.int().min(1).max(1_000).default(100).describe('About how many changes at most.'),
  }),
  output: z.object({
    added: z.array(transactionRow),
    modified: z.array(transactionRow),
    removed: z.array(z.object({ id: z.string(), account: z.string().nullable() })),
    cursor: z.string(),
    more: z.boolean().describe('There are more: call again.'),
    ready: z.boolean().describe('false: the bank’s transactions are still being fetched. Try again in a minute.'),
    reset: z
      .literal(true)
      .optional()
      .describe('This begins at the beginning (first call, bank linked anew, or place lost): forget all earlier answers.'),
    restarted: z
      .literal(true)
      .optional()
      .describe(
        'Something changed between two calls: forget the answers since the last one that had `more: false`; their content is here again.',
      ),
  }),
  summary: () => 'Read new and changed transactions',
  // A row that is cut away would be lost: the place has moved past it.
  capBytes: 2 * 1024 * 1024,
  async run({ cursor, max }, context) {
    const read = (from: Place) => readChanges(context.session, from, max, (count) => context.progress(`${count} changes read.`));
    return shown(cursor === undefined ? await readOn(context, read) : await read(decode(cursor)));
  },
});

/** From the entry's own place, which moves on only if nobody else moved it meanwhile. */
async function readOn({ db, userId, account }: RunContext, read: (from: Place) => Promise<Reading>): Promise<Reading> {
  const entry = await selectEntry(db, userId, account.id);
  if (entry === undefined) throw new AppError('not_found', 'There is no such bank account entry.');
  const { syncState: seen, subject } = entry;
  const reading = await read(seen?.item === subject ? seen : BEGINNING);
  if (!reading.ready || isSame(reading.place, seen)) return reading;
  if (await advanceSyncState(db, { id: account.id, userId }, seen, { item: subject, ...reading.place })) return reading;
  throw new AppError('conflict', 'Another call read the changes of this bank at the same time. Try again.', { retryAfter: 1 });
}

function isSame(place: Place, seen: Place | null): boolean {
  return place.start === seen?.start && place.cursor === seen.cursor;
}

function shown({ added, modified, removed, place, more, ready, reset, restarted }: Reading) {
  const marks = { ...(reset && { reset }), ...(restarted && { restarted }) };
  return { added, modified, removed, cursor: encode(place), more, ready, ...marks };
}

const places = z.tuple([z.string().max(1_000), z.string().max(1_000)]);

/** Between loops the aggregator's own cursor; within one, `~` and both places: whoever goes on must be able to begin the loop again. */
function encode({ start, cursor }: Place): string {
  return start === cursor ? cursor : `~${Buffer.from(JSON.stringify([start, cursor])).toString('base64url')}`;
}

function decode(given: string): Place {
  if (!given.startsWith('~')) return { start: given, cursor: given };
  const parsed = places.safeParse(parse(Buffer.from(given.slice(1), 'base64url').toString()));
  if (!parsed.success) throw new AppError('invalid_request', 'cursor: must be the `cursor` of an answer');
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
