import { Worker } from 'node:worker_threads';

/** Units of work that a service may let a client wait for its plainest answer: some two seconds of one core. */
const MOST = 1_500;

/**
 * Watches whether a service still turns while it works. A thread asks for its plainest answer over and over, and counts
 * how many units of fixed work it does itself before each comes: a machine that is slow, or busy with other things,
 * slows both.
 */
export class Standstill {
  readonly #worker: Worker;
  /** [the most units that one answer took, whether it watches] */
  readonly #counts = new Int32Array(new SharedArrayBuffer(8));
  #stood = Promise.withResolvers<void>();

  constructor(url: string) {
    const workerData = { url: `${url}/health/live`, counts: this.#counts, most: MOST };
    this.#worker = new Worker(new URL('standstill-worker.ts', import.meta.url), { workerData });
    this.#worker.on('message', () => this.#stood.resolve());
  }

  /** What the work came to, or that the service stood still meanwhile. */
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
