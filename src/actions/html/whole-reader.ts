import { DISPLAYED_RAW, MAX_ELEMENTS, RAW, STRUCTURAL, VOID } from './html-elements.ts';
import type { HtmlRemainder } from './html-remainder.ts';
import type { HtmlTag } from './html-tags.ts';
import { OpenElements } from './open-elements.ts';
import type { OutlineReader } from './outline-reader.ts';
import { keptAttributes, OutlineWriter, writtenName } from './outline-writer.ts';
import { asDisplayed } from './raised-digits.ts';

interface WholeElement {
  name: string;
  /** Stands for its tags, of which there are too many. */
  isSilent: boolean;
}

/** Writes all text of a source, whether it is displayed or not, and collects everything else. */
export class WholeReader implements OutlineReader {
  readonly #remainder: HtmlRemainder;
  readonly #writer = new OutlineWriter();
  readonly #open = new OpenElements<WholeElement>();
  #elements = 0;

  constructor(remainder: HtmlRemainder) {
    this.#remainder = remainder;
  }

  text(text: string): void {
    const script = this.#open.has('sup') ? 'super' : this.#open.has('sub') ? 'sub' : 'none';
    this.#writer.text(asDisplayed(text, script));
  }

  comment(text: string): void {
    this.#remainder.addComment(text);
  }

  takesRaw(name: string): boolean {
    return RAW.has(name);
  }

  raw({ name }: HtmlTag, text: string): void {
    if (DISPLAYED_RAW.has(name)) this.text(text);
    else if (name === 'style') this.#remainder.addStyle(text);
    else this.#remainder.addText(text);
  }

  open(tag: HtmlTag): void {
    this.#remainder.addAttributes(tag.attributes, this.#write(tag));
  }

  close({ name, attributes }: HtmlTag): void {
    this.#remainder.addAttributes(attributes);
    this.#end(this.#open.end(name).ended);
  }

  result(): string {
    this.#end(this.#open.endAll());
    return this.#writer.result();
  }

  /** @returns the address that is written */
  #write(tag: HtmlTag): string | undefined {
    const { name } = tag;
    this.#elements += 1;
    const isSilent = this.#elements > MAX_ELEMENTS;
    this.#end(this.#open.before(name).ended);
    if (name === 'br' || name === 'hr') this.#writer.separator(isSilent ? ' ' : `<${name}>`);
    if (VOID.has(name) || RAW.has(name)) return undefined;
    const element = { name, isSilent: isSilent && STRUCTURAL.has(name) };
    this.#open.push(element);
    if (!STRUCTURAL.has(name)) return undefined;
    if (element.isSilent) this.#writer.separator(' ');
    else {
      const attributes = keptAttributes(tag);
      if (this.#writer.open(element, writtenName(name), attributes)) return attributes.href;
    }
    return undefined;
  }

  #end(elements: readonly WholeElement[]): void {
    for (const element of elements) {
      this.#writer.close(element);
      if (element.isSilent) this.#writer.separator(' ');
    }
  }
}
