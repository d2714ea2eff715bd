/** Far more than arguments of a tool may have, and fewer than a parser, a copy or a writer of JSON can take. */
const MAX_LEVELS = 100;

/** Follows a JSON text that arrives in pieces, and tells whether it has too many levels. */
export class Nesting {
  #levels = 0;
  #isText = false;
  #isEscaped = false;

  /** @returns false once there are too many levels */
  add(piece: string): boolean {
    for (const character of piece) {
      if (this.#isText) this.#withinText(character);
      else if (character === '"') this.#isText = true;
      else if (character === '{' || character === '[') this.#levels += 1;
      else if (character === '}' || character === ']') this.#levels -= 1;
      if (this.#levels > MAX_LEVELS) return false;
    }
    return true;
  }

  #withinText(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isText = false;
  }
}
