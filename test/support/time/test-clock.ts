import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, type SleepOptions, systemClock, type Timer } from '../../../src/clock/clock.ts';

interface Pending {
  /** By the monotonic clock. */
  dueAt: number;
  everyMs: number | undefined;
  callback: () => void;
  /** Whether it keeps the process running. */
  isReferenced: boolean;
}

export interface TestClockOptions {
  /** It stands still but for `advance`, at this time of day. Otherwise it goes with the machine's clock. */
  standsAt?: number | string;
  /** Share of the machine's pace at which durations pass: where a slow machine must not be told that work took too long. */
  pace?: number;
}

/**
 * A clock that tests advance. Without options it goes like the machine's, so that a whole service works on it, and
 * `advance` moves it forward; with `standsAt` nothing happens but by `advance`.
 */
export class TestClock implements Clock {
  readonly #stands: boolean;
  readonly #pace: number;
  /** What was added to the machine's clock; on a clock that stands, the time itself. */
  #wall = 0;
  #monotonic = 0;
  readonly #pending = new Set<Pending>();
  /** Of the machine, until the first of the pending callbacks is due; none on a clock that stands. */
  #real: Timer | undefined;

  constructor({ standsAt, pace = 1 }: TestClockOptions = {}) {
    this.#stands = standsAt !== undefined;
    this.#pace = pace;
    if (standsAt !== undefined) this.#wall = new Date(standsAt).getTime();
  }

  /** Whole milliseconds, as of the machine's clock, though `advance` adds parts of one to both. */
  now(): number {
    return Math.floor(this.#wall + (this.#stands ? 0 : systemClock.now()));
  }

  monotonic(): number {
    return this.#monotonic + (this.#stands ? 0 : systemClock.monotonic() * this.#pace);
  }

  /** Sets the time of day, forward or back, as an operator does; nothing that waits notices. */
  setBy(milliseconds: number): void {
    this.#wall += milliseconds;
  }

  /** Moves the clock forward as for a process that was suspended: what was due meanwhile is called late. */
  suspend(milliseconds: number): void {
    this.#move(milliseconds);
  }

  /**
   * Moves the clock forward, from one due callback to the next, each in a turn of the event loop of its own. What they
   * begin may end later: await its effect.
   */
  async advance(milliseconds: number): Promise<void> {
    // What has just been called may be about to wait.
    await turn();
    const end = this.monotonic() + milliseconds;
    for (;;) {
      const next = this.#nextBefore(end);
      this.#move((next?.dueAt ?? end) - this.monotonic());
      if (next === undefined) break;
      this.#fire(next);
      await turn();
    }
    await turn();
  }

  /** Number of callbacks that are waited for, sleeps among them. */
  get waiting(): number {
    return this.#pending.size;
  }

  async sleep(milliseconds: number, { signal, ref = true }: SleepOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = this.after(milliseconds, resolve);
    if (!ref) timer.unref();
    const aborted = () => {
      timer.cancel();
      reject(new DOMException('The operation was aborted', 'AbortError'));
    };
    signal?.addEventListener('abort', aborted, { once: true });
    return promise.finally(() => signal?.removeEventListener('abort', aborted));
  }

  after(milliseconds: number, callback: () => void): Timer {
    return this.#add(milliseconds, undefined, callback);
  }

  every(milliseconds: number, callback: () => void): Timer {
    return this.#add(milliseconds, milliseconds, callback);
  }

  #add(milliseconds: number, everyMs: number | undefined, callback: () => void): Timer {
    const pending: Pending = { dueAt: this.monotonic() + milliseconds, everyMs, callback, isReferenced: true };
    this.#pending.add(pending);
    this.#wait();
    const timer: Timer = {
      cancel: () => {
        if (this.#pending.delete(pending)) this.#wait();
      },
      unref: () => {
        pending.isReferenced = false;
        this.#wait();
        return timer;
      },
    };
    return timer;
  }

  #wait(): void {
    this.#real?.cancel();
    this.#real = undefined;
    const next = this.#stands ? undefined : this.#nextBefore(Number.POSITIVE_INFINITY);
    if (next === undefined) return;
    this.#real = systemClock.after(Math.max(0, next.dueAt - this.monotonic()) / this.#pace, () => {
      // Node's timers may be early by a part of a millisecond.
      if (next.dueAt <= this.monotonic() && this.#pending.has(next)) this.#fire(next);
      else this.#wait();
    });
    if (![...this.#pending].some(({ isReferenced }) => isReferenced)) this.#real.unref();
  }

  #fire(pending: Pending): void {
    if (pending.everyMs === undefined) this.#pending.delete(pending);
    else pending.dueAt = this.#afterMissed(pending.dueAt, pending.everyMs);
    this.#wait();
    pending.callback();
  }

  /** As of the machine's clock, intervals that passed while the process was suspended are not made up for. */
  #afterMissed(dueAt: number, everyMs: number): number {
    const now = this.monotonic();
    return now - dueAt < everyMs ? dueAt + everyMs : now + everyMs;
  }

  #move(milliseconds: number): void {
    if (milliseconds <= 0) return;
    this.#wall += milliseconds;
    this.#monotonic += milliseconds;
    this.#wait();
  }

  #nextBefore(end: number): Pending | undefined {
    let next: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.dueAt <= end && pending.dueAt < (next?.dueAt ?? Number.POSITIVE_INFINITY)) next = pending;
    }
    return next;
  }
}
