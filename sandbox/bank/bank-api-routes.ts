import { randomBytes } from 'node:crypto';
import { json, type NextFunction, type Request, type Response, Router } from 'express';
import type { Logger } from '../../src/observability/logger.ts';
import type { Operation } from './bank-api.ts';
import { AggregatorError, type InjectedErrors } from './bank-sandbox-errors.ts';

/** The only client. */
export const CREDENTIALS = { clientId: 'sandbox', secret: 'sandbox' };

export interface ApiRoutesOptions {
  operations: Record<string, Operation>;
  injected: InjectedErrors;
  /** Id of the item that the token in a body belongs to. */
  itemOf(body: Record<string, unknown>): string | undefined;
  logger: Logger;
}

/** The aggregator's API, mounted at /sandbox/bank. Checks credentials, then the body, then its fields, as the real one does. */
export function bankApiRoutes({ operations, injected, itemOf, logger }: ApiRoutesOptions): Router {
  const router = Router();
  for (const [path, operation] of Object.entries(operations)) {
    router.post(path, rejectWrongHeaders, json({ limit: '100kb' }), (request, response) => {
      const body = takeBody(request);
      injected.meet(path, itemOf(body));
      response.set('Cache-Control', 'no-store').json({ ...operation(body), request_id: requestId() });
    });
  }
  router.use((request) => {
    throw new AggregatorError('NOT_FOUND', `the requested endpoint does not exist: ${request.method} ${request.path}`);
  });
  router.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const { status, body } = toAggregatorError(error, logger);
    response
      .status(status)
      .set('Cache-Control', 'no-store')
      .json({ ...body, request_id: requestId() });
  });
  return router;
}

/** Wrong credentials in the headers are rejected before the body is read. */
function rejectWrongHeaders(request: Request, _response: Response, next: NextFunction): void {
  const { clientId, secret } = headerCredentials(request);
  const fits = (given: string | undefined, own: string) => given === undefined || given === own;
  if (!fits(clientId, CREDENTIALS.clientId) || !fits(secret, CREDENTIALS.secret)) throw new AggregatorError('INVALID_API_KEYS');
  next();
}

/** The body without its credentials, which apply if there are none in the headers. */
function takeBody(request: Request): Record<string, unknown> {
  const given: unknown = request.body;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new AggregatorError('INVALID_BODY');
  const { client_id: bodyId, secret: bodySecret, ...body } = given as Record<string, unknown>;
  const { clientId = bodyId, secret = bodySecret } = headerCredentials(request);
  if (clientId !== CREDENTIALS.clientId || secret !== CREDENTIALS.secret) throw new AggregatorError('INVALID_API_KEYS');
  return body;
}

function headerCredentials(request: Request): { clientId: string | undefined; secret: string | undefined } {
  return { clientId: request.get('PLAID-CLIENT-ID'), secret: request.get('PLAID-SECRET') };
}

function toAggregatorError(error: unknown, logger: Logger): AggregatorError {
  if (error instanceof AggregatorError) return error;
  // Errors of the body parser have a status.
  if (error instanceof Error && 'status' in error && Number(error.status) < 500) return new AggregatorError('INVALID_BODY');
  logger.error({ err: error }, 'bank sandbox: a call failed');
  return new AggregatorError('INTERNAL_SERVER_ERROR');
}

function requestId(): string {
  return randomBytes(12).toString('base64url').replaceAll(/[-_]/g, 'x').slice(0, 15);
}
