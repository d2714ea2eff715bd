import { z } from 'zod';
import { readableRows } from '../../providers/transport/response-list.ts';
import { distinctBy } from '../../validation/distinct-by.ts';
import type { RunContext } from '../shared/action.ts';
import { builtIn } from '../shared/built-in.ts';
import {
  accountIds,
  accountRow,
  accountsPart,
  fromAccount,
  nextAccount,
  providerAccount,
  shownAccounts,
  unreadable,
  unreadableIn,
  withOptions,
} from './bank-schemas.ts';
import { selectSyncItem } from './sync-states-repository.ts';

const accountsResponse = z.object({ accounts: readableRows(providerAccount) });

/** The only bank whose cards and loans require `min_last_updated_datetime` (Plaid: /accounts/balance/get). */
const REQUIRES_OLDEST = 'ins_128026';
const OLDEST_MS = 7 * 24 * 3_600_000;

export const balances = builtIn('bank', {
  name: 'bank.balances',
  effect: 'read',
  description: 'Read the accounts of a bank with their balances. For a card or loan, `current` is the amount owed.',
  scopes: [],
  input: z.strictObject({
    account_ids: accountIds,
    live: z
      .boolean()
      .default(false)
      .describe('Ask the bank now: slow, charged for, and limited to a few a day. Else the last known balances.'),
    from: fromAccount,
  }),
  output: z.object({ accounts: z.array(accountRow), live: z.boolean(), unreadable, next: nextAccount }),
  sources: ({ accounts }) => accounts.map(({ id: item, name }) => ({ item, integrity: 'others', name })),
  summary: ({ live }) => (live ? 'Request current balances from the bank' : 'Read balances'),
  shown: shownAccounts,
  costs: ({ live }) => live,
  // A live response can take over 30 s.
  timeoutMs: 60_000,
  async run({ from, ...wanted }, context) {
    const { rows, unreadable: others } = (await (wanted.live ? readLive : readKnown)(wanted, context)).accounts;
    return {
      ...accountsPart(
        distinctBy(rows, ({ id }) => id),
        from,
        context.capBytes,
      ),
      ...unreadableIn(others),
      live: wanted.live,
    };
  },
});

interface Wanted {
  account_ids?: string[] | undefined;
}

function readKnown({ account_ids }: Wanted, { session }: RunContext<'bank'>) {
  return session.call('accounts/get', withOptions({ account_ids }), accountsResponse);
}

async function readLive({ account_ids }: Wanted, { session, db, clock, userId, account, progress }: RunContext<'bank'>) {
  progress('Requesting balances from the bank. This can take a minute.');
  const item = await selectSyncItem(db, userId, account.id);
  const oldest = item?.institutionId === REQUIRES_OLDEST ? `${new Date(clock.now() - OLDEST_MS).toISOString().slice(0, 19)}Z` : undefined;
  const options = withOptions({ account_ids, min_last_updated_datetime: oldest });
  return session.call('accounts/balance/get', options, accountsResponse);
}
