import { AppError } from '../errors.ts';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const AT_ONCE = 500;
const WAITING_MAX = 10_000;

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
      // What comes in the same turn of the event loop goes together from the first statement on.
      setImmediate(() => void this.#workOff());
    });
  }

  async #workOff(): Promise<void> {
    while (this.#waiting.length > 0) await this.#together(this.#waiting.splice(0, AT_ONCE));
    this.#working = false;
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
