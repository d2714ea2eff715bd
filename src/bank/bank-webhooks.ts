import { AppError } from '../errors.ts';
import { RowJobs } from '../jobs/row-jobs.ts';
import type { WebhookKeys } from '../providers/bank/bank-webhook-keys.ts';
import type { BankDeps } from './bank-deps.ts';
import { insertWebhook, markHandled, markWebhookQueued, selectUnqueuedWebhooks, selectWebhook } from './webhooks-repository.ts';

const SWEEP_BATCH = 500;

/** The aggregator's events: verified, stored, acknowledged, and handled afterwards by a job. */
export class BankWebhooks {
  readonly #deps: BankDeps;
  readonly #keys: WebhookKeys | undefined;
  readonly jobs: RowJobs;

  /** @param keys undefined: the aggregator is not configured */
  constructor(deps: BankDeps, keys: WebhookKeys | undefined) {
    this.#deps = deps;
    this.#keys = keys;
    this.jobs = new RowJobs('webhook', (id) => markWebhookQueued(deps.db, id), deps.logger);
  }

  /**
   * Receives a webhook; when this resolves, it is stored.
   *
   * @param proofs values of the header `Plaid-Verification`
   * @param body the bytes as received
   * @throws AppError `not_configured`, `invalid_token`, `rate_limited`, `invalid_request`, `unavailable`
   */
  async receive(proofs: readonly string[], body: Uint8Array): Promise<void> {
    try {
      this.#deps.telemetry.count('webhook', await this.#take(proofs, body));
    } catch (error) {
      this.#deps.telemetry.count('webhook', error instanceof AppError ? error.code : 'internal');
      throw error;
    }
  }

  /**
   * Handles a stored event.
   *
   * @throws AppError when it could not be handled; the queue retries
   */
  async handle(id: string): Promise<void> {
    const { db, logger } = this.#deps;
    const webhook = await selectWebhook(db, id);
    if (webhook === undefined) return;
    if (webhook.overdue) {
      await markHandled(db, id);
      logger.warn({ webhook: id, event: webhook.event }, 'bank webhook dropped: it could not be handled for a day');
      return;
    }
    const { handleEvent } = await import('./event-handlers.ts');
    await handleEvent(this.#deps, webhook);
    logger.info({ webhook: id, event: webhook.event }, 'bank webhook handled');
  }

  /** Queues rows without a job (the process ended between commit and queue). */
  async sweep(): Promise<void> {
    const { db } = this.#deps;
    await this.jobs.add(await selectUnqueuedWebhooks(db, SWEEP_BATCH));
  }

  async #take(proofs: readonly string[], body: Uint8Array): Promise<'stored' | 'repeated' | 'ignored'> {
    const { db, clock, logger } = this.#deps;
    if (this.#keys === undefined) throw new AppError('not_configured', 'Bank accounts are not set up on this server.');
    // Loaded with the first webhook.
    const [{ verifyWebhook }, { readWebhook }] = await Promise.all([
      import('../providers/bank/bank-webhook-proof.ts'),
      import('./webhook-events.ts'),
    ]);
    const event = readWebhook(body, await verifyWebhook(this.#keys, clock, proofs, body));
    if ('unknown' in event) {
      logger.info({ event: event.unknown }, 'bank webhook of an unknown kind ignored');
      return 'ignored';
    }
    const ids = await insertWebhook(db, event);
    if (ids.length === 0) {
      logger.info({ event: event.event }, 'bank webhook ignored: it is a repetition, or no user has the item');
      return 'repeated';
    }
    logger.info({ event: event.event, webhooks: ids }, 'bank webhook stored');
    await this.jobs.add(ids);
    return 'stored';
  }
}
