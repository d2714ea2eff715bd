import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** The fields of an error worth logging: never the whole object, which may carry a request with its secrets. */
export interface LoggedError {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: LoggedError;
}

const CAUSE_DEPTH = 4;
/** What {@link describeError} made: callers may describe before they log, and the logger's serializer sees it again. */
const described = new WeakSet<object>();

/** Reduces any thrown value to an allow-list of fields; vendor errors lose their requests and headers here. */
export function describeError(error: unknown, depth = 0): LoggedError {
  if (typeof error === 'object' && error !== null && described.has(error)) return error as LoggedError;
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const fields: LoggedError = { type: error.name, message: error.message };
  described.add(fields);
  if ('code' in error && typeof error.code === 'string') fields.code = error.code;
  if (error.stack !== undefined) fields.stack = error.stack;
  if (error.cause !== undefined && depth < CAUSE_DEPTH) {
    fields.cause = describeError(error.cause, depth + 1);
  }
  return fields;
}

/**
 * Structured logs on standard output. Errors pass through {@link describeError};
 * requests are logged by http/request-log.ts as method, path and status only.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service: 'steward' },
    serializers: { err: describeError, error: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
