/** Work in progress by key: callers of the same key at the same time share one run of it, and its result or error. */
export class SingleFlight<Result> {
  readonly #running = new Map<string, Promise<Result>>();

  /** The run in progress. */
  get(key: string): Promise<Result> | undefined {
    return this.#running.get(key);
  }

  /** Joins the run in progress, or begins one. @throws what `work` throws */
  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const begun = work().finally(() => {
      if (this.#running.get(key) === begun) this.#running.delete(key);
    });
    this.#running.set(key, begun);
    return begun;
  }

  /** The next caller begins another run. The one in progress continues. */
  forget(key: string): void {
    this.#running.delete(key);
  }

  /** {@link forget}, for every key. */
  clear(): void {
    this.#running.clear();
  }
}
