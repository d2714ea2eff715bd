import { randomUUID } from 'node:crypto';
import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../database/database.ts';
import { FailureLog } from '../observability/failure-log.ts';
import type { Logger } from '../observability/logger.ts';
import { deleteExpiredReplicas, deleteReplica, upsertReplica } from './replicas-repository.ts';

const REPORT_MS = 10_000;

/** Reports for the key commands that this process runs and which master keys it has. */
export class Replica {
  readonly id = randomUUID();
  readonly #db: Database;
  readonly #keyring: Pick<Keyring, 'ids'>;
  readonly #failures: FailureLog;
  #timer: NodeJS.Timeout | undefined;
  /** Reports are sent one after the other, so that an older one cannot replace a newer one. */
  #last: Promise<void> = Promise.resolve();

  constructor(db: Database, keyring: Pick<Keyring, 'ids'>, logger: Logger) {
    this.#db = db;
    this.#keyring = keyring;
    this.#failures = new FailureLog(logger, 'this replica can’t report its keys; retrying');
  }

  /** Sends the first report, and further ones at intervals. */
  async start(): Promise<void> {
    await upsertReplica(this.#db, this.id, this.#keyring.ids);
    this.#timer = setInterval(() => this.report(), REPORT_MS).unref();
  }

  /** Reports a change of the keys immediately. */
  report(): void {
    this.#last = this.#last.then(() => this.#failures.run(() => this.#report()));
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#last;
    // A row that cannot be deleted expires.
    await deleteReplica(this.#db, this.id).catch(() => {});
  }

  async #report(): Promise<void> {
    await upsertReplica(this.#db, this.id, this.#keyring.ids);
    await deleteExpiredReplicas(this.#db);
  }
}
