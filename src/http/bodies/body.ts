import { isUtf8 } from 'node:buffer';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../../errors.ts';
import { offThread } from '../../off-thread/off-thread.ts';
import type { Principal } from '../../principal.ts';
import { excessIn, LARGE_BYTES, parseLargeJson } from '../../validation/json-budget.ts';
import { networkOfRequest } from '../server/client-address.ts';
import { rejectSocket } from '../server/raw-responses.ts';
import { assertWellFormed, formFields } from './form-fields.ts';

const FORM = 'application/x-www-form-urlencoded';
/** RFC 7396, section 4. */
export const MERGE_PATCH = 'application/merge-patch+json';
const CHARSET = /;\s*charset="?([^\s";]+)/i;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** Read beyond the limit, so that the client receives the error: at least this, and three times the limit. */
const SURPLUS_BYTES = 1024 * 1024;
const SURPLUS_LIMITS = 3;
/** Chunks of a body. Processing one costs as much as a thousand bytes; large bodies may have as many as usual packets hold. */
const CHUNKS_MAX = 4_096;
const PACKET_BYTES = 1_024;

/** Parses form and JSON bodies of up to `limit` bytes, forms of up to `fields` fields; rejects other media types. */
export function body(limit: number, fields: number): RequestHandler[] {
  return [cutOff(limit), requireFormOrJson, formParser(limit, fields), jsonParser(limit), requireObject];
}

/** Parses a JSON object of up to `limit` bytes. */
export function jsonBody(limit: number): RequestHandler[] {
  return [cutOff(limit), requireJson, jsonParser(limit), requireObject];
}

/** Parses a JSON merge patch (RFC 7396) of up to `limit` bytes: an object, because what it changes is one. */
export function mergePatchBody(limit: number): RequestHandler[] {
  return [cutOff(limit), requireMergePatch, jsonParser(limit, ['json', MERGE_PATCH]), requireObject];
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

function requireMergePatch(request: Request, response: Response, next: NextFunction): void {
  if (request.is(['json', MERGE_PATCH]) === false) {
    // RFC 5789, section 2.2.
    response.setHeader('accept-patch', `${MERGE_PATCH}, application/json`);
    throw new AppError('unsupported_media_type', `Send ${MERGE_PATCH} or application/json.`);
  }
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

function formParser(limit: number, fields: number): RequestHandler {
  const parser = express.urlencoded({
    extended: false,
    limit: Math.min(limit, LARGE_BYTES),
    parameterLimit: fields,
    verify: (_request, _response, raw) => assertWellFormed(raw),
    inflate: false,
  });
  return ifLarge([FORM], limit, parser, async (bytes, request, { locals }) => {
    const input = { bytes, fields };
    if (bytes.length <= LARGE_BYTES) return formFields.run(input);
    const caller = locals.caller as Principal | undefined;
    return offThread(formFields, input, { userId: caller?.userId ?? networkOfRequest(request), transfer: [bytes.buffer] });
  });
}

function jsonParser(limit: number, type: string[] = ['json']): RequestHandler {
  const parser = express.json({
    type,
    limit: Math.min(limit, LARGE_BYTES),
    strict: true,
    inflate: false,
    verify: (_request, _response, raw, charset) => assertUtf8Bytes(raw, charset),
  });
  return ifLarge(type, limit, parser, largeObject);
}

/**
 * Express' parsers decode and parse a body in one turn of the event loop, so that large ones have a parser of their own.
 *
 * @param type of the bodies that are parsed
 */
function ifLarge(
  type: string[],
  limit: number,
  small: RequestHandler,
  parse: (bytes: Buffer<ArrayBuffer>, request: Request, response: Response) => Promise<unknown>,
): RequestHandler {
  if (limit <= LARGE_BYTES) return small;
  const read = express.raw({ type, limit, inflate: false });
  return (request, response, next) => {
    if (!isLarge(request) || request.is(type) === false) {
      small(request, response, next);
      return;
    }
    assertUtf8(request);
    read(request, response, (error: unknown) => {
      if (error !== undefined) {
        next(error);
        return;
      }
      parse(request.body, request, response).then((parsed) => {
        request.body = parsed;
        next();
      }, next);
    });
  };
}

/** Of unknown length: perhaps. */
function isLarge({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LARGE_BYTES;
}

function assertUtf8({ headers }: Request): void {
  const [, charset = 'utf-8'] = CHARSET.exec(headers['content-type'] ?? '') ?? [];
  if (charset.toLowerCase() !== 'utf-8') throw new AppError('unsupported_media_type', 'Send UTF-8.');
}

/** Decoding would replace what is none (RFC 8259, 8.1). @throws AppError `invalid_request` */
function assertUtf8Bytes(bytes: Buffer, charset = 'utf-8'): void {
  if (charset === 'utf-8' && !isUtf8(bytes)) throw new AppError('invalid_request', 'The body is not UTF-8.');
}

/** @throws AppError `invalid_request`, `too_large` */
async function largeObject(bytes: Buffer): Promise<unknown> {
  // As Express' parser has it.
  if (bytes.length === 0) return {};
  assertUtf8Bytes(bytes);
  const text = bytes.indexOf(BYTE_ORDER_MARK) === 0 ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  // Nesting that no action accepts, before it is parsed.
  const excess = await excessIn(text);
  if (excess !== undefined) throw new AppError(excess.code, `The body has ${excess.reason}.`);
  const value = await parseLargeJson(text).catch(() => undefined);
  // The parser's message quotes the body.
  if (typeof value !== 'object' || value === null) throw new AppError('invalid_request', 'The request could not be read.');
  return value;
}

function requireObject(request: Request, _response: Response, next: NextFunction): void {
  if (Array.isArray(request.body)) throw new AppError('invalid_request', 'The body must be an object with named fields.');
  next();
}
