import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { type HttpLogger, pinoHttp } from 'pino-http';
import { guarded } from '../observability/guarded.ts';
import { withContext } from '../observability/log-context.ts';
import type { Logger } from '../observability/logger.ts';
import { redactPath } from '../observability/redact-url.ts';
import type { Telemetry } from '../observability/telemetry.ts';

/** Gives every request its id, which every answer, every error and every line logged on its behalf carries. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const id = randomUUID();
  request.id = id;
  response.setHeader('x-request-id', id);
  withContext({ request_id: id }, next);
}

/**
 * Measures each request.
 *
 * @param routes the endpoints' patterns: what else a path may be is the client's invention, and counts as no route
 */
export function measured(telemetry: Telemetry, routes: ReadonlySet<string>, logger: Logger) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const track = telemetry.request(request.method, request.headers);
    if (track === undefined) {
      next();
      return;
    }
    const end = () => {
      const route: unknown = request.route?.path;
      const known = typeof route === 'string' && routes.has(route) ? route : undefined;
      track.end(known, response.writableFinished ? response.statusCode : 0);
    };
    response.once('close', guarded(logger, 'measuring a request', end));
    track.withContext(next);
  };
}

/**
 * One line a request: method, path, status, time. Never a query string, a
 * header or a body, since all of them carry tokens; nor what looks like one in the path.
 */
export function requestLog(logger: Logger): HttpLogger {
  return pinoHttp({
    logger,
    genReqId: (request) => request.id,
    // Why a request failed is told where it did, at the level that it deserves (error-handler.ts); a client that goes is no fault.
    customLogLevel: () => 'info',
    customErrorMessage: () => 'request completed',
    customErrorObject: (_request, _response, _error, { err: _, ...fields }) => fields,
    serializers: {
      req: (request: { id: string; method: string; url: string }) => ({
        id: request.id,
        method: request.method,
        // Some clients send the whole address (RFC 9112, 3.2.2).
        path: redactPath(request.url.replace(/^[a-z]+:\/\/[^/?]*/i, '')),
      }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
    },
  });
}
