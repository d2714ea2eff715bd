import type { IncomingMessage } from 'node:http';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../errors.ts';

const FORM = 'application/x-www-form-urlencoded';

/** Parses form and JSON bodies up to `limit` bytes; refuses every other kind of body. */
export function body(limit: number): RequestHandler[] {
  return [
    refuseOtherTypes,
    express.urlencoded({ extended: false, limit, parameterLimit: 100, verify: refuseMalformed, inflate: false }),
    express.json({ limit, strict: true, inflate: false }),
    requireObject,
  ];
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
