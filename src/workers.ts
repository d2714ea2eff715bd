import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Services } from './context.ts';
import { maintainPartitions } from './database/partitions.ts';
import { deleteExpiredRows, EXPIRING } from './database/retention.ts';
import { deleteOldOutcomes } from './executor/approvals/approval-outcomes-repository.ts';
import type { ExecuteSql, Jobs } from './jobs/jobs.ts';
import { deleteOldResponses } from './oauth/entries/entries-repository.ts';
import { describeError } from './observability/logger.ts';

const SIX_HOURS = 6 * 3600;
const EIGHT_DAYS = 8 * 24 * 3600;
/** While the aggregator does not respond; after a day, an event is dropped. */
const WEBHOOK_RETRIES = { retrySeconds: 30, retryMaxSeconds: 3600, keepSeconds: 2 * 24 * 3600 };
const START_RETRY_MS = 15_000;

/**
 * Background work: revocations until the provider confirms them, and a sweep of expired data every minute. It starts
 * after the service is ready, and retries until the database is available.
 */
export class Workers {
  readonly #context: Services;
  readonly #pollSeconds: number | undefined;
  #jobs: Jobs | undefined;
  #starting: Promise<void> | undefined;
  readonly #stopping = new AbortController();

  constructor(context: Services, pollSeconds?: number) {
    this.#context = context;
    this.#pollSeconds = pollSeconds;
  }

  start(): void {
    this.#starting = this.#keepStarting();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#starting;
    await this.#jobs?.stop();
  }

  async #keepStarting(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#startOnce();
        this.#context.logger.debug('background work has started');
        return;
      } catch (error) {
        this.#context.logger.warn({ err: describeError(error) }, 'background work could not start; retrying');
        // A queue that has started takes its schema for granted.
        await this.#jobs?.stop().catch(() => {});
        this.#jobs = undefined;
        await this.#context.clock.sleep(START_RETRY_MS, { signal }).catch(() => {});
      }
    }
  }

  async #startOnce(): Promise<void> {
    const { grants, revocations, webhooks, bankDeps, config, clock, db, embedded, logger, telemetry } = this.#context;
    // Loaded after the service is ready, because the queue's library takes longest to load; in another turn of the
    // event loop, so that the service is announced first.
    await nextTurn();
    const { Jobs } = await import('./jobs/jobs.ts');
    const executeSql: ExecuteSql = (text, values) => db.executeSql(text, values);
    const jobs = new Jobs({ executeSql, embedded, clock, logger, telemetry, pollSeconds: this.#pollSeconds });
    this.#jobs = jobs;
    await jobs.start();
    const retry = { retrySeconds: config.limits.revocationRetrySeconds, retryMaxSeconds: SIX_HOURS, keepSeconds: EIGHT_DAYS };
    const enqueue = await jobs.work('revoke', retry, (id) => revocations.attempt(id));
    revocations.jobs.start(enqueue);
    webhooks.jobs.start(await jobs.work('bank-webhook', WEBHOOK_RETRIES, (id) => webhooks.handle(id)));
    await jobs.everyMinute('bank-check', async () => (await import('./bank/item-polling.ts')).checkDueItems(bankDeps));
    await jobs.everyMinute('erase', async () => (await import('./users/erasures.ts')).sweepErasures(db));
    await jobs.everyMinute('sweep', () => sweep(this.#context));
    // Work that a killed process left behind does not wait for the first minute.
    await revocations.sweep();
    await webhooks.sweep();
    await grants.sweep();
  }
}

async function sweep(context: Services): Promise<void> {
  const { db, grants, revocations, webhooks, approvalExpiry, assistant, automations, logger } = context;
  const steps = [
    async () => (await import('./connections/confirmation-service.ts')).sweepConfirmations(context),
    () => revocations.sweep(),
    () => webhooks.sweep(),
    () => approvalExpiry.endExpired(),
    () => deleteOldOutcomes(db),
    () => deleteOldResponses(db),
    () => maintainPartitions(db, logger),
    ...EXPIRING.map((table) => () => deleteExpiredRows(db, table)),
    () => assistant.endAbandoned(),
    () => automations.sweep(),
    // Last, because a key service is slow.
    () => grants.sweep(),
  ];
  // A failed step must not prevent the others.
  for (const step of steps) {
    await step().catch((error: unknown) => logger.warn({ err: describeError(error) }, 'a step of the sweep failed'));
  }
}
