import type { Logger } from '../logger.ts';

const INTERVAL_MS = 60_000;

export type Alarm = (error: unknown, message: string) => void;

/** Tells the operator, at most once a minute: what floods us with tokens must not flood the log. */
export function createAlarm(logger: Logger, now: () => number): Alarm {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (error, message) => {
    if (now() - lastAt < INTERVAL_MS) return;
    lastAt = now();
    logger.error({ err: error }, message);
  };
}
