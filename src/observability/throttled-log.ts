import type { Clock } from '../clock/clock.ts';
import type { Logger } from './logger.ts';

const INTERVAL_MS = 60_000;

/** @param fields fields of the line, an error as `err` */
export type ThrottledLog = (fields: object, message: string) => void;

/**
 * Logs at most once a minute, so that a flood of events does not flood the log.
 */
export function throttledLog(clock: Pick<Clock, 'monotonic'>, logger: Logger, level: 'info' | 'warn' | 'error'): ThrottledLog {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (fields, message) => {
    const now = clock.monotonic();
    if (now - lastAt < INTERVAL_MS) return;
    lastAt = now;
    logger[level](fields, message);
  };
}
