import { randomUUID } from 'node:crypto';
import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../database/database.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { deleteForgottenReplicas, deleteReplica, upsertReplica } from './replicas-repository.ts';

const REPORT_MS = 10_000;

/** Tells whoever changes keys that this process runs, and which master keys it holds. */
export class Replica {
  readonly id = randomUUID();
  readonly #db: Database;
  readonly #keyring: Pick<Keyring, 'ids'>;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;
  /** Reports go one after the other, so that an older one can't be written over a newer. */
  #last: Promise<void> = Promise.resolve();
  #isFailing = false;

  constructor(db: Database, keyring: Pick<Keyring, 'ids'>, logger: Logger) {
    this.#db = db;
    this.#keyring = keyring;
    this.#logger = logger;
  }

  /** Reports for the first time, and every few seconds from then on. */
  async start(): Promise<void> {
    await upsertReplica(this.#db, this.id, this.#keyring.ids);
    this.#timer = setInterval(() => this.report(), REPORT_MS).unref();
  }

  /** Reports now: the keys have changed. */
  report(): void {
    this.#last = this.#last.then(() => this.#report());
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#last;
    // One that can't say so is forgotten by itself.
    await deleteReplica(this.#db, this.id).catch(() => {});
  }

  async #report(): Promise<void> {
    try {
      await upsertReplica(this.#db, this.id, this.#keyring.ids);
      await deleteForgottenReplicas(this.#db);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#logger.warn({ err: describeError(error) }, 'this replica can’t report its keys; trying again');
      this.#isFailing = true;
    }
  }
}
