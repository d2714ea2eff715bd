import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { detached } from '../observability/log-context.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { selectEndedGrants } from './active-uses-repository.ts';

/** Work in an account's name that is under way. */
export interface Use {
  grantId: string;
  /** Full name of the action. */
  action: string;
  /** Ends it: what waits is not begun, what runs is cut off. Must not throw. */
  stop(reason: AppError): void;
}

/** Another replica's disconnect counts here within a second: one look, its answer, and some room. */
const LOOK_MS = 400;
/** What is over sooner than this needs no look of its own. */
const YOUNG_MS = 300;
/** For what read the grant before its end and begins after it. Ids of grants never come again. */
const REMEMBERED_MS = 60_000;

/**
 * The uses of accounts under way in this process, to end them when the account is disconnected, its user deleted, or the
 * action withdrawn. What ends here ends at once; for what ended elsewhere the grants in use are looked up while there
 * are any.
 */
export class ActiveUses {
  readonly #db: Database;
  readonly #logger: Logger;
  /** With `performance.now()` of their beginning. */
  readonly #uses = new Map<Use, number>();
  readonly #ended = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  constructor(db: Database, logger: Logger) {
    this.#db = db;
    this.#logger = logger;
  }

  /** Adds a use, which is stopped at once where its grant has ended a moment ago. @returns to call when it is over */
  begin(use: Use): () => void {
    this.#uses.set(use, performance.now());
    if (this.#ended.has(use.grantId)) use.stop(disconnected());
    this.#timer ??= this.#lookLater();
    return () => this.#uses.delete(use);
  }

  /** Stops whatever uses the grant: it is no more. */
  endGrant(grantId: string): void {
    if (!this.#ended.has(grantId)) setTimeout(() => this.#ended.delete(grantId), REMEMBERED_MS).unref();
    this.#ended.add(grantId);
    for (const use of [...this.#uses.keys()]) if (use.grantId === grantId) use.stop(disconnected());
  }

  /** Stops the uses by actions that `refusal` has something against. */
  endActions(refusal: (action: string) => AppError | undefined): void {
    for (const use of [...this.#uses.keys()]) {
      const reason = refusal(use.action);
      if (reason !== undefined) use.stop(reason);
    }
  }

  #lookLater(): NodeJS.Timeout {
    // It serves everyone, not only the call that began it.
    return detached(() => setTimeout(() => void this.#look(), LOOK_MS)).unref();
  }

  async #look(): Promise<void> {
    const startedBefore = performance.now() - YOUNG_MS;
    const grantIds = new Set<string>();
    for (const [{ grantId }, startedAt] of this.#uses) if (startedAt <= startedBefore) grantIds.add(grantId);
    try {
      if (grantIds.size > 0) for (const grantId of await selectEndedGrants(this.#db, [...grantIds])) this.endGrant(grantId);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#logger.warn({ err: describeError(error) }, 'disconnects on other replicas can’t be seen; trying again');
      this.#isFailing = true;
    }
    this.#timer = this.#uses.size > 0 ? this.#lookLater() : undefined;
  }
}

/** What a use of an account meets that is no more. */
export function disconnected(): AppError {
  return new AppError('not_found', 'This account was disconnected.');
}
