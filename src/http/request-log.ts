import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { type HttpLogger, pinoHttp } from 'pino-http';
import { guarded } from '../observability/guarded.ts';
import { withContext } from '../observability/log-context.ts';
import type { Logger } from '../observability/logger.ts';
import { redactPath } from '../observability/redact-url.ts';
import type { Telemetry } from '../observability/telemetry.ts';

/** Assigns an id to every request: for its response, its errors, and every log line that belongs to it. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const id = randomUUID();
  request.id = id;
  response.setHeader('x-request-id', id);
  withContext({ request_id: id }, next);
}

/**
 * Measures each request.
 *
 * @param routes the endpoints' paths; any other path counts as no route, because clients choose it
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
 * Logs one line for each request: method, path, status, duration. Never a query, a header or a body, since they carry
 * tokens; text in the path that looks like a token is redacted.
 */
export function requestLog(logger: Logger): HttpLogger {
  return pinoHttp({
    logger,
    genReqId: (request) => request.id,
    // error-handler.ts logs the reason of a failure at its level; a client that disconnects is no fault.
    customLogLevel: () => 'info',
    customErrorMessage: () => 'request completed',
    customErrorObject: (_request, _response, _error, { err: _, ...fields }) => fields,
    serializers: {
      req: (request: { id: string; method: string; url: string }) => ({
        id: request.id,
        method: request.method,
        // The target may be in absolute form (RFC 9112, 3.2.2).
        path: redactPath(request.url.replace(/^[a-z]+:\/\/[^/?]*/i, '')),
      }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
    },
  });
}
