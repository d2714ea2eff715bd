import { describeError } from '../observability/logger.ts';
import type { BankProvider } from '../providers/bank/bank-provider.ts';
import type { BankDeps } from './bank-deps.ts';
import { leaseDueItems } from './checks-repository.ts';
import { checkItem, type Reading, unlessRefused } from './item-check.ts';

/** At a time; the aggregator allows 5,000 readings of items a minute (Plaid: Rate limits). */
const BATCH = 10;
const MOST_A_RUN = 1_000;
/** The next run is due after a minute. */
const RUN_MS = 40_000;

/**
 * Reads items again that nobody has read for hours: webhooks are lost when we
 * are away for a day, and may not reach us at all. Only the free call that
 * works in every state is made. Replicas lease what they read; what can't be
 * read now comes up again after its lease.
 */
export async function checkDueItems(deps: BankDeps): Promise<void> {
  const { provider, db, logger } = deps;
  if (provider === undefined) return;
  const end = performance.now() + RUN_MS;
  for (let read = 0; read < MOST_A_RUN && performance.now() < end; read += BATCH) {
    const due = await leaseDueItems(db, BATCH);
    const results = await Promise.allSettled(due.map((entry) => checkOne(deps, provider, entry)));
    const failed = results.filter((result) => result.status === 'rejected');
    for (const { reason } of failed) logger.info({ err: describeError(reason) }, 'a bank item could not be read; it will be tried again');
    // Where nothing can be read the aggregator is away, and asking on would only add to its trouble.
    if (due.length < BATCH || failed.length === due.length) return;
  }
}

async function checkOne(deps: BankDeps, provider: BankProvider, entry: { id: string; userId: string }): Promise<void> {
  await checkItem(deps, entry, { read: (accessToken) => readItem(deps, provider, accessToken) }).catch(unlessRefused);
}

/** Items linked before the service had its address of now are told of it. */
async function readItem({ logger }: BankDeps, provider: BankProvider, accessToken: string): Promise<Reading> {
  const state = await provider.itemState(accessToken);
  const { webhookUrl } = provider;
  if (webhookUrl !== undefined && state.webhook !== webhookUrl) {
    await provider.updateWebhook(accessToken, webhookUrl).catch((error: unknown) => {
      logger.info({ err: describeError(error) }, 'a bank item’s webhook address could not be changed; it will be tried again');
    });
  }
  return state;
}
