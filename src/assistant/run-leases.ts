import type { Database } from '../database/database.ts';
import { Poll } from '../jobs/poll.ts';
import type { Logger } from '../observability/logger.ts';
import type { Run } from './run.ts';
import { renewLeases } from './runs-repository.ts';

const RENEW_MS = 1_000;

/**
 * The runs of this replica. One statement a second renews their leases, and learns which of them were cancelled, or ended
 * with their users.
 */
export class RunLeases {
  readonly #db: Database;
  readonly #leaseMs: number;
  readonly #runs = new Map<string, Run>();
  readonly #poll: Poll;
  #isStarted = false;

  constructor(db: Database, leaseMs: number, logger: Logger) {
    this.#db = db;
    this.#leaseMs = leaseMs;
    this.#poll = new Poll(() => this.#renew(), { everyMs: RENEW_MS, logger, failure: 'runs can’t be renewed; retrying every second' });
  }

  add(run: Run): void {
    this.#runs.set(run.id, run);
    if (!this.#isStarted) this.#poll.start();
    this.#isStarted = true;
  }

  remove(run: Run): void {
    this.#runs.delete(run.id);
  }

  get(id: string): Run | undefined {
    return this.#runs.get(id);
  }

  all(): Run[] {
    return [...this.#runs.values()];
  }

  async stop(): Promise<void> {
    if (this.#isStarted) await this.#poll.stop();
  }

  async #renew(): Promise<void> {
    const runs = this.all();
    if (runs.length === 0) return;
    const leases = new Map((await renewLeases(this.#db, runs, this.#leaseMs)).map((lease) => [lease.id, lease]));
    for (const { id } of runs) {
      const lease = leases.get(id);
      if (lease === undefined) this.#runs.get(id)?.stop('lost');
      else if (lease.cancelled) this.#runs.get(id)?.stop('cancelled');
    }
  }
}
