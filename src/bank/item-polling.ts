import { describeError } from '../observability/logger.ts';
import type { BankProvider } from '../providers/bank/bank-provider.ts';
import type { BankDeps } from './bank-deps.ts';
import { checkInBackground, type Reading } from './item-check.ts';
import { leaseDueItems } from './items-repository.ts';

/** Concurrent readings; the aggregator allows 5,000 a minute (Plaid: Rate limits). */
const BATCH = 10;
const MAX_READINGS = 1_000;
/** The next run is due after a minute. */
const RUN_MS = 40_000;

/**
 * Reads items that were not read for hours, because webhooks may be lost or not reach this service. Uses only the free
 * request that works in every state. Replicas lease what they read; an item that can't be read is retried after its lease.
 */
export async function checkDueItems(deps: BankDeps): Promise<void> {
  const { provider, db, clock, logger } = deps;
  if (provider === undefined) return;
  const end = clock.monotonic() + RUN_MS;
  for (let read = 0; read < MAX_READINGS && clock.monotonic() < end; read += BATCH) {
    const due = await leaseDueItems(db, BATCH);
    const checks = due.map((item) => checkInBackground(deps, item, { read: (accessToken) => readItem(deps, provider, accessToken) }));
    const failed = (await Promise.allSettled(checks)).filter((result) => result.status === 'rejected');
    for (const { reason } of failed) logger.info({ err: describeError(reason) }, 'a bank item could not be read; retrying later');
    // If every reading fails, the aggregator is unavailable: more requests would add to its load.
    if (due.length < BATCH || failed.length === due.length) return;
  }
}

/** Also updates the webhook address of items that were linked under another address of this service. */
async function readItem({ logger }: BankDeps, provider: BankProvider, accessToken: string): Promise<Reading> {
  const state = await provider.itemState(accessToken);
  const { webhookUrl } = provider;
  if (webhookUrl !== undefined && state.webhook !== webhookUrl) {
    await provider.updateWebhook(accessToken, webhookUrl).catch((error: unknown) => {
      logger.info({ err: describeError(error) }, 'a bank item’s webhook address could not be changed; retrying later');
    });
  }
  return state;
}
