import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { type HttpLogger, pinoHttp } from 'pino-http';
import type { Logger } from '../logger.ts';

/** Gives every request its id, which every answer and every error carries. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const id = randomUUID();
  request.id = id;
  response.setHeader('x-request-id', id);
  next();
}

/**
 * One line a request: method, path, status, time. Never a query string, a
 * header or a body, since all of them carry tokens. Failures of ours are
 * errors; what a client did wrong is information.
 */
export function requestLog(logger: Logger): HttpLogger {
  return pinoHttp({
    logger,
    genReqId: (request) => request.id,
    customLogLevel: (_request, response, error) => (error !== undefined || response.statusCode === 500 ? 'error' : 'info'),
    serializers: {
      req: (request: { id: string; method: string; url: string }) => ({
        id: request.id,
        method: request.method,
        path: pathOnly(request.url),
      }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
    },
  });
}

function pathOnly(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
