import { Webhook } from 'standardwebhooks';
import type { Clock } from '../../clock/clock.ts';
import { AppError } from '../../errors.ts';
import type { Outbound } from '../../outbound/checked-fetch.ts';
import type { WebhookDestination } from './destination.ts';
import { failureOf, GONE, type Outcome, REJECTED, type WebhookEvent } from './sender.ts';

const TIMEOUT_MS = 5_000;
const MAX_RESPONSE = 64 * 1024;
/** What a body says of it. */
const IDS = ['automation', 'run', 'approval', 'account', 'channel', 'thread'] as const;

/** Posts ids and types, signed (Standard Webhooks 1.0). Receivers read the rest with a credential of their own. */
export class WebhookSender {
  readonly #outbound: Outbound;
  readonly #clock: Clock;

  constructor(outbound: Outbound, clock: Clock) {
    this.#outbound = outbound;
    this.#clock = clock;
  }

  async send({ url, secret }: WebhookDestination, { id, type, data, happenedAt }: WebhookEvent): Promise<Outcome> {
    const ids = Object.fromEntries(IDS.flatMap((name) => (data[name] === undefined ? [] : [[name, data[name]]])));
    const body = JSON.stringify({ type, timestamp: happenedAt.toISOString(), data: ids });
    const now = new Date(this.#clock.now());
    try {
      const response = await this.#outbound.fetch(url, {
        method: 'POST',
        headers: [
          ['content-type', 'application/json'],
          ['user-agent', 'Steward'],
          // Deliveries are minutes apart: on a connection that the receiver has ended meanwhile, one would count as failed.
          ['connection', 'close'],
          ['webhook-id', id],
          ['webhook-timestamp', String(Math.floor(now.getTime() / 1000))],
          ['webhook-signature', new Webhook(secret).sign(id, now, body)],
        ],
        body,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_RESPONSE,
      });
      await response.body?.cancel();
      if (response.ok) return 'sent';
      return response.status === 410 ? GONE : REJECTED;
    } catch (error) {
      if (error instanceof AppError) return failureOf(error);
      throw error;
    }
  }
}
