import type { Poll } from '../../clock/poll.ts';
import type { Polls } from '../../clock/polls.ts';
import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observability/logger.ts';
import { raiseGeneration, selectReload } from './reloads-repository.ts';

/** This replica's own integrations. */
interface Reloadable {
  readonly current: { revision: string };
  /** Number of reloads. */
  readonly runs: number;
  reload(): Promise<void>;
}

const POLL_MS = 2_000;

/**
 * Reloads the integrations on every replica when one of them receives the request: each has its own file, and polls
 * every few seconds whether another has reloaded.
 */
export class ReplicatedReload {
  readonly #db: Database;
  readonly #service: Reloadable;
  readonly #changed: () => Promise<void>;
  readonly #logger: Logger;
  readonly #poll: Poll;
  /** Last known generation; undefined before the first poll. */
  #seen: number | undefined;
  /** Number of the last reload requested here. */
  #run = 0;
  /** A reload has not been announced to the other replicas yet. */
  #mustAnnounce = false;
  #isDiverged = false;
  /** The revision of the last notification; undefined: none yet. */
  #notified: string | undefined;

  /** @param changed called once for each revision, including the first; not for one that only this replica has */
  constructor(db: Database, service: Reloadable, changed: () => Promise<void>, polls: Polls, logger: Logger) {
    this.#db = db;
    this.#service = service;
    this.#changed = changed;
    this.#logger = logger;
    this.#poll = polls.create(() => this.#check(), {
      everyMs: POLL_MS,
      failure: 'the replicas’ integrations can’t be compared; trying again',
    });
  }

  /**
   * Reloads this replica's file and announces it to the others.
   *
   * @throws AppError `invalid_configuration`
   */
  async reload(): Promise<void> {
    await this.#service.reload();
    // Requests that share a reload share its announcement.
    if (this.#run < this.#service.runs) this.#mustAnnounce = true;
    this.#run = this.#service.runs;
    // The poll retries a failed announcement.
    if (this.#mustAnnounce) await this.#announceAndNotify().catch((error: unknown) => this.#poll.report(error));
  }

  /** Another replica has a different file. */
  get isDiverged(): boolean {
    return this.#isDiverged;
  }

  start(): void {
    this.#poll.start();
  }

  async #announceAndNotify(): Promise<void> {
    await this.#announce();
    await this.#notify();
  }

  /** The poll retries a failed notification. */
  async #notify(): Promise<void> {
    const { revision } = this.#service.current;
    if (this.#isDiverged || revision === this.#notified) return;
    await this.#changed();
    this.#notified = revision;
  }

  async #announce(): Promise<void> {
    this.#mustAnnounce = false;
    try {
      const generation = await raiseGeneration(this.#db, this.#service.current.revision);
      // The last announcement is this replica's own.
      this.#isDiverged = false;
      // Otherwise another replica has announced a reload in between, which the poll must still handle.
      if (generation - 1 === this.#seen) this.#seen = generation;
    } catch (error) {
      this.#mustAnnounce = true;
      throw error;
    }
  }

  async #check(): Promise<void> {
    if (this.#mustAnnounce) await this.#announce();
    const { generation, revision } = await selectReload(this.#db);
    const isFirst = this.#seen === undefined;
    const isNew = generation > (this.#seen ?? generation);
    this.#seen = Math.max(generation, this.#seen ?? 0);
    if (isNew) await this.#follow(revision);
    // Announced before, perhaps after this process had read its file; or the file is newer than the announcement.
    else if (isFirst && revision !== '' && revision !== this.#service.current.revision) await this.#service.reload().catch(() => {});
    await this.#notify();
  }

  async #follow(revision: string): Promise<void> {
    // An invalid file is logged by the service.
    await this.#service.reload().catch(() => {});
    const own = this.#service.current.revision;
    this.#isDiverged = own !== revision;
    if (!this.#isDiverged) return;
    this.#logger.error({ own, others: revision }, 'this replica’s integrations are not those of the others: put the same file everywhere');
  }
}
