import { FailureLog } from '../observability/failure-log.ts';
import { detached } from '../observability/log-context.ts';
import type { Logger } from '../observability/logger.ts';
import type { Clock, Timer } from './clock.ts';

export interface PollOptions {
  everyMs: number;
  /** Log message of the first of several consecutive failures. */
  failure: string;
}

/**
 * Repeats a check until it is stopped; one check at a time. It serves the whole process, so it runs outside of the request
 * that woke it.
 */
export class Poll {
  readonly #check: () => Promise<void>;
  readonly #everyMs: number;
  readonly #clock: Clock;
  readonly #failures: FailureLog;
  #state: 'idle' | 'started' | 'stopped' = 'idle';
  #timer: Timer | undefined;
  /** The newest check, which ends after all others. */
  #last: Promise<void> = Promise.resolve();
  /** A check that has not begun. */
  #next: Promise<void> | undefined;
  #isChecking = false;
  /** The pause before the next check, if it was woken since the last one began. */
  #wakeMs: number | undefined;

  /** Made and stopped by {@link Polls}. */
  constructor(check: () => Promise<void>, { everyMs, failure }: PollOptions, clock: Clock, logger: Logger) {
    this.#check = check;
    this.#everyMs = everyMs;
    this.#clock = clock;
    this.#failures = new FailureLog(logger, failure);
  }

  /** Checks now, and from then on at intervals. Without effect on one that has started or stopped. */
  start(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'started';
    void this.tick();
  }

  /**
   * Checks now, or after the check in progress, which may have missed what the caller knows of. Never rejects.
   *
   * @returns resolves when that check has ended
   */
  tick(): Promise<void> {
    if (this.#state !== 'started') return this.#last;
    this.#next ??= detached(() => this.#after(this.#last));
    this.#last = this.#next;
    return this.#next;
  }

  /** Makes the next check come after this time. A further call before that check begins does not delay it. */
  wake(milliseconds: number): void {
    if (this.#state !== 'started' || this.#wakeMs !== undefined) return;
    this.#wakeMs = milliseconds;
    if (!this.#isChecking) this.#schedule(milliseconds);
  }

  /** Logs a failure of the same kind that occurred outside the check; the next check retries. */
  report(error: unknown): void {
    this.#failures.failed(error);
  }

  /** A check of several steps begins no further one. */
  get isStopped(): boolean {
    return this.#state === 'stopped';
  }

  /** Resolves when the check in progress has ended. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    this.#timer?.cancel();
    await this.#last;
  }

  async #after(previous: Promise<void>): Promise<void> {
    await previous;
    this.#next = undefined;
    if (this.#state !== 'started') return;
    this.#timer?.cancel();
    this.#wakeMs = undefined;
    this.#isChecking = true;
    await this.#failures.run(this.#check);
    this.#isChecking = false;
    // While checks fail, it is not hurried.
    if (this.#state === 'started') this.#schedule(this.#failures.isFailing ? this.#everyMs : (this.#wakeMs ?? this.#everyMs));
  }

  #schedule(milliseconds: number): void {
    this.#timer?.cancel();
    this.#timer = detached(() => this.#clock.after(milliseconds, () => void this.tick())).unref();
  }
}
