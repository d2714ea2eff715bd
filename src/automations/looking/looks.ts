import { AppError, type ErrorCode } from '../../errors.ts';
import { describeError, type Logger } from '../../observability/logger.ts';
import type { ActiveUses } from '../../vault/grants/active-uses.ts';
import { type LookDeps, lookAt } from './look.ts';
import { delayWatch, leaseDueWatches, noteFailedLook, type WatchRow } from './watches-repository.ts';

export interface LooksDeps extends LookDeps {
  uses: ActiveUses;
  logger: Logger;
  /** Called after runs were added. */
  found(): void;
  /** Called when there is room for looks that were due. */
  freed(): void;
}

/** Of this process. */
const AT_A_TIME = 40;
/** From one look at an account to the next. */
const BETWEEN_MS = 60_000;
/** While there is more to read. */
const MORE_MS = 10_000;
/** After a look that has to be repeated. */
const HELD_MS = 5_000;
/** After a first failure: with it, too, what happens is found within 90 seconds. */
const REPEAT_MS = 10_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
/** Until the user connects the account again, which ends the wait. */
const REFUSED_MS = 6 * 3_600_000;
/** A look that takes longer is ended. */
const LOOK_MS = 40_000;
/** Longer than a look, and storing what it has found. */
const LEASE_MS = 120_000;
const REFUSED: ReadonlySet<ErrorCode> = new Set(['reauth_required', 'relink_required', 'item_gone', 'missing_scopes', 'not_configured']);

/**
 * Looks at the accounts that automations need, each once a minute on one of the replicas. A look that hangs holds neither the
 * others nor a connection to the database.
 */
export class Looks {
  readonly #deps: LooksDeps;
  readonly #random: () => number;
  readonly #running = new Map<string, { work: Promise<void>; abort: AbortController }>();
  /** More were due than there was room for. */
  #isBehind = false;
  #isStopped = false;

  /** @param random a number from 0 to 1 */
  constructor(deps: LooksDeps, random: () => number = Math.random) {
    this.#deps = deps;
    this.#random = random;
  }

  /** Resolves when the looks in progress have ended. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ work }) => work));
  }

  /** Ends the looks in progress, which store nothing. None begins any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { abort } of this.#running.values()) abort.abort(stopping());
    await this.settled();
  }

  /** Begins to look at the accounts that are due, as far as there is room. */
  async begin(): Promise<void> {
    const { db, clock } = this.#deps;
    const room = AT_A_TIME - this.#running.size;
    this.#isBehind = room <= 0;
    if (this.#isBehind || this.#isStopped) return;
    const now = clock.now();
    const due = await leaseDueWatches(db, new Date(now), new Date(now + LEASE_MS), room);
    for (const watch of due) this.#begin(watch);
    this.#isBehind = due.length === room;
  }

  #begin(watch: WatchRow): void {
    const name = `${watch.accountId} ${watch.kind}`;
    // Its lease has ended, as when the clock is set.
    if (this.#running.has(name)) return;
    const abort = new AbortController();
    const work = this.#look(watch, abort).finally(() => {
      this.#running.delete(name);
      if (this.#isBehind) this.#deps.freed();
    });
    this.#running.set(name, { work, abort });
  }

  async #look(watch: WatchRow, abort: AbortController): Promise<void> {
    const { db, clock, logger, found } = this.#deps;
    try {
      const result = await this.#inTime(watch, abort);
      if (result.kind === 'held') await delayWatch(db, watch, watch.revision, new Date(clock.now() + HELD_MS));
      if (result.kind === 'stored' && result.added > 0) found();
    } catch (error) {
      if (abort.signal.reason instanceof Stopping) return;
      logger.info({ err: describeError(error), kind: watch.kind }, 'an account could not be read for automations; retrying later');
      await this.#failed(watch, error).catch((failure: unknown) =>
        logger.warn({ err: describeError(failure) }, 'a failed look could not be stored; repeating it after its lease'),
      );
    }
  }

  /** The provider's session may ignore its signal; what it returns afterwards is ignored. */
  async #inTime(watch: WatchRow, abort: AbortController) {
    const { clock, uses } = this.#deps;
    const stopped = Promise.withResolvers<never>();
    const stop = (reason: AppError) => {
      stopped.reject(reason);
      abort.abort(reason);
    };
    abort.signal.addEventListener('abort', () => stopped.reject(abort.signal.reason), { once: true });
    const timer = clock.after(LOOK_MS, () => stop(new AppError('provider_timeout', 'The provider did not respond in time.')));
    const end = uses.begin({ userId: watch.userId, grantId: watch.grantId, action: 'automations.look', stop });
    try {
      const lookAfter = (more: boolean) => clock.now() + this.#jittered(more ? MORE_MS : BETWEEN_MS);
      return await Promise.race([stopped.promise, lookAt(this.#deps, watch, abort.signal, lookAfter)]);
    } finally {
      end();
      timer.cancel();
    }
  }

  async #failed(watch: WatchRow, thrown: unknown): Promise<void> {
    const { db, clock } = this.#deps;
    const { code, retryAfter = 0 } = thrown instanceof AppError ? thrown : { code: 'internal' };
    const pause = watch.failures === 0 ? REPEAT_MS : Math.min(BETWEEN_MS * 2 ** (watch.failures - 1), LONGEST_PAUSE_MS);
    const wait = REFUSED.has(code as ErrorCode) ? REFUSED_MS : Math.max(this.#jittered(pause), retryAfter * 1_000);
    await noteFailedLook(db, watch, watch.revision, { error: code, lookAfter: new Date(clock.now() + wait) });
  }

  /** Within a tenth, so that accounts that were connected together are not read together. */
  #jittered(milliseconds: number): number {
    return Math.round(milliseconds * (0.9 + this.#random() * 0.2));
  }
}

/** The process ends: the look is repeated elsewhere, and has not failed. */
class Stopping extends AppError {}

function stopping(): Stopping {
  return new Stopping('unavailable', 'The service is being restarted.');
}
