import { setImmediate as nextTurn } from 'node:timers/promises';

/** Smaller texts are parsed without a scan. */
export const LARGE_BYTES = 64 * 1024;
/** No action accepts arguments of more levels or values (executor/checks/input-guard.ts). */
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

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Bytes of a text that are looked at one by one. */
const STEP = 256;
/** Bytes looked at one by one in a turn of the event loop: some two milliseconds. */
const STEPS_OF_TURN = 512 * 1024;
const REQUEST_ID = Buffer.from('"requestId"');
/** The request id as the last property of the outermost object, where clients put it that add it to a finished request. */
const LAST_REQUEST_ID = /[{,]\s*"requestId"\s*:\s*("(?:[^"\\]|\\.)*")\s*\}\s*$/;
/** What follows its name. */
const VALUE = /^\s*:\s*("(?:[^"\\]|\\.)*")/;
/** Of a text's end, searched for it, and of what follows its name: an id of 64 characters, each escaped. */
const ID_BYTES = 512;

/**
 * Scans JSON once without building values, to limit large texts before they are parsed and to find the request id for
 * the error. The scan ends at the first excess; from there on, the request id is found at the end of the text only. The
 * result is meaningless for text that is not JSON. A long scan takes several turns of the event loop.
 *
 * @param maxSteps bytes that are looked at one by one
 */
export async function scanJson(text: Buffer, maxSteps = Number.POSITIVE_INFINITY): Promise<JsonScan> {
  const scanner = new JsonScanner(text);
  let left = maxSteps;
  while (scanner.scan(Math.min(left, STEPS_OF_TURN)) && left > STEPS_OF_TURN) {
    left -= STEPS_OF_TURN;
    await nextTurn();
  }
  return scanner.result();
}

class JsonScanner {
  readonly #text: Buffer;
  readonly #scan: JsonScan = { depth: 0, values: 1, requestId: undefined };
  #at = 0;
  #depth = 0;
  #isNamed = false;
  /** Position of the opening quote of the text that is being read; -1: none is. */
  #opened = -1;
  /** Position of the next quote, or the one before. */
  #quote = -1;

  constructor(text: Buffer) {
    this.#text = text;
  }

  /** @returns whether there is more */
  scan(steps: number): boolean {
    let left = steps;
    while (left > 0 && this.#isUnfinished()) left -= this.#opened === -1 ? this.#outside(left) : this.#inside(left);
    return this.#isUnfinished();
  }

  result(): JsonScan {
    if (!this.#isNamed && this.#at < this.#text.length) this.#scan.requestId = lastRequestId(this.#text);
    return this.#scan;
  }

  #isUnfinished(): boolean {
    return this.#at < this.#text.length && excessOf(this.#scan) === undefined;
  }

  /** Up to the next text. @returns the steps that it took */
  #outside(most: number): number {
    const [text, scan, from] = [this.#text, this.#scan, this.#at];
    const end = Math.min(text.length, from + most);
    let [at, depth] = [from, this.#depth];
    for (; at < end && this.#opened === -1; at += 1) {
      const byte = text[at];
      if (byte === QUOTE) this.#opened = at;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        depth += 1;
        scan.values += 1;
        scan.depth = Math.max(scan.depth, depth);
        if (depth > MAX_DEPTH) break;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
      else if (byte === COMMA) scan.values += 1;
      if (scan.values > MAX_VALUES) break;
    }
    [this.#at, this.#depth] = [at, depth];
    return at - from + 1;
  }

  /**
   * Up to the end of a text. Long ones are searched natively; between two escapes byte by byte, which takes less than a call.
   *
   * @returns the steps that it took
   */
  #inside(most: number): number {
    const text = this.#text;
    let [at, steps] = [this.#at, 0];
    while (at < text.length && steps < most) {
      const [from, end] = [at, Math.min(at + STEP, text.length)];
      while (at < end && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
      steps += at - from + 1;
      if (text[at] === QUOTE) {
        this.#close(at + 1);
        return steps;
      }
      if (this.#quote < at) this.#quote = positionOf(text, QUOTE, at);
      at += positionOf(text.subarray(at, this.#quote), BACKSLASH, 0);
    }
    this.#at = Math.min(at, text.length);
    return steps;
  }

  /** @param end the position after the closing quote */
  #close(end: number): void {
    const text = this.#text;
    const start = this.#opened;
    this.#at = end;
    this.#opened = -1;
    // The first only: a text of nothing else would cost a parsed string for each.
    if (this.#isNamed || this.#depth !== 1 || end - start !== REQUEST_ID.length || !text.subarray(start, end).equals(REQUEST_ID)) return;
    this.#isNamed = true;
    this.#scan.requestId = stringAfterColon(text.subarray(end, end + ID_BYTES));
  }
}

/** Why a text is not parsed; undefined: it is. */
export function excessOf({ depth, values }: JsonScan): { code: 'invalid_request' | 'too_large'; reason: string } | undefined {
  if (depth > MAX_DEPTH) return { code: 'invalid_request', reason: `more than ${MAX_DEPTH} levels` };
  return values > MAX_VALUES ? { code: 'too_large', reason: `more than ${MAX_VALUES} values` } : undefined;
}

/** @returns the length if there is none */
function positionOf(text: Buffer, byte: number, from: number): number {
  const found = text.indexOf(byte, from);
  return found === -1 ? text.length : found;
}

function stringAfterColon(text: Buffer): unknown {
  const [, found] = VALUE.exec(text.toString('latin1')) ?? [];
  return found === undefined ? undefined : parsed(Buffer.from(found, 'latin1').toString());
}

function lastRequestId(text: Buffer): unknown {
  const [, found] = LAST_REQUEST_ID.exec(text.toString('utf8', Math.max(0, text.length - ID_BYTES))) ?? [];
  return found === undefined ? undefined : parsed(found);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
