import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import { FixedWindowLimiter } from '../rate-limit/fixed-window.ts';
import type { McpClient } from './mcp-deps.ts';

const BUSY_SECONDS = 1;
/** A user's clients together may have as many times of what one may have under way. */
const CLIENTS = 4;

/** The limits of one client, and of its user's clients together, so that one doesn't use up what the others have. */
export class ClientLimits {
  readonly #perMinute: number;
  readonly #atOnce: number;
  readonly #requests: FixedWindowLimiter;
  /** By the id of a client, and by that of a user. */
  readonly #running = new Map<string, number>();

  /** @param atOnce requests of a client under way, open subscriptions included */
  constructor(perMinute: number, atOnce: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#atOnce = atOnce;
    this.#requests = new FixedWindowLimiter(clock, 'This client sends too many requests. Slow down.');
  }

  /** Counts a request that begins. @returns ends it @throws AppError `rate_limited` */
  begin({ clientId, userId }: McpClient): () => void {
    this.#requests.take(clientId, this.#perMinute);
    const [ofClient, ofUser] = [this.#running.get(clientId) ?? 0, this.#running.get(userId) ?? 0];
    if (ofClient >= this.#atOnce || ofUser >= CLIENTS * this.#atOnce) {
      const message = `This client has ${ofClient} requests under way, and its user’s clients together ${ofUser}. Wait for one to end.`;
      throw new AppError('rate_limited', message, { retryAfter: BUSY_SECONDS });
    }
    for (const [key, count] of [[clientId, ofClient] as const, [userId, ofUser] as const]) this.#running.set(key, count + 1);
    return () => {
      for (const key of [clientId, userId]) this.#end(key);
    };
  }

  #end(key: string): void {
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
  }
}
