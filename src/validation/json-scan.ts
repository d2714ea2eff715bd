/** Smaller texts are parsed without a scan. */
export const LARGE_BYTES = 64 * 1024;
/** No action accepts arguments of more levels or values (executor/input-guard.ts). */
const MAX_DEPTH = 32;
const MAX_VALUES = 32_768;

/** Size and request id of a JSON object before it is parsed. */
export interface JsonScan {
  /** Greatest nesting of objects and lists. */
  depth: number;
  /** Approximate number of values. */
  values: number;
  /** The first, as sent; undefined: missing or not a string. */
  requestId: unknown;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Bytes of a text that are looked at one by one. */
const STEP = 256;
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const REQUEST_ID = Buffer.from('"requestId"');
/** The request id as the last property of the outermost object, where clients put it that add it to a finished request. */
const LAST_REQUEST_ID = /[{,]\s*"requestId"\s*:\s*("(?:[^"\\]|\\.)*")\s*\}\s*$/;
/** Of a text's end, searched for it: an id of 64 characters, each escaped. */
const LAST_BYTES = 512;

/**
 * Scans JSON once without building values, to limit large texts before they are parsed and to find the request id for
 * the error. The scan ends at the first excess; from there on, the request id is found at the end of the text only. The
 * result is meaningless for text that is not JSON.
 *
 * @param maxSteps texts, and bytes outside of texts, that are looked at
 */
export function scanJson(text: Buffer, maxSteps = Number.POSITIVE_INFINITY): JsonScan {
  const scan: JsonScan = { depth: 0, values: 1, requestId: undefined };
  let depth = 0;
  let isNamed = false;
  let at = 0;
  for (let steps = 0; at < text.length && steps < maxSteps; at += 1, steps += 1) {
    const byte = text[at];
    if (byte === QUOTE) {
      const end = stringEnd(text, at);
      // The first only: a text of nothing else would cost a parsed string for each.
      if (!isNamed && depth === 1 && end - at === REQUEST_ID.length && text.subarray(at, end).equals(REQUEST_ID)) {
        isNamed = true;
        scan.requestId = stringAfterColon(text, end);
      }
      at = end - 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth += 1;
      scan.values += 1;
      scan.depth = Math.max(scan.depth, depth);
      if (depth > MAX_DEPTH) break;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
    else if (byte === COMMA) scan.values += 1;
    if (scan.values > MAX_VALUES) break;
  }
  if (!isNamed && at < text.length) scan.requestId = lastRequestId(text);
  return scan;
}

/** Why a text is not parsed; undefined: it is. */
export function excessOf({ depth, values }: JsonScan): { code: 'invalid_request' | 'too_large'; reason: string } | undefined {
  if (depth > MAX_DEPTH) return { code: 'invalid_request', reason: `more than ${MAX_DEPTH} levels` };
  return values > MAX_VALUES ? { code: 'too_large', reason: `more than ${MAX_VALUES} values` } : undefined;
}

/**
 * @param start position of the opening quote. @returns the position after the closing quote
 *
 * Long texts are searched natively; between two escapes byte by byte, which takes less than a call.
 */
function stringEnd(text: Buffer, start: number): number {
  let at = start + 1;
  let quote = -1;
  while (at < text.length) {
    const end = Math.min(at + STEP, text.length);
    while (at < end && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
    if (text[at] === QUOTE) return at + 1;
    if (quote < at) quote = positionOf(text, QUOTE, at);
    at += positionOf(text.subarray(at, quote), BACKSLASH, 0);
  }
  return text.length;
}

/** @returns the length if there is none */
function positionOf(text: Buffer, byte: number, from: number): number {
  const found = text.indexOf(byte, from);
  return found === -1 ? text.length : found;
}

function stringAfterColon(text: Buffer, from: number): unknown {
  const colon = skipSpaces(text, from);
  const start = skipSpaces(text, colon + 1);
  if (text[colon] !== COLON || text[start] !== QUOTE) return undefined;
  return parsed(text.toString('utf8', start, stringEnd(text, start)));
}

function lastRequestId(text: Buffer): unknown {
  const [, found] = LAST_REQUEST_ID.exec(text.toString('utf8', Math.max(0, text.length - LAST_BYTES))) ?? [];
  return found === undefined ? undefined : parsed(found);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function skipSpaces(text: Buffer, from: number): number {
  let at = from;
  while (SPACES.has(text[at])) at += 1;
  return at;
}
