import { isatty } from 'node:tty';
import type { DestinationStream } from 'pino';

const STDOUT = 1;

/** Log lines for people, on standard output. Lines are held back until {@link DevelopmentLog.release}. */
export interface DevelopmentLog extends DestinationStream {
  release(): void;
}

/** The fields of a line of http/middleware/request-log.ts. */
interface RequestFields {
  req?: { method: string; path: string };
  res?: { status: number };
  responseTime?: number;
}

/**
 * Opens the readable log of a development start. Lines are held back so that the start message is printed first.
 *
 * @returns undefined when pino-pretty, a development dependency, is not installed
 */
export async function openDevelopmentLog(): Promise<DevelopmentLog | undefined> {
  const pretty = await import('pino-pretty').then(
    (module) => module.default,
    () => undefined,
  );
  if (pretty === undefined) return undefined;
  const stream = pretty({
    sync: true,
    colorize: isatty(STDOUT),
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,service,request_id,req,res,responseTime',
    singleLine: true,
    messageFormat: (line, messageKey) => describeRequest(line) ?? String(line[messageKey]),
  });
  let held: string[] | undefined = [];
  return {
    write(line) {
      if (held === undefined) stream.write(line);
      else held.push(line);
    },
    release() {
      const lines = held ?? [];
      held = undefined;
      for (const line of lines) stream.write(line);
    },
  };
}

/** `GET /test 200, 3 ms`, or undefined for lines that are not about a request. */
function describeRequest({ req, res, responseTime }: RequestFields): string | undefined {
  return req === undefined || res === undefined ? undefined : `${req.method} ${req.path} ${res.status}, ${responseTime} ms`;
}
