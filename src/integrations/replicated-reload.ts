import type { Database } from '../database/database.ts';
import { Poll } from '../jobs/poll.ts';
import type { Logger } from '../observability/logger.ts';
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
  readonly #changed: () => Promise<void>;
  readonly #logger: Logger;
  readonly #poll: Poll;
  /** undefined: not known yet; what was announced before this process looked first is in its file already. */
  #seen: number | undefined;
  /** The last run of the service that somebody asked for here. */
  #run = 0;
  /** The others have not been told of it yet. */
  #isOwed = false;
  #isDiverged = false;
  /** The revision that was told of last; undefined: none yet. */
  #told: string | undefined;

  /** @param changed told once of each revision, also that of the start; not of one that only this replica has */
  constructor(db: Database, service: Reloadable, changed: () => Promise<void>, logger: Logger) {
    this.#db = db;
    this.#service = service;
    this.#changed = changed;
    this.#logger = logger;
    this.#poll = new Poll(() => this.#look(), {
      everyMs: POLL_MS,
      logger,
      failure: 'the replicas’ integrations can’t be compared; trying again',
    });
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
    // One that fails is made up for by the poll.
    if (this.#isOwed) await this.#announceAndTell().catch((error: unknown) => this.#poll.report(error));
  }

  /** Another replica read another file than this one. */
  get isDiverged(): boolean {
    return this.#isDiverged;
  }

  start(): void {
    this.#poll.start();
  }

  stop(): Promise<void> {
    return this.#poll.stop();
  }

  async #announceAndTell(): Promise<void> {
    await this.#announce();
    await this.#tell();
  }

  /** What fails is made up for by the poll. */
  async #tell(): Promise<void> {
    const { revision } = this.#service.current;
    if (this.#isDiverged || revision === this.#told) return;
    await this.#changed();
    this.#told = revision;
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

  async #look(): Promise<void> {
    if (this.#isOwed) await this.#announce();
    const { generation, revision } = await selectReload(this.#db);
    const isNews = this.#seen !== undefined && generation > this.#seen;
    this.#seen = Math.max(generation, this.#seen ?? 0);
    if (isNews) await this.#follow(revision);
    await this.#tell();
  }

  async #follow(revision: string): Promise<void> {
    // A file that is not valid is in the log already.
    await this.#service.reload().catch(() => {});
    const own = this.#service.current.revision;
    this.#isDiverged = own !== revision;
    if (!this.#isDiverged) return;
    this.#logger.error({ own, others: revision }, 'this replica’s integrations are not those of the others: put the same file everywhere');
  }
}
