import { LISTS, WRITTEN_AS_DIV } from './html-elements.ts';
import type { HtmlTag } from './html-tags.ts';

/** Separates cells and rows. */
const AFTER: Record<string, string> = { td: ' ', th: ' ', tr: '<br>' };
const MAX_DEPTH = 60;
const MAX_LISTS = 8;
const MAX_LINK = 2000;
const NUMBERED = new Set(['start', 'value']);

const BLANK = /^(?:\s|&nbsp;|&#160;|&#xa0;)/i;
const CLOSING = /^[.,;:!?)\]}'"’”»…]/u;
const OPENING = /[\s([{'"‘“«]$/u;
const EMOJI_FIRST = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator})/u;
const EMOJI_LAST = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\ufe0f)$/u;

type Attributes = Record<string, string>;

/** Writes an outline: HTML of a few elements, each of them closed, at a limited depth. */
export class OutlineWriter {
  readonly #pieces: string[] = [];
  readonly #open: object[] = [];
  readonly #names: string[] = [];
  #lists = 0;
  /** What is right before: the end of a line's last word, and what would run into the next. */
  #before = '';
  #behind: 'link' | 'image' | undefined;

  /** @param text HTML without tags */
  text(text: string): void {
    if (text === '') return;
    if (this.#runsInto(text, false)) this.#pieces.push(' ');
    this.#pieces.push(text.replaceAll('<', '&lt;'));
    this.#before = text.slice(-2);
    this.#behind = undefined;
  }

  /** What an image, or another thing, stands for. @param text HTML without tags */
  image(text: string): void {
    if (text.trim() === '') return;
    if (this.#runsInto(text, true)) this.#pieces.push(' ');
    this.#pieces.push(text.replaceAll('<', '&lt;'));
    this.#before = text.slice(-2);
    this.#behind = 'image';
  }

  /** A line break, a rule, or a space in their place. */
  separator(piece: ' ' | '<br>' | '<hr>'): void {
    this.#pieces.push(piece);
    this.#newLine();
  }

  /**
   * @param element identifies it
   * @param name as it is written
   * @param attributes their character references not decoded
   * @returns whether it is written: not if it would be too deep
   */
  open(element: object, name: string, attributes: Attributes = {}): boolean {
    if (this.#open.length >= MAX_DEPTH || (LISTS.has(name) && this.#lists >= MAX_LISTS)) return false;
    this.#open.push(element);
    this.#names.push(name);
    if (LISTS.has(name)) this.#lists += 1;
    const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
    this.#pieces.push(`<${name}${written.join('')}>`);
    if (name !== 'a') this.#newLine();
    return true;
  }

  /** Closes an element with everything in it; nothing if it isn't open, or wasn't written. */
  close(element: object): void {
    const at = this.#open.lastIndexOf(element);
    if (at === -1) return;
    this.#open.splice(at);
    for (const name of this.#names.splice(at).reverse()) {
      if (LISTS.has(name)) this.#lists -= 1;
      this.#pieces.push(`</${name}>${AFTER[name] ?? ''}`);
      if (name === 'a') [this.#before, this.#behind] = ['>', 'link'];
      else this.#newLine();
    }
  }

  result(): string {
    return this.#pieces.join('');
  }

  #newLine(): void {
    this.#before = '';
    this.#behind = undefined;
  }

  #runsInto(text: string, isImage: boolean): boolean {
    if (this.#before === '' || BLANK.test(text) || CLOSING.test(text) || OPENING.test(this.#before)) return false;
    if (this.#behind === 'link') return true;
    return (isImage || this.#behind === 'image') && !EMOJI_FIRST.test(text) && !EMOJI_LAST.test(this.#before);
  }
}

/** The name under which an element is written. */
export function writtenName(name: string): string {
  return WRITTEN_AS_DIV.has(name) ? 'div' : name;
}

function escaped(address: string): string {
  return address.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What is kept of an element's attributes: the address of a link, and the numbers of a list. */
export function keptAttributes(tag: HtmlTag): Attributes {
  const href = addressOf(tag);
  if (href !== undefined) return { href };
  const names = tag.name === 'ol' ? ['start', 'type', 'reversed'] : tag.name === 'li' ? ['value'] : [];
  return Object.fromEntries(
    names.flatMap((name) => {
      const written = tag.attributes.find(([one]) => one === name)?.[1];
      const value = written === undefined || !NUMBERED.has(name) ? written : integer(written);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** By the rules of HTML, 2.3.4.1; longer ones are no one's. */
function integer(written: string): string | undefined {
  return /^[\t\n\f\r ]*([+-]?\d{1,9})(?!\d)/.exec(written)?.[1];
}

/** The address of a link, its character references not decoded, if a reader can open it. */
export function addressOf({ name: element, attributes }: HtmlTag): string | undefined {
  if (element !== 'a' && element !== 'area') return undefined;
  const [, value = ''] = attributes.find(([name]) => name === 'href') ?? [];
  const target = value.trim();
  return target.length <= MAX_LINK && /^(https?|mailto|tel):/i.test(target) ? target : undefined;
}
