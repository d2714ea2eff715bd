import { randomUUID } from 'node:crypto';
import type { Poll } from '../clock/poll.ts';
import type { Polls } from '../clock/polls.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../database/database.ts';
import { deleteReplica, upsertReplica } from './replicas-repository.ts';

const REPORT_MS = 10_000;

/** Reports for the key commands that this process runs and which master keys it has. */
export class Replica {
  readonly id = randomUUID();
  readonly #db: Database;
  readonly #keyring: Pick<Keyring, 'ids'>;
  readonly #poll: Poll;

  constructor(db: Database, keyring: Pick<Keyring, 'ids'>, polls: Polls) {
    this.#db = db;
    this.#keyring = keyring;
    this.#poll = polls.create(() => this.#report(), { everyMs: REPORT_MS, failure: 'this replica can’t report its keys; retrying' });
  }

  /** Sends the first report, without which a process must not run, and further ones at intervals. */
  async start(): Promise<void> {
    await upsertReplica(this.#db, this.id, this.#keyring.ids);
    this.#poll.start();
  }

  /** Reports a change of the keys immediately. */
  report(): void {
    void this.#poll.tick();
  }

  /** After the last report. */
  async end(): Promise<void> {
    // A row that cannot be deleted expires.
    await deleteReplica(this.#db, this.id).catch(() => {});
  }

  async #report(): Promise<void> {
    await upsertReplica(this.#db, this.id, this.#keyring.ids);
  }
}
