import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import { apart } from '../scope.ts';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const AT_ONCE = 500;
const WAITING_MAX = 10_000;
/** Turns of the event loop that bring nothing, after which nothing more is waited for. */
const QUIET_TURNS = 2;
const TURNS_MAX = 16;

/**
 * One statement for many callers: what comes while one is under way goes together in the next. Each item's statement
 * begins after the item came, so that nobody is answered with what was true before.
 */
export class Grouped<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>;
  #waiting: Waiting<Item, Result>[] = [];
  #working = false;

  /** @param work gives a result for each item, in their order */
  constructor(work: (items: readonly Item[]) => Promise<readonly Result[]>) {
    this.#work = work;
  }

  /** @throws AppError `unavailable`, also when too many wait; whatever the work throws for this item alone */
  add(item: Item): Promise<Result> {
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(new AppError('unavailable', 'The service is overloaded at the moment.', { retryAfter: 5 }));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#working) return;
      this.#working = true;
      // One caller's turn begins it; what it does is everybody's.
      void apart(() => this.#workOff());
    });
  }

  async #workOff(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      await this.#together(this.#waiting.splice(0, AT_ONCE));
    }
    this.#working = false;
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
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      const hopeless = group.length === 1 || (error instanceof AppError && error.code === 'unavailable');
      if (hopeless) for (const { reject } of group) reject(error);
      // One item's fault (its user was deleted meanwhile) must not be the others'.
      else for (const one of group) await this.#together([one]);
    }
  }
}
