import { multiLine } from './display-text.ts';
import { type PartLimit, textPart } from './text-part.ts';

const cleaned = multiLine;

/** The part of a long text that one result shows, from pieces that come one after the other and aren't kept. */
export class TextWindow {
  readonly #start: number;
  readonly #limit: PartLimit;
  #text = '';
  /** Length of all pieces so far, UTF-16 units. */
  length = 0;

  /** @param start where the part begins */
  constructor(start: number, limit: PartLimit) {
    this.#start = start;
    this.#limit = limit;
  }

  /** Further pieces would only follow the part, and the text is known to continue. */
  get isFull(): boolean {
    return this.#text.length > this.#limit.units;
  }

  add(piece: string): void {
    const text = cleaned.parse(piece);
    this.#text += text.slice(Math.max(0, this.#start - this.length), Math.max(0, this.#start - this.length) + this.#limit.units + 2);
    this.length += text.length;
  }

  /** As {@link textPart} gives it. */
  part(): ReturnType<typeof textPart> {
    const { text, next_offset: next } = textPart(this.#text, 0, this.#limit);
    return { text: text.toWellFormed(), ...(next !== undefined && { next_offset: this.#start + next }) };
  }
}
