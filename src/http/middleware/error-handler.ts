import type { NextFunction, Request, Response } from 'express';
import { AppError, type ErrorCode, providerReason } from '../../errors.ts';
import { describeError, type Logger } from '../../observability/logger.ts';
import type { Telemetry } from '../../observability/telemetry.ts';

/** The body of an error where a protocol has a form of its own, which its routes set as `response.locals.errorBody`. */
export type ErrorBody = (error: AppError) => object;

/** The last middleware: no route matched. */
export function notFound(_request: Request, response: Response): never {
  response.locals.browser = true;
  throw new AppError('not_found', 'There is no such address.');
}

/** Middleware for addresses, and methods, that a person's browser may try: an error may be an HTML page. */
export function allowErrorPages(_request: Request, response: Response, next: NextFunction): void {
  response.locals.browser = true;
  next();
}

/** Whether a client prefers a page to JSON, as a browser does that opens an address. */
export function prefersPage(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'html';
}

/** Turns every error into a response: JSON, or an HTML page at an address for browsers. */
export function errorHandler(logger: Logger, telemetry: Telemetry) {
  return async (thrown: unknown, request: Request, response: Response, next: NextFunction): Promise<void> => {
    const error = toAppError(thrown);
    log(logger, error, request);
    telemetry.count('error', error.code);
    // A response was started: Express closes the connection.
    if (response.headersSent) {
      next(thrown);
      return;
    }
    setHeaders(response, error);
    response.status(error.status);
    if (response.locals.browser === true && prefersPage(request)) {
      const { sendErrorPage } = await import('../pages/error-page.ts');
      sendErrorPage(response, error);
      return;
    }
    const bodyOf = response.locals.errorBody as ErrorBody | undefined;
    if (bodyOf !== undefined) {
      response.json(bodyOf(error));
      return;
    }
    const { code, message } = error;
    // The provider's words are for the caller of an action only.
    const { provider: _, ...details } = error.details ?? {};
    const hasDetails = Object.keys(details).length > 0;
    response.json({ status: 'error', code, message, request_id: request.id, ...(hasDetails && { details }) });
  };
}

function log(logger: Logger, error: AppError, request: Request): void {
  const fields = { err: describeError(error), code: error.code, request_id: request.id };
  // Level `error` is for what an operator must look into; a healthy service logs none.
  if (error.code === 'internal') logger.error(fields, 'request failed');
  else if (error.status >= 500 && !isExpected(error, request)) logger.warn(fields, 'request failed');
  // The provider's code, which the client does not receive. Its message may repeat the user's text.
  else if (error.details?.provider !== undefined)
    logger.info({ code: error.code, reason: providerReason(error) }, 'the provider rejected the request');
  else logger.debug(fields, 'request rejected');
}

/** A provider that is not configured is no fault, and health/readiness.ts logs changes of the probe's result. */
function isExpected({ code, logged }: AppError, { path }: Request): boolean {
  return logged || code === 'not_configured' || code === 'assistant_disabled' || path.startsWith('/health/');
}

function setHeaders(response: Response, error: AppError): void {
  response.setHeader('cache-control', 'no-store');
  if (error.allow !== undefined) response.setHeader('allow', error.allow.join(', '));
  if (error.status === 401) response.setHeader('www-authenticate', challenge(error, response));
  const retryAfter = error.retryAfter ?? (error.status === 503 ? DEFAULT_RETRY_SECONDS : undefined);
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
}

const DEFAULT_RETRY_SECONDS = 30;
/** Bearer credentials, or a bare token, which is tolerated. */
const BEARER = /^(?:bearer\s.*|\S+)$/i;

/**
 * The challenge for bearer tokens (RFC 6750, 3), as which ID tokens are used here. An address with its own sign-in adds
 * parameters, and tells a request without credentials, or with those of another scheme, of no error (RFC 6750, 3.1).
 */
function challenge(error: AppError, { locals, req }: Response): string {
  const description = error.message.replaceAll('’', "'").replace(/[^\x20-\x7e]|["\\]/g, '');
  const more: unknown = locals.challenge;
  if (more !== undefined && !BEARER.test(req.headers.authorization ?? '')) return `Bearer realm="steward", ${more}`;
  const parameters = `Bearer realm="steward", error="invalid_token", error_description="${description}"`;
  return more === undefined ? parameters : `${parameters}, ${more}`;
}

/** Errors of Express and its body parsers have a `status`; any other error is `internal`, without its message. */
function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const known = thrown instanceof Error && 'status' in thrown ? KNOWN[Number(thrown.status)] : undefined;
  // The parser's message quotes the body, so only the error's name is kept.
  if (known !== undefined) return new AppError(known[0], known[1], { cause: new Error((thrown as Error).name) });
  return new AppError('internal', 'Something went wrong in the service. Its log has the reason under the request id.', { cause: thrown });
}

const KNOWN: Record<number, [ErrorCode, string]> = {
  400: ['invalid_request', 'The request could not be read.'],
  404: ['not_found', 'There is no such address.'],
  413: ['too_large', 'The request is too large.'],
  415: ['unsupported_media_type', 'Send application/x-www-form-urlencoded or application/json, in UTF-8 and uncompressed.'],
};
