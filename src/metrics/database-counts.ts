import type { Queryable } from '../database/database.ts';
import {
  type AttentionRow,
  countAttention,
  countErasures,
  countJobs,
  countKeyedRows,
  countRevocations,
  type KeyedRows,
  type OpenErasures,
  type QueueRow,
  takesWrites,
  type WaitingRevocations,
} from './metrics-repository.ts';

/** What only the database knows; undefined where it could not be asked. */
export interface DatabaseCounts {
  up: boolean;
  writable: boolean;
  keyed: KeyedRows[];
  revocations: WaitingRevocations | undefined;
  erasures: OpenErasures | undefined;
  attention: AttentionRow[];
  jobs: QueueRow[];
}

const UNKNOWN: DatabaseCounts = {
  up: false,
  writable: false,
  keyed: [],
  revocations: undefined,
  erasures: undefined,
  attention: [],
  jobs: [],
};
/** However often and by however many the metrics are read. */
const REMEMBER_MS = 30_000;
/** Sooner after a failure, so that a database that is back is seen to be. */
const RETRY_MS = 5_000;
/** A scrape has ten seconds as a rule, and what it can have without the database must not be lost. */
const WAIT_MS = 4_000;

/** Counts over tables, at most twice a minute; one statement after the other, since the embedded database has one connection. */
export class CountsInDatabase {
  readonly #db: Queryable;
  #counts = UNKNOWN;
  #staleAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | undefined;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Those of the last half minute, or of now. Never rejects. */
  async read(): Promise<DatabaseCounts> {
    if (performance.now() >= this.#staleAt) {
      this.#counting ??= this.#count().finally(() => {
        this.#counting = undefined;
      });
      await within(WAIT_MS, this.#counting);
    }
    return this.#counts;
  }

  async #count(): Promise<void> {
    const db = this.#db;
    this.#counts = UNKNOWN;
    try {
      // It answers, even where a table is locked and the rest has to be gone without.
      this.#counts = { ...UNKNOWN, up: true, writable: await takesWrites(db) };
      this.#counts = {
        ...this.#counts,
        keyed: await countKeyedRows(db),
        revocations: await countRevocations(db),
        erasures: await countErasures(db),
        attention: await countAttention(db),
        jobs: await countJobs(db),
      };
      this.#staleAt = performance.now() + REMEMBER_MS;
    } catch {
      this.#staleAt = performance.now() + RETRY_MS;
    }
  }
}

/** Waits for the end of the work or of the time, whichever comes first. */
async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  void work.then(resolve);
  await promise;
  clearTimeout(timer);
}
