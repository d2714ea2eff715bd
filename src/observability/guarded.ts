import { describeError, type Logger } from './logger.ts';

/**
 * Wraps a listener or a timer's callback, whose errors would otherwise end the process: they are logged.
 *
 * @param what the subject of the log message
 * @param handle may throw, or return a promise that is rejected
 * @param failed discards what the error concerns: a socket, a request
 */
export function guarded<Self, Given extends unknown[]>(
  logger: Logger,
  what: string,
  handle: (this: Self, ...given: Given) => unknown,
  failed?: (this: Self, ...given: Given) => void,
): (this: Self, ...given: Given) => void {
  return function (this: Self, ...given: Given): void {
    const report = (error: unknown) => {
      logger.error({ err: describeError(error) }, `${what} failed`);
      failed?.apply(this, given);
    };
    try {
      const result = handle.apply(this, given);
      if (result instanceof Promise) result.catch(report);
    } catch (error) {
      report(error);
    }
  };
}
