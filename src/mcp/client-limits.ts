import { AppError } from '../errors.ts';
import { FixedWindowLimiter } from '../rate-limit/fixed-window.ts';

const BUSY_SECONDS = 1;

/** The limits of one client, beside those of its user's clients together, so that none uses up what the others have. */
export class ClientLimits {
  readonly #perMinute: number;
  readonly #atOnce: number;
  readonly #requests = new FixedWindowLimiter();
  readonly #running = new Map<string, number>();

  /** @param atOnce requests under way, open subscriptions included */
  constructor(perMinute: number, atOnce: number) {
    this.#perMinute = perMinute;
    this.#atOnce = atOnce;
  }

  /** Counts a request that begins. @returns ends it @throws AppError `rate_limited` */
  begin(clientId: string): () => void {
    const now = performance.now();
    if (!this.#requests.allows(clientId, this.#perMinute, now)) {
      throw new AppError('rate_limited', 'This client sends too many requests. Slow down.', {
        retryAfter: this.#requests.secondsLeft(now),
      });
    }
    const running = this.#running.get(clientId) ?? 0;
    if (running >= this.#atOnce) {
      throw new AppError('rate_limited', `This client has ${running} requests under way. Wait for one to end.`, {
        retryAfter: BUSY_SECONDS,
      });
    }
    this.#running.set(clientId, running + 1);
    return () => this.#end(clientId);
  }

  #end(clientId: string): void {
    const left = (this.#running.get(clientId) ?? 1) - 1;
    if (left > 0) this.#running.set(clientId, left);
    else this.#running.delete(clientId);
  }
}
