import type { Logger } from './logger.ts';

const INTERVAL_MS = 60_000;

/** @param fields what the line says beside its message, an error under `err` */
export type ThrottledLog = (fields: object, message: string) => void;

/**
 * Tells the operator, at most once a minute: what floods us must not flood the log.
 *
 * @param now milliseconds, never going back
 */
export function throttledLog(logger: Logger, level: 'info' | 'warn' | 'error', now: () => number = () => performance.now()): ThrottledLog {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (fields, message) => {
    if (now() - lastAt < INTERVAL_MS) return;
    lastAt = now();
    logger[level](fields, message);
  };
}
