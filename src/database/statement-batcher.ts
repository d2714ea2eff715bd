import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import { detached } from '../observability/log-context.ts';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Of one statement, unless said otherwise. */
const AT_ONCE = 500;
const WAITING_MAX = 10_000;
/**
 * For what every call needs. Half of a large group in Postgres while the other half is worked on uses two processors;
 * with groups much smaller than this, the statements themselves cost more than that gains.
 */
export const CONCURRENT_BATCHES = { atOnce: 128, lanes: 3 } as const;
/** Turns of the event loop that bring nothing, after which nothing more is waited for. */
const QUIET_TURNS = 2;
const TURNS_MAX = 16;

/**
 * One statement for many callers: what comes while one is under way goes together in the next. Each item's statement
 * begins after the item came, so that nobody is answered with what was true before.
 */
export class StatementBatcher<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #atOnce: number;
  readonly #lanesMax: number;
  #waiting: Waiting<Item, Result>[] = [];
  /** Statements under way, or about to be. */
  #lanes = 0;

  /**
   * @param work gives a result for each item, in their order
   * @param sharing items of one statement at most, and statements under way at a time. A second one begins only with
   * as many items as it may take: what waits for the disk then no longer holds up what waits for the processor.
   */
  constructor(work: (items: readonly Item[]) => Promise<readonly Result[]>, sharing: { atOnce?: number; lanes?: number } = {}) {
    this.#work = work;
    this.#atOnce = sharing.atOnce ?? AT_ONCE;
    this.#lanesMax = sharing.lanes ?? 1;
  }

  /** @throws AppError `unavailable`, also when too many wait; whatever the work throws for this item alone */
  add(item: Item): Promise<Result> {
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(new AppError('unavailable', 'The service is overloaded at the moment.', { retryAfter: 5 }));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#lanes >= this.#lanesMax || !this.#isWorthOneMore(this.#lanes)) return;
      this.#lanes += 1;
      // One caller's turn begins it; what it does is everybody's.
      void detached(() => this.#workOff());
    });
  }

  /** @param beside statements under way: whichever ends last takes what is left */
  #isWorthOneMore(beside: number): boolean {
    return this.#waiting.length >= (beside === 0 ? 1 : this.#atOnce);
  }

  async #workOff(): Promise<void> {
    while (this.#isWorthOneMore(this.#lanes - 1)) {
      if (this.#waiting.length < this.#atOnce) await this.#gather();
      // Meanwhile another lane may have begun, and have taken them all.
      const group = this.#waiting.splice(0, this.#atOnce);
      if (group.length > 0) await this.#together(group);
    }
    this.#lanes -= 1;
  }

  /**
   * Lets in what the event loop is just bringing, for as long as more comes: a statement costs as much as several
   * turns of the loop, which take microseconds where nothing is to be done.
   */
  async #gather(): Promise<void> {
    let seen = 0;
    for (let turns = 0, quiet = 0; turns < TURNS_MAX && quiet < QUIET_TURNS; turns += 1) {
      quiet = this.#waiting.length > seen ? 0 : quiet + 1;
      seen = this.#waiting.length;
      await nextTurn();
    }
  }

  async #together(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#work(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      const hopeless = group.length === 1 || (error instanceof AppError && error.code === 'unavailable');
      if (hopeless) for (const { reject } of group) reject(error);
      // One item's fault (its user was deleted meanwhile) must not be the others'.
      else for (const one of group) await this.#together([one]);
    }
  }
}
