import type { Database } from '../database/database.ts';
import { checkDiskSpace } from '../database/disk-space.ts';
import { isSchemaUsable } from '../database/migrate.ts';
import { AppError } from '../errors.ts';
import { describeError, type Logger } from '../observability/logger.ts';

export interface ReadinessDeps {
  db: Database;
  /** Ids of the master keys that stored data needs and this process does not have. */
  absentKeyIds(): Promise<string[]>;
  /** Shutting down. */
  draining(): boolean;
  logger: Logger;
}

/** Limits the queries that a flood of probes causes. */
const CACHE_MS = 1_000;
/** A disk fills slowly, and the check costs a write. */
const ROOM_MS = 10_000;
const FULL = 'The disk of the database is full.';

/** Whether this process can serve requests; other replicas may, for example with another set of keys. */
export class Readiness {
  readonly #deps: ReadinessDeps;
  #checked: Promise<string | undefined> | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #last: string | undefined;
  #roomAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ReadinessDeps) {
    this.#deps = deps;
  }

  /** @returns why the process is not ready, safe to show; undefined = it is ready */
  async obstacle(): Promise<string | undefined> {
    if (this.#deps.draining()) return 'Shutting down.';
    const obstacle = await this.#current();
    if (obstacle !== this.#last) this.#report(obstacle);
    this.#last = obstacle;
    return obstacle;
  }

  /** A check of the last second, or a new one. */
  #current(): Promise<string | undefined> {
    const now = this.#deps.db.clock.monotonic();
    if (this.#checked === undefined || now - this.#checkedAt >= CACHE_MS) {
      this.#checkedAt = now;
      this.#checked = this.#check();
    }
    return this.#checked;
  }

  async #check(): Promise<string | undefined> {
    const { db, absentKeyIds, logger } = this.#deps;
    try {
      if (db.isFull) {
        this.#roomAt = Number.NEGATIVE_INFINITY;
        return FULL;
      }
      if (!(await isSchemaUsable(db))) return 'The database schema belongs to a newer release.';
      if ((await absentKeyIds()).length > 0) return 'A master key that stored data needs is missing.';
      await this.#checkDisk();
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
      logger.debug({ err: describeError(error) }, 'the readiness check could not query the database');
      return db.isFull ? FULL : 'The database is unreachable or accepts no writes at the moment.';
    }
  }

  async #checkDisk(): Promise<void> {
    const { db } = this.#deps;
    if (db.clock.monotonic() - this.#roomAt < ROOM_MS) return;
    await checkDiskSpace(db);
    this.#roomAt = db.clock.monotonic();
  }

  #report(obstacle: string | undefined): void {
    if (obstacle === undefined) this.#deps.logger.info('ready again');
    else this.#deps.logger.warn({ obstacle }, 'not ready');
  }
}
