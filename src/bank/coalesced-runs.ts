/**
 * Lets many ask for the same work: of each key one run is under way and one waits, which all who come meanwhile share.
 * It begins after they came, and so sees what they want seen.
 */
export class Coalescer<Result> {
  readonly #running = new Map<string, Promise<Result>>();
  readonly #waiting = new Map<string, Promise<Result>>();

  /** @throws whatever `work` throws, for all who share the run */
  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return waiting;
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key, work);
    const next = running
      .catch(() => {})
      .then(() => {
        this.#waiting.delete(key);
        return this.#start(key, work);
      });
    this.#waiting.set(key, next);
    return next;
  }

  #start(key: string, work: () => Promise<Result>): Promise<Result> {
    const run = work().finally(() => this.#running.delete(key));
    this.#running.set(key, run);
    return run;
  }
}
