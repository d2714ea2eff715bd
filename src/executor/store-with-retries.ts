import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import { describeError, type Logger } from '../observability/logger.ts';

/** Added to a run's timeout, for storing its result. */
export const STORING_MS = 30_000;
const TRIES = 3;
const PAUSE_MS = 500;

/**
 * Stores how a run ended. A failure is logged, because it must not hide the run's result.
 *
 * @param what the log's message
 */
export async function storeWithRetries(
  clock: Clock,
  logger: Logger,
  { action, what }: { action: string; what: string },
  write: () => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await write();
      return;
    } catch (error) {
      if (tries < TRIES && error instanceof AppError && error.code === 'unavailable') {
        await clock.sleep(PAUSE_MS);
        continue;
      }
      logger.warn({ err: describeError(error), action }, what);
      return;
    }
  }
}
