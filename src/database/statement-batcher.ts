import { setImmediate as nextTurn } from 'node:timers/promises';
import { unavailable } from '../errors.ts';
import { detached } from '../observability/log-context.ts';
import { isContended, isTransient } from './database-errors.ts';

interface Waiting<Item, Result> extends Omit<PromiseWithResolvers<Result>, 'promise'> {
  item: Item;
}

const BATCH_SIZE = 500;
const WAITING_MAX = 10_000;
/**
 * For statements of every call. With several batches, Postgres and this process work at the same time; in much smaller
 * batches, the overhead of the statements would be larger than the gain.
 */
export const CONCURRENT_BATCHES = { batchSize: 128, concurrency: 3 } as const;
/** For lists that users read: smaller, so that the responses of one batch are written while the next one is read. */
export const LIST_BATCHES = { batchSize: 16, concurrency: 3 } as const;
/**
 * For refreshes, whose statements of different batches never wait for each other (they skip locked rows): each is waited for
 * by a call that has a provider's response ahead or behind it, and its commit by a disk or a standby. Commits of several
 * connections share a write to the disk.
 */
export const REFRESH_BATCHES = { batchSize: 8, concurrency: 3, leastBatch: 1 } as const;
/**
 * A batch is sent after so many turns of the event loop without a new item, or in all; nor later than after a millisecond,
 * which a statement takes: turns of a busy loop take that long each, and everything in it would wait for all of them.
 */
export const GATHERING = { quietTurns: 2, turnsMax: 16, ms: 1 } as const;

/**
 * Combines the items of many callers into one statement: items that are added while a statement runs go into the next
 * one. The statement of an item always begins after the item was added, so that no result is outdated.
 */
export class StatementBatcher<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #batchSize: number;
  readonly #concurrency: number;
  readonly #leastBatch: number;
  #waiting: Waiting<Item, Result>[] = [];
  /** Statements that run or are about to. */
  #running = 0;

  /**
   * @param work returns the results of the items, in their order
   * @param options `batchSize`: the most items of one statement. `concurrency`: statements that run at a time.
   * `leastBatch`: how many items another one begins with while one runs; default: a full batch
   */
  constructor(
    work: (items: readonly Item[]) => Promise<readonly Result[]>,
    options: { batchSize?: number; concurrency?: number; leastBatch?: number } = {},
  ) {
    this.#work = work;
    this.#batchSize = options.batchSize ?? BATCH_SIZE;
    this.#concurrency = options.concurrency ?? 1;
    this.#leastBatch = options.leastBatch ?? this.#batchSize;
  }

  /** @throws AppError `unavailable`, also when too many items wait; what `work` throws for this item alone */
  add(item: Item): Promise<Result> {
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(unavailable('The service is overloaded at the moment.'));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, resolve, reject });
    if (this.#running < this.#concurrency && this.#isWorthAnother(this.#running)) {
      this.#running += 1;
      // One caller starts it, but it serves all callers.
      void detached(() => this.#runBatches());
    }
    return promise;
  }

  /** @param others statements that run already */
  #isWorthAnother(others: number): boolean {
    return this.#waiting.length >= (others === 0 ? 1 : this.#leastBatch);
  }

  async #runBatches(): Promise<void> {
    while (this.#isWorthAnother(this.#running - 1)) {
      if (this.#waiting.length < this.#batchSize) await this.#gather();
      // Meanwhile, a concurrent run may have taken all items.
      const batch = this.#waiting.splice(0, this.#batchSize);
      if (batch.length > 0) await this.#runBatch(batch);
    }
    this.#running -= 1;
  }

  /** Waits while the event loop adds items: a statement costs as much as several turns of an idle loop. */
  async #gather(): Promise<void> {
    let seen = 0;
    const end = performance.now() + GATHERING.ms;
    for (let turns = 0, quiet = 0; turns < GATHERING.turnsMax && quiet < GATHERING.quietTurns && performance.now() < end; turns += 1) {
      quiet = this.#waiting.length > seen ? 0 : quiet + 1;
      seen = this.#waiting.length;
      await nextTurn();
    }
  }

  async #runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#work(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      // A deadlock ends one statement, not the next one.
      const isFinal = batch.length === 1 || (isTransient(error) && !isContended(error));
      if (isFinal) for (const { reject } of batch) reject(error);
      // The error of one item (its user was deleted meanwhile) must not affect the others.
      else for (const one of batch) await this.#runBatch([one]);
    }
  }
}
