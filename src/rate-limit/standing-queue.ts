/** Intervals that a queue has to be too long: less may be a stall, a burst, or a moment without a processor. */
const INTERVALS = 5;
/** Growth within them, by which more is asked for than is done: clients that wait for their responses keep a queue as long as it is. */
const GROWTH = 1.2;
/** So many times what is acceptable is too long even if it does not grow. */
const FAR_TOO_LONG = 4;

/** One interval. Loads are waiting times by what is acceptable. */
interface Reading {
  loop: number;
  database: number;
  underWay: number;
}

/** Tells overload from moments of it: as in CoDel (RFC 8289), the shortest queue of several intervals counts. */
export class StandingQueue {
  readonly #recent: Reading[] = [];

  add(reading: Reading): void {
    if (this.#recent.length === INTERVALS) this.#recent.shift();
    this.#recent.push(reading);
  }

  /** Whether requests have waited too long in each of the last intervals. */
  get isTooLong(): boolean {
    const [first, last] = [this.#recent[0], this.#recent.at(-1)];
    if (first === undefined || last === undefined || this.#recent.length < INTERVALS) return false;
    const bound = last.underWay > first.underWay * GROWTH ? 1 : FAR_TOO_LONG;
    return this.#recent.every(({ loop }) => loop > bound) || this.#recent.every(({ database }) => database > 1);
  }
}
