import type { NextFunction, Request, Response } from 'express';
import { AppError, type ErrorCode } from '../errors.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import { html, page, pagePolicy } from './html.ts';

/** The last route: whatever no endpoint took. */
export function notFound(): never {
  throw new AppError('not_found', 'There is no such address here.');
}

/** Middleware for addresses that a person opens in a browser: an error may be an HTML page. */
export function allowErrorPages(_request: Request, response: Response, next: NextFunction): void {
  response.locals.browser = true;
  next();
}

/** The one place where an error becomes an answer: the contract's JSON form, or a page for a person's browser. */
export function errorHandler(logger: Logger, telemetry: Telemetry) {
  return (thrown: unknown, request: Request, response: Response, next: NextFunction): void => {
    const error = toAppError(thrown);
    log(logger, error, request);
    telemetry.count('error', error.code);
    // Too late for an answer of ours: let Express cut the connection.
    if (response.headersSent) {
      next(thrown);
      return;
    }
    setHeaders(response, error);
    response.status(error.status);
    if (response.locals.browser === true && request.accepts(['json', 'html']) === 'html') {
      response.setHeader('content-security-policy', pagePolicy());
      response.type('html').send(errorPage(error, request.id));
      return;
    }
    const { code, message } = error;
    // A provider's words are for whoever called an action, and here for the log.
    const { provider: _, ...details } = error.details ?? {};
    const hasDetails = Object.keys(details).length > 0;
    response.json({ status: 'error', code, message, request_id: request.id, ...(hasDetails && { details }) });
  };
}

function log(logger: Logger, error: AppError, request: Request): void {
  const fields = { err: describeError(error), code: error.code, request_id: request.id };
  // ERROR is silent while the service is healthy: only what an operator must look at.
  if (error.code === 'internal') logger.error(fields, 'request failed');
  else if (error.status >= 500 && !isExpected(error, request)) logger.warn(fields, 'request failed');
  // Why a provider refused, in its own words: what a caller isn't told here, an operator may need.
  else if (error.details?.provider !== undefined)
    logger.info({ code: error.code, provider: error.details.provider }, 'the provider refused');
  else logger.debug(fields, 'request refused');
}

/** A part that was left off is no fault, and what a probe learns is logged when it changes (health/readiness.ts). */
function isExpected({ code, logged }: AppError, { path }: Request): boolean {
  return logged || code === 'not_configured' || code === 'assistant_disabled' || path.startsWith('/health/');
}

function setHeaders(response: Response, error: AppError): void {
  response.setHeader('cache-control', 'no-store');
  if (error.allow !== undefined) response.setHeader('allow', error.allow.join(', '));
  if (error.status === 401) response.setHeader('www-authenticate', challenge(error));
  const retryAfter = error.retryAfter ?? (error.status === 503 ? DEFAULT_RETRY_SECONDS : undefined);
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
}

const DEFAULT_RETRY_SECONDS = 30;

/** RFC 6750, 3: the challenge for bearer tokens, which ID tokens are used as here. */
function challenge(error: AppError): string {
  return `Bearer realm="steward", error="invalid_token", error_description="${error.message.replace(/[^\x20-\x7e]|["\\]/g, '')}"`;
}

/** Errors of Express and its body parsers carry `type` and `status`; everything unknown is ours and says nothing. */
function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const known = thrown instanceof Error && 'status' in thrown ? KNOWN[Number(thrown.status)] : undefined;
  // A parser's message quotes the body; the name of the error says enough.
  if (known !== undefined) return new AppError(known[0], known[1], { cause: new Error((thrown as Error).name) });
  return new AppError('internal', 'Something went wrong on our side. The request id helps to find out what.', { cause: thrown });
}

const KNOWN: Record<number, [ErrorCode, string]> = {
  400: ['invalid_request', 'The request could not be read.'],
  404: ['not_found', 'There is no such address here.'],
  413: ['too_large', 'The request is too large.'],
  415: ['unsupported_media_type', 'Send application/x-www-form-urlencoded or application/json, in UTF-8 and uncompressed.'],
};

function errorPage(error: AppError, requestId: unknown): string {
  return page(
    'Something is not right',
    html`<h1>That did not work</h1>
<p class="error">${error.message}</p>
<p>Close this window and start again from your assistant.</p>
<p class="muted">Code <code>${error.code}</code>, request <code>${requestId}</code></p>`,
  );
}
