import type { Clock } from '../../clock/clock.ts';
import type { Poll } from '../../clock/poll.ts';
import type { Polls } from '../../clock/polls.ts';
import type { Database } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import { selectEndedGrants } from './active-uses-repository.ts';

/** A call in progress that uses an account. */
export interface Use {
  userId: string;
  /** undefined: it needs none. */
  grantId: string | undefined;
  /** Full name of the action. */
  action: string;
  /** Ends the call: its waiting steps do not begin, its running ones are aborted. Must not throw. */
  stop(reason: AppError): void;
}

/** A disconnect on another replica takes effect here within a second: this interval, the query, and a margin. */
const POLL_MS = 400;
/** Shorter uses are not checked. */
const YOUNG_MS = 300;
/** For calls that read the grant before it ended and begin afterwards. Ids of grants are never reused. */
const REMEMBERED_MS = 60_000;

/**
 * The uses of accounts in this process. They end when the account is disconnected, its user deleted, or the action
 * withdrawn: immediately if that happens in this process. For changes by other replicas, the grants in use are checked
 * periodically.
 */
export class ActiveUses {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #poll: Poll;
  /** With the time when each began, by the monotonic clock. */
  readonly #uses = new Map<Use, number>();
  readonly #ended = new Set<string>();

  constructor(db: Database, polls: Polls) {
    this.#db = db;
    this.#clock = polls.clock;
    const failure = 'disconnections by other replicas can’t be read; retrying';
    this.#poll = polls.create(() => this.#look(), { everyMs: POLL_MS, failure });
  }

  /** Begins to look for changes by other replicas. */
  start(): void {
    this.#poll.start();
  }

  /** Adds a use. It is stopped immediately if its grant has just ended. @returns ends it */
  begin(use: Use): () => void {
    this.#uses.set(use, this.#clock.monotonic());
    if (use.grantId !== undefined && this.#ended.has(use.grantId)) use.stop(disconnected());
    return () => this.#uses.delete(use);
  }

  /** Stops every use of a grant that has ended. */
  endGrant(grantId: string): void {
    if (!this.#ended.has(grantId)) this.#clock.after(REMEMBERED_MS, () => this.#ended.delete(grantId)).unref();
    this.#ended.add(grantId);
    for (const use of this.#uses.keys()) if (use.grantId === grantId) use.stop(disconnected());
  }

  /** Stops the uses by actions for which `rejection` returns an error. */
  endActions(rejection: (action: string) => AppError | undefined): void {
    for (const use of this.#uses.keys()) {
      const reason = rejection(use.action);
      if (reason !== undefined) use.stop(reason);
    }
  }

  async #look(): Promise<void> {
    const startedBefore = this.#clock.monotonic() - YOUNG_MS;
    const grants = new Map<string, string>();
    for (const [{ grantId, userId }, startedAt] of this.#uses) {
      if (grantId !== undefined && startedAt <= startedBefore) grants.set(grantId, userId);
    }
    if (grants.size > 0) for (const grantId of await selectEndedGrants(this.#db, grants)) this.endGrant(grantId);
  }
}

/** The error of a call whose account was disconnected. */
export function disconnected(): AppError {
  return new AppError('not_found', 'This account was disconnected.');
}
