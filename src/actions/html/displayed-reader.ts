import { type Rendering, showsText } from '../css/rendering.ts';
import type { StyleSheets } from '../css/style-sheets.ts';
import { attribute } from './html-attributes.ts';
import { DISPLAYED_RAW, MAX_ELEMENTS, RAW, SPECIAL, STRUCTURAL, TABLE_PARTS, VOID } from './html-elements.ts';
import type { HtmlTag } from './html-tags.ts';
import { OpenElements } from './open-elements.ts';
import type { OutlineReader } from './outline-reader.ts';
import { addressOf, keptAttributes, OutlineWriter, writtenName } from './outline-writer.ts';
import { asDisplayed } from './raised-digits.ts';
import { addUndisplayed, contentRendering, renderAgain, type StyledElement, styledElement } from './styled-element.ts';

/** Elements without text that may come before the body. */
const IN_HEAD = new Set(['head', 'base', 'link', 'meta']);
const IN_PAGE = new Set(['html', 'body']);
/** Parts of a list or table: hidden ones leave no trace. */
const PARTS = new Set(['li', 'dt', 'dd', 'tr', 'td', 'th']);
/** Inputs that show their value. */
const SHOWN_INPUTS = new Set(['', 'text', 'submit', 'reset', 'button', 'email', 'url', 'tel', 'search', 'number', 'date', 'time']);

/** Writes what someone sees who looks at the page. */
export class DisplayedReader implements OutlineReader {
  readonly #sheets: StyleSheets;
  readonly #writer = new OutlineWriter();
  readonly #open = new OpenElements<StyledElement>();
  readonly #silent = new WeakSet<StyledElement>();
  #elements = 0;

  constructor(sheets: StyleSheets) {
    this.#sheets = sheets;
  }

  text(text: string): void {
    if (/[^\t\n\f\r ]/.test(text)) {
      this.#openPage('body', startTag('body'));
      this.#resume();
    }
    const rendering = contentRendering(this.#open.path.at(-1));
    if (!this.#showsText(rendering)) return;
    const { script, keepsLines, keepsBlanks } = rendering;
    const displayed = asDisplayed(text, script);
    if (keepsLines) this.#lines(keepsBlanks ? displayed.replace(/[ \t]{2,}/g, (blanks) => '\u00a0'.repeat(blanks.length)) : displayed);
    else this.#writer.text(displayed);
  }

  #lines(text: string): void {
    for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
      if (index > 0) this.#break('<br>');
      this.#writer.text(line);
    }
  }

  comment(): void {
    // Never displayed.
  }

  takesRaw(name: string): boolean {
    return RAW.has(name) && !this.#isForeign();
  }

  raw(tag: HtmlTag, text: string): void {
    if (!DISPLAYED_RAW.has(tag.name)) {
      this.#addUndisplayed(tag);
      return;
    }
    this.#begin(tag);
    this.text(text);
    this.close(tag);
  }

  open(tag: HtmlTag): void {
    if (!this.takesRaw(tag.name)) this.#begin(tag);
  }

  close({ name }: HtmlTag): void {
    if (name === 'br') this.open(startTag(name));
    this.#apply(this.#open.end(name));
  }

  result(): string {
    this.#end(this.#open.endAll());
    return this.#writer.result();
  }

  #begin(given: HtmlTag): void {
    const tag = given.name === 'image' && !this.#isForeign() ? { ...given, name: 'img' } : given;
    const { name } = tag;
    this.#elements += 1;
    if (IN_HEAD.has(name)) {
      this.#addUndisplayed(tag);
      return;
    }
    if (name === 'html' || name === 'body') {
      this.#openPage(name, tag);
      return;
    }
    this.#openPage('body', startTag('body'));
    this.#apply(this.#open.before(name));
    // The body of a table needs no tags (HTML, 13.2.6.4.9).
    if (name === 'tr' && this.#open.path.at(-1)?.name === 'table') this.#begin(startTag('tbody'));
    if (!SPECIAL.has(name) || VOID.has(name)) this.#resume();
    const element = styledElement(tag, this.#sheets, this.#open.path);
    if (VOID.has(name)) {
      this.#writeVoid(element);
      return;
    }
    this.#push(element);
    if (tag.isSelfClosing && this.#isForeign()) this.#apply(this.#open.end(name));
  }

  #addUndisplayed(tag: HtmlTag): void {
    if (tag.name !== 'head' && this.#open.has('body')) addUndisplayed(tag, this.#open.path);
  }

  /** The page and its body, which may have no tags: the first ones count (HTML, 13.2.6.4.7). */
  #openPage(name: 'html' | 'body', tag: HtmlTag): void {
    if (this.#open.has(name)) return;
    if (name === 'body') this.#openPage('html', startTag('html'));
    this.#push(styledElement(tag, this.#sheets, this.#open.path));
  }

  #push(element: StyledElement): void {
    this.#open.push(element);
    const { isGone, isVisible } = element.rendering;
    const isStructural = STRUCTURAL.has(element.name);
    const isBlock = isStructural || isBlockByStyle(element);
    if (!isBlock && (isGone || !isParted(element))) return;
    if (isGone && (PARTS.has(element.name) || isGoneAround(this.#open.path))) return;
    if (!isBlock || this.#elements > MAX_ELEMENTS) {
      this.#silent.add(element);
      this.#writer.separator(' ');
    } else if (isGone || !isStructural) this.#writer.open(element, 'div');
    else this.#writer.open(element, writtenName(element.name), isVisible ? keptAttributes(element.tag) : {});
  }

  /** Formatting that a paragraph's end has interrupted. */
  #resume(): void {
    for (const { tag } of this.#open.takeResumed()) {
      this.#elements += 1;
      this.#push(styledElement(tag, this.#sheets, this.#open.path));
    }
  }

  #apply({ ended, changed }: { ended: StyledElement[]; changed: readonly StyledElement[] }): void {
    this.#end(ended);
    if (ended.some(({ specified }) => Object.keys(specified).length > 0)) renderAgain(changed, this.#open.path);
  }

  #end(elements: readonly StyledElement[]): void {
    for (const element of elements) {
      this.#writer.close(element);
      if (this.#silent.has(element)) this.#writer.separator(' ');
    }
  }

  #writeVoid(element: StyledElement): void {
    const { tag, name, rendering } = element;
    const isSeen = !rendering.isGone && rendering.isVisible;
    if (name === 'br' || name === 'hr') {
      if (!rendering.isGone) this.#break(`<${name}>`);
    } else if (isSeen && name === 'img' && !isPoint(element)) this.#writer.image(written(tag, 'alt'));
    else if (isSeen && name === 'input') this.#writer.image(inputText(tag));
    else if (isSeen && name === 'area') this.#writeArea(element);
  }

  #break(mark: '<br>' | '<hr>'): void {
    this.#elements += 1;
    this.#writer.separator(this.#elements > MAX_ELEMENTS ? ' ' : mark);
  }

  /** A part of an image, which leads somewhere. */
  #writeArea(element: StyledElement): void {
    const [text, address] = [written(element.tag, 'alt'), addressOf(element.tag)];
    if (text.trim() === '' || address === undefined || !this.#writer.open(element, 'a', { href: address })) return;
    this.#writer.image(text);
    this.#writer.close(element);
  }

  /** Inside of a drawing or formula. */
  #isForeign(): boolean {
    return this.#open.has('svg') || this.#open.has('math');
  }

  #showsText(rendering: Rendering): boolean {
    return showsText(this.#sheets.hasUnknownColors ? withoutColors(rendering) : rendering);
  }
}

/** On lines of its own, in spite of its name. Parts of a table stay what they are. */
function isBlockByStyle({ name, specified: { display = '' } }: StyledElement): boolean {
  return /^(?:block|list-item|flow-root|table|flex|grid|-webkit-box)$/.test(display) && !TABLE_PARTS.has(name) && !IN_PAGE.has(name);
}

/** Set apart from what is beside it. */
function isParted({ name, specified: { display } }: StyledElement): boolean {
  return name === 'button' || name === 'textarea' || (display === 'table-cell' && !TABLE_PARTS.has(name));
}

function startTag(name: string): HtmlTag {
  return { name, isEnd: false, isSelfClosing: false, attributes: [], end: 0 };
}

/** An attribute's value, its character references not decoded. */
function written({ attributes }: HtmlTag, name: string): string {
  return attributes.find(([one]) => one === name)?.[1] ?? '';
}

function inputText(tag: HtmlTag): string {
  const type = (attribute(tag, 'type') ?? '').trim().toLowerCase();
  if (type === 'image') return written(tag, 'alt');
  return SHOWN_INPUTS.has(type) ? written(tag, 'value') : '';
}

/** An image of a point counts readers, and shows nothing. */
function isPoint({ tag, specified }: StyledElement): boolean {
  const isSmall = (size: string | undefined) => /^ ?[01](?:\.\d*)?(?:px)? ?$/.test(size ?? '');
  return (
    isSmall(attribute(tag, 'width')) || isSmall(attribute(tag, 'height')) || (specified.width ?? 2) <= 1 || (specified.height ?? 2) <= 1
  );
}

/** Whether the element around the last one is hidden, too. */
function isGoneAround(path: readonly StyledElement[]): boolean {
  return contentRendering(path.at(-2)).isGone;
}

function withoutColors(rendering: Rendering): Rendering {
  return { ...rendering, background: 'unknown' };
}
