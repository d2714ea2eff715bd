import { describeError, type Logger } from '../observability/logger.ts';

/** Queues jobs for stored rows. Until the queue has started, and after a failure, rows wait for the sweep. */
export class RowJobs {
  readonly #kind: string;
  readonly #markQueued: (id: string) => Promise<void>;
  readonly #logger: Logger;
  #send: ((id: string) => Promise<void>) | undefined;

  /** @param kind name of the rows in the log */
  constructor(kind: string, markQueued: (id: string) => Promise<void>, logger: Logger) {
    this.#kind = kind;
    this.#markQueued = markQueued;
    this.#logger = logger;
  }

  /** @param send sends an id to the queue. Jobs contain ids only, because finished jobs keep their data. */
  start(send: (id: string) => Promise<void>): void {
    this.#send = send;
  }

  /** Queues rows, after the commit that stored them. Never rejects. */
  async add(ids: readonly (string | undefined)[]): Promise<void> {
    for (const id of ids) {
      if (id === undefined || this.#send === undefined) continue;
      try {
        await this.#send(id);
        await this.#markQueued(id);
      } catch (error) {
        this.#logger.warn({ err: describeError(error), [this.#kind]: id }, `${this.#kind} not queued; the sweep will queue it`);
      }
    }
  }
}
