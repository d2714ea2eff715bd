import { AppError } from '../errors.ts';

/** An answer of more parts than this is no API's that we call, whatever its bytes: each takes memory many times its size. */
const MAX_CONTAINERS = 1_000_000;
/** Nothing that is read lies deeper. */
const MAX_DEPTH = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** @returns undefined when it isn't JSON */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Counts what JSON holds before it is parsed: the parser can't be stopped, and of twelve megabytes of `{},` it makes
 * hundreds.
 *
 * @returns about how many values there are
 * @throws AppError `provider_error` when they are too many for any API's answer
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
  if (containers > MAX_CONTAINERS) throw notUnderstood('too many lists and objects');
  return containers + commas + 1;
}

/** Where the quotation mark stands that ends the text. */
function endOfText(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(QUOTE, from);
  while (at !== -1 && isEscaped(bytes, at, from)) at = bytes.indexOf(QUOTE, at + 1);
  return at === -1 ? bytes.length : at;
}

/** Each mark's backslashes are looked at once, so a text of nothing else takes no longer. */
function isEscaped(bytes: Uint8Array, mark: number, from: number): boolean {
  let at = mark - 1;
  while (at >= from && bytes[at] === BACKSLASH) at -= 1;
  return (mark - 1 - at) % 2 === 1;
}

/**
 * Makes parsed JSON fit to be worked with, in place: lists and objects that lie too deep become null.
 *
 * @param nulls `dropped`: a field that is null says no more than one that isn't there, and is removed. In lists each
 * place counts, so there it stays
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

/** The answer is not what the provider documents; `cause` is for the log and holds none of it. */
export function notUnderstood(cause: string): AppError {
  return new AppError('provider_error', 'The provider’s answer could not be understood.', { cause: new Error(cause) });
}
