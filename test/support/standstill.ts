import { Worker } from 'node:worker_threads';

/** Units of work that may pass before the service's simplest response: about two seconds of one core. */
const MOST = 1_500;

/**
 * Checks that a service's event loop is not blocked while it works. A thread requests its simplest response again and again, and
 * counts the units of fixed work that it does before each response: a slow or busy machine slows both.
 */
export class Standstill {
  readonly #worker: Worker;
  /** [the most units during one response, whether it is watching] */
  readonly #counts = new Int32Array(new SharedArrayBuffer(8));
  #stood = Promise.withResolvers<void>();

  constructor(url: string) {
    const workerData = { url: `${url}/health/live`, counts: this.#counts, most: MOST };
    this.#worker = new Worker(new URL('standstill-worker.ts', import.meta.url), { workerData });
    this.#worker.on('message', () => this.#stood.resolve());
  }

  /** The result of the work, or that the service was blocked meanwhile. */
  async during<Result>(work: Promise<Result>): Promise<Result | 'stood still'> {
    Atomics.store(this.#counts, 0, 0);
    Atomics.store(this.#counts, 1, 1);
    const outcome = await Promise.race([work, this.#stood.promise.then(() => 'stood still' as const)]);
    Atomics.store(this.#counts, 1, 0);
    return Atomics.load(this.#counts, 0) > MOST ? 'stood still' : outcome;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
