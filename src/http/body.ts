import type { IncomingMessage } from 'node:http';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../errors.ts';
import { refuseSocket } from './raw-responses.ts';

const FORM = 'application/x-www-form-urlencoded';
/** Beyond the limit, read so that the refusal arrives. */
const SURPLUS_BYTES = 1024 * 1024;
/** Of a body; each takes as long as a thousand bytes. */
const PIECES_MAX = 4_096;

/** Parses form and JSON bodies up to `limit` bytes, forms up to `fields` fields; refuses every other kind of body. */
export function body(limit: number, fields: number): RequestHandler[] {
  return [
    cutOff(limit),
    refuseOtherTypes,
    express.urlencoded({ extended: false, limit, parameterLimit: fields, verify: refuseMalformed, inflate: false }),
    express.json({ limit, strict: true, inflate: false }),
    requireObject,
  ];
}

/** Takes a JSON body of up to `limit` bytes as it came, for whoever checks a signature over its bytes. */
export function rawBody(limit: number): RequestHandler[] {
  return [cutOff(limit), refuseAllButJson, express.raw({ type: () => true, limit, inflate: false })];
}

/** The parsers read what is too large to its end before they refuse it: who sends without an end is not waited for. */
function cutOff(limit: number) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    let bytes = 0;
    let pieces = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      pieces += 1;
      if (bytes <= limit + SURPLUS_BYTES && pieces <= PIECES_MAX) return;
      request.off('data', count);
      refuseSocket(request.socket, { code: 'too_large', message: 'The request is too large.' });
    };
    request.on('data', count);
    next();
  };
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
