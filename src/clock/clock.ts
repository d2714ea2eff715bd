import { setTimeout as delay } from 'node:timers/promises';

/** What a wait may be given. */
export interface SleepOptions {
  /** Ends the wait early. */
  signal?: AbortSignal | undefined;
  /** false: the wait alone does not keep the process running. */
  ref?: boolean;
}

/** A pending callback. */
export interface Timer {
  cancel(): void;
  /** The timer alone does not keep the process running. */
  unref(): this;
}

/**
 * The one source of time: parts of the service that wait or date are given one, so that tests can advance it. What a
 * database, a library or another process dates has a clock of its own.
 */
export interface Clock {
  /** Time of day, milliseconds since 1970. It may be set, also back: not for durations. */
  now(): number;
  /** Milliseconds since some moment in the past. It never goes back. */
  monotonic(): number;
  /** @throws the error of an abort when the signal is aborted before the time has passed */
  sleep(milliseconds: number, options?: SleepOptions): Promise<void>;
  /** Calls back once. */
  after(milliseconds: number, callback: () => void): Timer;
  /** Calls back at intervals until it is cancelled. */
  every(milliseconds: number, callback: () => void): Timer;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (milliseconds, options) => delay(milliseconds, undefined, options),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return timerOf(timer, () => clearTimeout(timer));
  },
  every(milliseconds, callback) {
    const timer = setInterval(callback, milliseconds);
    return timerOf(timer, () => clearInterval(timer));
  },
};

function timerOf(timer: NodeJS.Timeout, cancel: () => void): Timer {
  return {
    cancel,
    unref() {
      timer.unref();
      return this;
    },
  };
}

/** Like `AbortSignal.timeout`, by a clock. */
export function timeoutSignal(clock: Clock, milliseconds: number): AbortSignal {
  const controller = new AbortController();
  clock.after(milliseconds, () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))).unref();
  return controller.signal;
}
