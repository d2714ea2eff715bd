/** No call has more (executor/checks/input-guard.ts), and the libraries copy and write all of them several times. */
const MAX_VALUES = 32_768;
/** Far more than arguments of a tool may have, and fewer than a parser, a copy or a writer of JSON can take. */
const MAX_LEVELS = 100;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Follows a JSON text that arrives in pieces, and tells whether it has too many levels or values. */
export class Nesting {
  #levels = 0;
  #values = 1;
  #isText = false;
  #isEscaped = false;

  /** @returns false once there are too many */
  add(piece: string): boolean {
    // By code units, which takes a tenth of the time that an iterator takes: a piece may have half a megabyte.
    for (let at = 0; at < piece.length; at += 1) {
      const unit = piece.charCodeAt(at);
      if (this.#isText) this.#withinText(unit);
      else if (unit === QUOTE) this.#isText = true;
      else if (unit === COMMA) this.#values += 1;
      else if (unit === OPEN_OBJECT || unit === OPEN_LIST) {
        this.#levels += 1;
        this.#values += 1;
      } else if (unit === CLOSE_OBJECT || unit === CLOSE_LIST) this.#levels -= 1;
      if (this.#levels > MAX_LEVELS || this.#values > MAX_VALUES) return false;
    }
    return true;
  }

  #withinText(unit: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (unit === BACKSLASH) this.#isEscaped = true;
    else if (unit === QUOTE) this.#isText = false;
  }
}
