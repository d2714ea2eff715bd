import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { describeError, type Logger } from '../logger.ts';
import { raiseGeneration, selectReload } from './reloads-repository.ts';

/** This replica's own integrations. */
interface Reloadable {
  readonly current: { revision: string };
  /** How often the file was read again. */
  readonly runs: number;
  reload(): Promise<void>;
}

const POLL_MS = 2_000;

/**
 * Reloads the integrations on every replica when one of them is asked to: each
 * has its own file, and looks every few seconds whether others have read theirs.
 */
export class ReplicatedReload {
  readonly #db: Database;
  readonly #service: Reloadable;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  #watching: Promise<void> | undefined;
  /** undefined: not known yet; what was announced before this process looked first is in its file already. */
  #seen: number | undefined;
  /** The last run of the service that somebody asked for here. */
  #run = 0;
  /** The others have not been told of it yet. */
  #isOwed = false;
  #isFailing = false;
  #isDiverged = false;

  constructor(db: Database, service: Reloadable, logger: Logger) {
    this.#db = db;
    this.#service = service;
    this.#logger = logger;
  }

  /**
   * Reads this replica's file again and tells the others.
   *
   * @throws AppError `invalid_configuration`
   */
  async reload(): Promise<void> {
    await this.#service.reload();
    // Whoever shares a reload shares its announcement.
    if (this.#run < this.#service.runs) this.#isOwed = true;
    this.#run = this.#service.runs;
    // One that fails is made up for by the watch.
    if (this.#isOwed) await this.#announce().catch((error: unknown) => this.#report(error));
  }

  /** Another replica read another file than this one. */
  get isDiverged(): boolean {
    return this.#isDiverged;
  }

  start(): void {
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async #announce(): Promise<void> {
    this.#isOwed = false;
    try {
      const generation = await raiseGeneration(this.#db, this.#service.current.revision);
      // What was announced last is this one's own.
      this.#isDiverged = false;
      // With another replica's in between, that one's news is still to be read.
      if (generation - 1 === this.#seen) this.#seen = generation;
    } catch (error) {
      this.#isOwed = true;
      throw error;
    }
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#look();
        this.#isFailing = false;
      } catch (error) {
        this.#report(error);
      }
      await sleep(POLL_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    if (this.#isOwed) await this.#announce();
    const { generation, revision } = await selectReload(this.#db);
    const isNews = this.#seen !== undefined && generation > this.#seen;
    this.#seen = Math.max(generation, this.#seen ?? 0);
    if (isNews) await this.#follow(revision);
  }

  async #follow(revision: string): Promise<void> {
    // A file that is not valid is in the log already.
    await this.#service.reload().catch(() => {});
    const own = this.#service.current.revision;
    this.#isDiverged = own !== revision;
    if (!this.#isDiverged) return;
    this.#logger.error({ own, others: revision }, 'this replica’s integrations are not those of the others: put the same file everywhere');
  }

  #report(error: unknown): void {
    if (!this.#isFailing) this.#logger.warn({ err: describeError(error) }, 'the replicas’ integrations can’t be compared; trying again');
    this.#isFailing = true;
  }
}
