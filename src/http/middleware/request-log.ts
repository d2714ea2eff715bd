import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Clock } from '../../clock/clock.ts';
import { guarded } from '../../observability/guarded.ts';
import { withContext } from '../../observability/log-context.ts';
import type { Logger } from '../../observability/logger.ts';
import { redactPath } from '../../observability/redact-url.ts';
import type { Telemetry } from '../../observability/telemetry.ts';

declare module 'node:http' {
  interface IncomingMessage {
    id: string;
  }
}

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
 * tokens; text in the path that looks like a token is redacted. error-handler.ts logs the reason of a failure at its level.
 */
export function requestLog(clock: Clock, logger: Logger): RequestHandler {
  return (request, response, next) => {
    const startedAt = clock.monotonic();
    const { id, method, url } = request;
    let isLogged = false;
    const end = () => {
      if (isLogged) return;
      isLogged = true;
      // The target may be in absolute form (RFC 9112, 3.2.2).
      const req = { id, method, path: redactPath(url.replace(/^[a-z]+:\/\/[^/?]*/i, '')) };
      const fields = { req, res: { status: response.statusCode }, responseTime: Math.round(clock.monotonic() - startedAt) };
      // A client that disconnects is no fault.
      logger.info(fields, response.writableEnded && !request.readableAborted ? 'request completed' : 'request aborted');
    };
    // An error of the connection, too, ends a response, and must not end the process.
    response.on('finish', end).on('close', end).on('error', end);
    next();
  };
}
