import { type DestinationStream, type Logger, pino } from 'pino';
import { currentFields } from './log-context.ts';

export type { Logger };

/** The fields of an error that are logged; the whole object may contain a request with its secrets. */
export interface LoggedError {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: LoggedError;
}

const CAUSE_DEPTH = 4;
/** pino's level numbers. */
const WARN = 40;
const ERROR = 50;
/** Results of {@link describeError}: callers may describe an error before the logger's serializer does. */
const described = new WeakSet<object>();
const lines = new WeakMap<Logger, LineCounts>();

/** Lines written so far that may need attention. */
export interface LineCounts {
  warn: number;
  error: number;
}

/** Reduces any thrown value to an allow-list of fields, without the requests and headers in the SDKs' errors. */
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
 * Structured logs on standard output, written line by line: a kill loses none. Each line has the ids of its context (log-context.ts). Errors pass through
 * {@link describeError}; http/middleware/request-log.ts logs only method, path and status of requests.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const counts: LineCounts = { warn: 0, error: 0 };
  const options = {
    level,
    base: { service: 'steward' },
    serializers: { err: describeError, error: describeError },
    // A new object each time: pino writes the line's own fields into it.
    mixin: (_fields: object, number: number) => {
      if (number >= ERROR) counts.error += 1;
      else if (number >= WARN) counts.warn += 1;
      return { ...currentFields() };
    },
  };
  const logger = pino(options, destination ?? pino.destination({ fd: process.stdout.fd, sync: true }));
  lines.set(logger, counts);
  return logger;
}

/** How many lines a logger of {@link createLogger} has written. */
export function lineCounts(logger: Logger): LineCounts {
  return lines.get(logger) ?? { warn: 0, error: 0 };
}
