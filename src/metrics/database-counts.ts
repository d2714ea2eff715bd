import { SingleFlight } from '../concurrency/single-flight.ts';
import type { Database } from '../database/database.ts';
import { withTimeLimit } from '../rate-limit/time-limit.ts';
import { countAutomations } from './automation-counts-repository.ts';
import { acceptsWrites, countRows, type FileToolRow } from './metrics-repository.ts';

export interface DatabaseCounts {
  up: boolean;
  writable: boolean;
  /** undefined: they could not be counted. */
  rows?: Awaited<ReturnType<typeof countRows>>;
  /** undefined: they could not be counted. */
  automations?: Awaited<ReturnType<typeof countAutomations>>;
}

const UNKNOWN: DatabaseCounts = { up: false, writable: false };
/** However often the metrics are scraped. */
const CACHE_MS = 30_000;
/** Shorter after a failure, so that a recovery shows soon. */
const RETRY_MS = 5_000;
/** Scrapes usually time out after ten seconds, and must return the other metrics when the database is slow. */
const WAIT_MS = 4_000;

/** Counts rows at most twice a minute. */
export class CountsInDatabase {
  readonly #db: Pick<Database, 'query' | 'transaction' | 'clock'>;
  readonly #fileTools: () => Promise<readonly FileToolRow[]>;
  #counts = UNKNOWN;
  #staleAt = Number.NEGATIVE_INFINITY;
  readonly #counting = new SingleFlight<void>();

  /** @param fileTools those of sources that the integrations file lists now */
  constructor(db: Pick<Database, 'query' | 'transaction' | 'clock'>, fileTools: () => Promise<readonly FileToolRow[]>) {
    this.#db = db;
    this.#fileTools = fileTools;
  }

  /** @returns counts of the last 30 seconds, or new ones. Never rejects. */
  async read(): Promise<DatabaseCounts> {
    if (this.#db.clock.monotonic() >= this.#staleAt) {
      const counting = this.#counting.run('rows', () => this.#count());
      await withTimeLimit(this.#db.clock, counting, WAIT_MS, () => {});
    }
    return this.#counts;
  }

  async #count(): Promise<void> {
    const db = this.#db;
    this.#counts = UNKNOWN;
    try {
      // Kept when the next statements fail, for example on a locked table.
      this.#counts = { ...UNKNOWN, up: true, writable: await acceptsWrites(db) };
      this.#counts = { ...this.#counts, rows: await countRows(db, await this.#fileTools()) };
      this.#counts = { ...this.#counts, automations: await countAutomations(db, new Date(db.clock.now())) };
      this.#staleAt = db.clock.monotonic() + CACHE_MS;
    } catch {
      this.#staleAt = db.clock.monotonic() + RETRY_MS;
    }
  }
}
