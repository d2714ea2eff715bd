import type { Database } from '../database/database.ts';
import { isSchemaUsable } from '../database/migrate.ts';
import { tryRoom } from '../database/room.ts';
import { AppError } from '../errors.ts';
import { describeError, type Logger } from '../observability/logger.ts';

export interface ReadinessDeps {
  db: Database;
  /** Ids of master keys that stored data needs and this process lacks. */
  absentKeyIds(): Promise<string[]>;
  /** Going down: no new work. */
  draining(): boolean;
  logger: Logger;
}

/** A flood of probes must not become a flood of queries. */
const REMEMBER_MS = 1_000;
/** A disk fills slowly, and the question costs a write. */
const ROOM_MS = 10_000;
const FULL = 'The database’s disk is full.';

/** Whether this process should be sent requests: what only this one lacks, another may have. */
export class Readiness {
  readonly #deps: ReadinessDeps;
  readonly #answer: () => Promise<string | undefined>;
  #last: string | undefined;
  #roomAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ReadinessDeps) {
    this.#deps = deps;
    this.#answer = rememberBriefly(() => this.#ask());
  }

  /** What stands in the way, in words that are safe to show; undefined = nothing. */
  async obstacle(): Promise<string | undefined> {
    if (this.#deps.draining()) return 'Shutting down.';
    const obstacle = await this.#answer();
    if (obstacle !== this.#last) this.#report(obstacle);
    this.#last = obstacle;
    return obstacle;
  }

  async #ask(): Promise<string | undefined> {
    const { db, absentKeyIds, logger } = this.#deps;
    try {
      if (db.isFull) {
        this.#roomAt = Number.NEGATIVE_INFINITY;
        return FULL;
      }
      if (!(await isSchemaUsable(db))) return 'The database’s schema is for a newer release than this.';
      if ((await absentKeyIds()).length > 0) return 'A master key that stored data needs is missing.';
      await this.#tryRoom();
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
      logger.debug({ err: describeError(error) }, 'the database could not be asked whether all is ready');
      return db.isFull ? FULL : 'The database can’t be reached or takes no writes at the moment.';
    }
  }

  async #tryRoom(): Promise<void> {
    if (performance.now() - this.#roomAt < ROOM_MS) return;
    await tryRoom(this.#deps.db);
    this.#roomAt = performance.now();
  }

  #report(obstacle: string | undefined): void {
    if (obstacle === undefined) this.#deps.logger.info('ready again');
    else this.#deps.logger.warn({ obstacle }, 'not ready');
  }
}

function rememberBriefly<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked = Number.NEGATIVE_INFINITY;
  let answer: Promise<Answer> | undefined;
  return () => {
    const now = performance.now();
    if (answer === undefined || now - asked >= REMEMBER_MS) {
      asked = now;
      answer = ask();
    }
    return answer;
  };
}
