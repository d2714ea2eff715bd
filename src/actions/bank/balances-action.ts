import { z } from 'zod';
import { list } from '../../providers/response-list.ts';
import { builtIn } from '../built-in.ts';
import { accountIds, accountRow, providerAccount, withOptions } from './bank-schemas.ts';
import { selectEntry } from './sync-states-repository.ts';

const answer = z.object({ accounts: list(providerAccount) });

/** The one bank that needs to be told how old a balance of a card or loan may be (Plaid: /accounts/balance/get). */
const NEEDS_OLDEST = 'ins_128026';
const OLDEST_MS = 7 * 24 * 3_600_000;

export const balances = builtIn({
  name: 'bank.balances',
  provider: 'bank',
  effect: 'read',
  description: 'Read the accounts of a bank with their balances. On a card or loan `current` is what is owed.',
  scopes: [],
  input: z.strictObject({
    account_ids: accountIds,
    live: z
      .boolean()
      .default(false)
      .describe(
        'Ask the bank now: slow (up to a minute), and paid for, so only a few a day are allowed. Default: the balances of the last visit there, which are free.',
      ),
  }),
  output: z.object({ accounts: z.array(accountRow), live: z.boolean() }),
  summary: ({ live }) => (live ? 'Ask the bank for its balances' : 'Read balances'),
  costs: ({ live }) => live,
  // A live answer can take over 30 s.
  timeoutMs: 60_000,
  async run({ account_ids, live }, { session, db, userId, account, progress }) {
    if (!live) return { ...(await session.call('accounts/get', withOptions({ account_ids }), answer)), live };
    progress('Asking the bank. This can take a minute.');
    const entry = await selectEntry(db, userId, account.id);
    const oldest = entry?.institutionId === NEEDS_OLDEST ? `${new Date(Date.now() - OLDEST_MS).toISOString().slice(0, 19)}Z` : undefined;
    const options = withOptions({ account_ids, min_last_updated_datetime: oldest });
    return { ...(await session.call('accounts/balance/get', options, answer)), live };
  },
});
