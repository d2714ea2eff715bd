import type { Poll } from '../../clock/poll.ts';
import type { Polls } from '../../clock/polls.ts';
import type { Database } from '../../database/database.ts';
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

  constructor(db: Database, leaseMs: number, polls: Polls) {
    this.#db = db;
    this.#leaseMs = leaseMs;
    this.#poll = polls.create(() => this.#renew(), { everyMs: RENEW_MS, failure: 'runs can’t be renewed; retrying every second' });
  }

  add(run: Run): void {
    this.#runs.set(run.id, run);
    this.#poll.start();
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
