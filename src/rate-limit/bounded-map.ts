/** Some 4 MB of counts. Whoever commands more keys is not held by counting them one by one. */
const GENERATION = 25_000;

/**
 * A table that a flood of keys can't make grow: those that rested longest are forgotten. It drops them a generation at
 * a time, since finding the oldest of a map anew for each entry passes over all that were deleted before it.
 */
export class BoundedMap<Value> {
  readonly #generation: number;
  #newer = new Map<string, Value>();
  #older = new Map<string, Value>();

  /** @param generation twice as many are kept at most */
  constructor(generation = GENERATION) {
    this.#generation = generation;
  }

  get(key: string): Value | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  /** Counts as use: the entry moves up. */
  set(key: string, value: Value): void {
    this.#newer.set(key, value);
    if (this.#newer.size <= this.#generation) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }

  clear(): void {
    this.#newer.clear();
    this.#older.clear();
  }

  /** How many are held at present; one that has moved up may count twice. */
  get size(): number {
    return this.#newer.size + this.#older.size;
  }
}
