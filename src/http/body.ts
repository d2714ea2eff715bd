import type { IncomingMessage } from 'node:http';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../errors.ts';
import { excessOf, LARGE_BYTES, scanJson } from '../validation/json-scan.ts';
import { rejectSocket } from './raw-responses.ts';

const FORM = 'application/x-www-form-urlencoded';
/** Read beyond the limit, so that the client receives the error: at least this, and three times the limit. */
const SURPLUS_BYTES = 1024 * 1024;
const SURPLUS_LIMITS = 3;
/** Chunks of a body. Processing one costs as much as a thousand bytes; large bodies may have as many as usual packets hold. */
const CHUNKS_MAX = 4_096;
const PACKET_BYTES = 1_024;

/** Parses form and JSON bodies of up to `limit` bytes, forms of up to `fields` fields; rejects other media types. */
export function body(limit: number, fields: number): RequestHandler[] {
  return [
    cutOff(limit),
    requireFormOrJson,
    express.urlencoded({ extended: false, limit, parameterLimit: fields, verify: rejectMalformedEscapes, inflate: false }),
    express.json({ limit, strict: true, inflate: false, verify: rejectExcess }),
    requireObject,
  ];
}

/** Parses a JSON object of up to `limit` bytes. */
export function jsonBody(limit: number): RequestHandler[] {
  return [cutOff(limit), requireJson, express.json({ limit, strict: true, inflate: false, verify: rejectExcess }), requireObject];
}

/** Reads a JSON body of up to `limit` bytes as a Buffer, for checking a signature over its bytes. */
export function rawBody(limit: number): RequestHandler[] {
  return [cutOff(limit), requireJson, express.raw({ type: () => true, limit, inflate: false })];
}

/** Reads a body of up to `limit` bytes as a Buffer, whatever its type. */
export function anyBody(limit: number): RequestHandler[] {
  return [cutOff(limit), express.raw({ type: () => true, limit, inflate: false })];
}

/** The parsers read a body that is too large to its end before they reject it. This closes the connection of an endless one. */
function cutOff(limit: number) {
  const mostBytes = limit + Math.max(SURPLUS_BYTES, SURPLUS_LIMITS * limit);
  const mostChunks = CHUNKS_MAX + mostBytes / PACKET_BYTES;
  return (request: Request, _response: Response, next: NextFunction): void => {
    let bytes = 0;
    let chunks = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      chunks += 1;
      if (bytes <= mostBytes && chunks <= mostChunks) return;
      request.off('data', count);
      rejectSocket(request.socket, { code: 'too_large', message: 'The request is too large.' });
    };
    request.on('data', count);
    next();
  };
}

function requireJson(request: Request, _response: Response, next: NextFunction): void {
  if (request.is('json') === false) throw new AppError('unsupported_media_type', 'Send application/json.');
  next();
}

function requireFormOrJson(request: Request, _response: Response, next: NextFunction): void {
  const empty = request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? 0) === 0;
  if (empty || request.is([FORM, 'json']) !== false) {
    next();
    return;
  }
  throw new AppError('unsupported_media_type', `Send ${FORM} or application/json.`);
}

/** The parser keeps a malformed escape as it is; this rejects it. */
function rejectMalformedEscapes(_request: IncomingMessage, _response: unknown, raw: Buffer): void {
  try {
    decodeURIComponent(raw.toString('latin1').replaceAll('+', ' '));
  } catch (cause) {
    throw new AppError('invalid_request', 'The form is not percent-encoded correctly.', { cause });
  }
}

/** Nesting that no action accepts, before it is parsed. */
function rejectExcess(_request: IncomingMessage, _response: unknown, raw: Buffer): void {
  const excess = raw.length > LARGE_BYTES ? excessOf(scanJson(raw)) : undefined;
  if (excess !== undefined) throw new AppError(excess.code, `The body has ${excess.reason}.`);
}

function requireObject(request: Request, _response: Response, next: NextFunction): void {
  if (Array.isArray(request.body)) throw new AppError('invalid_request', 'The body must be an object with named fields.');
  next();
}
