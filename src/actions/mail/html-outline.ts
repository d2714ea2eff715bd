import { HtmlRemainder } from './html-remainder.ts';
import { type HtmlTag, readComment, readRaw, readTag, scan } from './html-tags.ts';

/** Elements that structure the text; of all others only the content is kept. */
const STRUCTURAL = new Set(
  'p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table tr td th blockquote pre a section article header footer main aside nav figure figcaption address form fieldset center'.split(
    ' ',
  ),
);
const LISTS = new Set(['ul', 'ol', 'blockquote']);
/** Elements whose content is never displayed. */
const UNDISPLAYED = new Set(['script', 'style', 'title', 'template', 'textarea', 'select', 'svg', 'noframes', 'xmp']);
/** Elements that hold text without markup (HTML, 13.1.2 and 16.2), and those of them that display it. */
const RAW = new Set('script style title noframes noembed iframe textarea xmp plaintext'.split(' '));
const DISPLAYED_RAW = new Set(['textarea', 'xmp', 'plaintext']);
/** The elements that a new element of this name closes, searched up to the nearest of the second list. */
const CLOSES: Record<string, [ended: string[], within: string[]]> = {
  li: [['li'], ['ul', 'ol']],
  dt: [['dt', 'dd'], ['dl']],
  dd: [['dt', 'dd'], ['dl']],
  tr: [['tr'], ['table']],
  td: [
    ['td', 'th'],
    ['tr', 'table'],
  ],
  th: [
    ['td', 'th'],
    ['tr', 'table'],
  ],
};

/** Separates cells and rows. */
const AFTER: Record<string, string> = { td: ' ', th: ' ', tr: '<br>' };

const MAX_DEPTH = 60;
/** More than a real page has; of further elements, only the content is kept. */
const MAX_ELEMENTS = 10_000;
const MAX_LISTS = 8;
const MAX_LINK = 2000;

interface Open {
  name: string;
  hidden: boolean;
  /** Tracked, so that its content stays hidden, but not written. */
  silent: boolean;
}

/**
 * HTML reduced to text, line breaks, links and structural elements, each of them closed, at a limited depth. Content
 * hidden by `display: none` is removed.
 *
 * Takes linear time, and the result can be converted in linear time: HTML converters take seconds for a megabyte of
 * unclosed tags, which anyone can send.
 */
export function outline(html: string): string {
  return written(html, new OutlineWriter());
}

/** The same with hidden content, and what the source holds besides it. */
export function wholeOutline(html: string): { displayed: string; others: string[] } {
  const remainder = new HtmlRemainder(html);
  const displayed = written(html, new OutlineWriter(remainder));
  return { displayed, others: remainder.pieces() };
}

function written(html: string, writer: OutlineWriter): string {
  scan(
    html,
    (text) => writer.text(text),
    (start) => readMarkup(html, start, writer),
  );
  return writer.result();
}

/** @returns the position after the markup */
function readMarkup(html: string, start: number, writer: OutlineWriter): number {
  const comment = readComment(html, start);
  if (comment !== undefined) {
    writer.comment(comment.text);
    return comment.end;
  }
  const tag = readTag(html, start);
  if (tag === undefined) {
    writer.text('<');
    return start + 1;
  }
  if (tag.isEnd) writer.close(tag);
  else writer.open(tag);
  if (tag.isEnd || !writer.takesRaw(tag.name)) return tag.end;
  const { text, end } = readRaw(html, tag.name, tag.end);
  writer.raw(tag.name, text);
  return end;
}

class OutlineWriter {
  /** Of everything that isn't written; undefined: nothing hidden is, either. */
  readonly #remainder: HtmlRemainder | undefined;
  readonly #pieces: string[] = [];
  readonly #stack: Open[] = [];
  #elements = 0;
  #lists = 0;
  #hidden = 0;

  constructor(remainder?: HtmlRemainder) {
    this.#remainder = remainder;
  }

  text(text: string): void {
    if (this.#hidden === 0) this.#pieces.push(text.replaceAll('<', '&lt;'));
  }

  comment(text: string): void {
    this.#remainder?.addComment(text);
  }

  takesRaw(name: string): boolean {
    return (this.#remainder === undefined ? UNDISPLAYED : RAW).has(name);
  }

  /** The content of an element that {@link takesRaw}. */
  raw(name: string, text: string): void {
    if (this.#remainder === undefined) return;
    if (DISPLAYED_RAW.has(name)) this.text(text);
    else if (name === 'style') this.#remainder.addStyle(text);
    else this.#remainder.addText(text);
  }

  open(tag: HtmlTag): void {
    const shown = this.#write(tag);
    this.#remainder?.addAttributes(tag.attributes, shown);
  }

  /** @returns the address that is written */
  #write(tag: HtmlTag): string | undefined {
    const { name } = tag;
    this.#elements += 1;
    const silent = this.#elements > MAX_ELEMENTS;
    if (name === 'br' || name === 'hr') this.#pieces.push(silent ? ' ' : `<${name}>`);
    if (!STRUCTURAL.has(name)) return undefined;
    this.#endBefore(name);
    if (this.#stack.length >= MAX_DEPTH || (LISTS.has(name) && this.#lists >= MAX_LISTS)) return undefined;
    const hidden = this.#remainder === undefined && isHidden(tag);
    this.#stack.push({ name, hidden, silent });
    if (hidden) this.#hidden += 1;
    if (LISTS.has(name)) this.#lists += 1;
    const target = name === 'a' && !silent ? addressOf(tag) : undefined;
    if (silent) this.#pieces.push(' ');
    else this.#pieces.push(name === 'a' ? link(target) : `<${name}>`);
    return target;
  }

  close({ name, attributes }: HtmlTag): void {
    this.#remainder?.addAttributes(attributes);
    const index = this.#stack.findLastIndex((open) => open.name === name);
    if (index !== -1) this.#closeDownTo(index);
  }

  result(): string {
    this.#closeDownTo(0);
    return this.#pieces.join('');
  }

  #endBefore(name: string): void {
    const [ended, within] = CLOSES[name] ?? [['p'], undefined];
    const index =
      within === undefined
        ? this.#stack.length - 1
        : this.#stack.findLastIndex((open) => ended.includes(open.name) || within.includes(open.name));
    if (name !== 'a' && ended.includes(this.#stack[index]?.name ?? '')) this.#closeDownTo(index);
  }

  #closeDownTo(index: number): void {
    for (const { name, hidden, silent } of this.#stack.splice(index).reverse()) {
      if (hidden) this.#hidden -= 1;
      if (LISTS.has(name)) this.#lists -= 1;
      this.#pieces.push(silent ? ' ' : `</${name}>${AFTER[name] ?? ''}`);
    }
  }
}

/** Keeps only addresses that a reader can open. */
function addressOf({ attributes }: HtmlTag): string | undefined {
  const [, value = ''] = attributes.find(([name]) => name === 'href') ?? [];
  const target = value.trim();
  return target.length <= MAX_LINK && /^(https?|mailto|tel):/i.test(target) ? target : undefined;
}

function link(target: string | undefined): string {
  if (target === undefined) return '<a>';
  return `<a href="${target.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}">`;
}

function isHidden({ attributes }: HtmlTag): boolean {
  return attributes.some(([name, value]) => name === 'style' && /\bdisplay\s*:\s*none\b/i.test(value));
}
