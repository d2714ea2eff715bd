import type { IncomingMessage } from 'node:http';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../errors.ts';

const FORM = 'application/x-www-form-urlencoded';

/** Parses form and JSON bodies up to `limit` bytes, forms up to `fields` fields; refuses every other kind of body. */
export function body(limit: number, fields: number): RequestHandler[] {
  return [
    refuseOtherTypes,
    express.urlencoded({ extended: false, limit, parameterLimit: fields, verify: refuseMalformed, inflate: false }),
    express.json({ limit, strict: true, inflate: false }),
    requireObject,
  ];
}

/** Takes a JSON body of up to `limit` bytes as it came, for whoever checks a signature over its bytes. */
export function rawBody(limit: number): RequestHandler[] {
  return [refuseAllButJson, express.raw({ type: () => true, limit, inflate: false })];
}

function refuseAllButJson(request: Request, _response: Response, next: NextFunction): void {
  if (request.is('json') === false) throw new AppError('unsupported_media_type', 'Send application/json.');
  next();
}

function refuseOtherTypes(request: Request, _response: Response, next: NextFunction): void {
  const empty = request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? 0) === 0;
  if (empty || request.is([FORM, 'json']) !== false) {
    next();
    return;
  }
  throw new AppError('unsupported_media_type', `Send ${FORM} or application/json.`);
}

/** The parser keeps a malformed escape as it stands; a form that isn't one is refused instead. */
function refuseMalformed(_request: IncomingMessage, _response: unknown, raw: Buffer): void {
  try {
    decodeURIComponent(raw.toString('latin1').replaceAll('+', ' '));
  } catch (cause) {
    throw new AppError('invalid_request', 'The form is not correctly encoded.', { cause });
  }
}

function requireObject(request: Request, _response: Response, next: NextFunction): void {
  if (Array.isArray(request.body)) throw new AppError('invalid_request', 'The body must be an object with named fields.');
  next();
}
