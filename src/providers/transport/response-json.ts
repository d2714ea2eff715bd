import { AppError } from '../../errors.ts';

/** No API that is called here responds with more containers than this. Each takes many times its size in memory. */
const MAX_CONTAINERS = 1_000_000;
/** Nothing that is read is nested more deeply. */
const MAX_DEPTH = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** @returns undefined when it is not JSON */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Counts the values in JSON before it is parsed, because parsing cannot be interrupted and 12 MB of `{},` need hundreds of
 * megabytes of memory.
 *
 * @returns about how many values there are
 * @throws AppError `provider_error` when they are too many for any API's response
 */
export function countValues(bytes: Uint8Array): number {
  let containers = 0;
  let commas = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfText(bytes, at + 1);
    else if (byte === BRACE || byte === BRACKET) containers += 1;
    else if (byte === COMMA) commas += 1;
  }
  if (containers > MAX_CONTAINERS) throw unreadableResponse('too many lists and objects');
  return containers + commas + 1;
}

/** The position of the quotation mark that ends the text. */
function endOfText(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(QUOTE, from);
  while (at !== -1 && isEscaped(bytes, at, from)) at = bytes.indexOf(QUOTE, at + 1);
  return at === -1 ? bytes.length : at;
}

/** Checks each mark's backslashes once, so that the time is linear in any text. */
function isEscaped(bytes: Uint8Array, mark: number, from: number): boolean {
  let at = mark - 1;
  while (at >= from && bytes[at] === BACKSLASH) at -= 1;
  return (mark - 1 - at) % 2 === 1;
}

/**
 * Normalizes parsed JSON in place: lists and objects that are nested too deeply become null.
 *
 * @param nulls `dropped`: fields that are null are removed, because they mean the same as missing ones. Items of lists
 * are kept
 */
export function tidy(value: unknown, nulls: 'dropped' | 'kept', depth = 0): void {
  if (Array.isArray(value)) tidyList(value, nulls, depth);
  else if (typeof value === 'object' && value !== null) tidyObject(value as Record<string, unknown>, nulls, depth);
}

function tidyList(list: unknown[], nulls: 'dropped' | 'kept', depth: number): void {
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    if (typeof item !== 'object' || item === null) continue;
    if (depth >= MAX_DEPTH) list[index] = null;
    else tidy(item, nulls, depth + 1);
  }
}

function tidyObject(object: Record<string, unknown>, nulls: 'dropped' | 'kept', depth: number): void {
  for (const name in object) {
    const member = object[name];
    if (typeof member !== 'object') continue;
    const isNull = member === null || depth >= MAX_DEPTH;
    if (!isNull) tidy(member, nulls, depth + 1);
    else if (nulls === 'dropped') delete object[name];
    else object[name] = null;
  }
}

/** The error of a response that is not as documented. `cause` is logged and must not contain any of the response. */
export function unreadableResponse(cause: string): AppError {
  return new AppError('provider_error', 'The provider’s response could not be read.', { cause: new Error(cause) });
}
