import { describeError, type Logger } from './logger.ts';

/**
 * A listener, or what a timer calls, that can't end the process: Node ends it with whatever leaves one of them.
 *
 * @param what it handles, for the log
 * @param handle may throw, or return a promise that is rejected
 * @param failed gives up what the failure concerns: a socket, a request
 */
export function guarded<Self, Given extends unknown[]>(
  logger: Logger,
  what: string,
  handle: (this: Self, ...given: Given) => unknown,
  failed?: (this: Self, ...given: Given) => void,
): (this: Self, ...given: Given) => void {
  return function (this: Self, ...given: Given): void {
    const tell = (error: unknown) => {
      logger.error({ err: describeError(error) }, `${what} failed`);
      failed?.apply(this, given);
    };
    try {
      const outcome = handle.apply(this, given);
      if (outcome instanceof Promise) outcome.catch(tell);
    } catch (error) {
      tell(error);
    }
  };
}
