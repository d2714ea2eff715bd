import { setImmediate as nextTurn } from 'node:timers/promises';

/** Smaller texts are parsed without a look at their levels and values. */
export const LARGE_BYTES = 64 * 1024;
/** Bytes looked at in a turn of the event loop: some milliseconds. */
const TURN_BYTES = 512 * 1024;

/** The most that is parsed. */
export interface JsonLimits {
  levels: number;
  values: number;
}

/** What clients send: no action accepts arguments of more levels or values (executor/checks/input-guard.ts). */
const OF_CLIENTS: JsonLimits = { levels: 32, values: 32_768 };

/** Why a text is not parsed. */
export interface JsonExcess {
  code: 'invalid_request' | 'too_large';
  reason: string;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Follows a JSON text that comes in pieces, before values are made of it. What it finds in other texts is meaningless. */
export class JsonBudget {
  readonly #limits: JsonLimits;
  #level = 0;
  /** Approximate. */
  #values = 1;
  #isText = false;
  #isEscaped = false;

  constructor(limits = OF_CLIENTS) {
    this.#limits = limits;
  }

  /** Whether the next byte is a member of the outermost object. */
  get isOutermost(): boolean {
    return this.#level === 1 && !this.#isText;
  }

  /** @returns undefined: there are not too many levels and values so far */
  add(piece: Uint8Array): JsonExcess | undefined {
    const { levels, values } = this.#limits;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (this.#isText) this.#withinText(byte);
      else if (byte === QUOTE) this.#isText = true;
      else if (byte === COMMA) this.#values += 1;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        this.#level += 1;
        this.#values += 1;
        if (this.#level > levels) return { code: 'invalid_request', reason: `more than ${levels} levels` };
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#level -= 1;
      if (this.#values > values) return { code: 'too_large', reason: `more than ${values} values` };
    }
    return undefined;
  }

  #withinText(byte: number | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isText = false;
  }
}

/** What is too much in a text of a client. A long one takes several turns of the event loop. */
export async function excessIn(text: Uint8Array): Promise<JsonExcess | undefined> {
  const budget = new JsonBudget();
  for (let at = 0; at < text.length; at += TURN_BYTES) {
    if (at > 0) await nextTurn();
    const excess = budget.add(text.subarray(at, at + TURN_BYTES));
    if (excess !== undefined) return excess;
  }
  return undefined;
}

/**
 * Parses a large text, decoding and parsing in turns of the event loop of their own.
 *
 * @throws SyntaxError
 */
export async function parseLargeJson(bytes: Buffer): Promise<unknown> {
  await nextTurn();
  const text = bytes.toString();
  await nextTurn();
  const value: unknown = JSON.parse(text);
  // What is done with it is work, too.
  await nextTurn();
  return value;
}
