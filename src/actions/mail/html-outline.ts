/** Elements that structure the text; of all others only the content is kept. */
const STRUCTURAL = new Set(
  'p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table tr td th blockquote pre a section article header footer main aside nav figure figcaption address form fieldset center'.split(
    ' ',
  ),
);
const LISTS = new Set(['ul', 'ol', 'blockquote']);
/** Elements whose content is never displayed. */
const UNDISPLAYED = new Set(['script', 'style', 'title', 'template', 'textarea', 'select', 'svg', 'noframes', 'xmp']);
/** Of these, those that hold no text for anyone. */
const CODE = new Set(['script', 'style']);
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
 * hidden by `display: none` is removed, unless it is to be shown.
 *
 * Takes linear time, and the result can be converted in linear time: HTML converters take seconds for a megabyte of
 * unclosed tags, which anyone can send.
 */
export function outline(html: string, showsHidden = false): string {
  const writer = new OutlineWriter(showsHidden);
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf('<', at);
    writer.text(html.slice(at, start === -1 ? html.length : start));
    if (start === -1) break;
    at = readMarkup(html, start, writer);
  }
  return writer.result();
}

/** @returns the position after the markup */
function readMarkup(html: string, start: number, writer: OutlineWriter): number {
  if (html.startsWith('<!--', start)) return after(html, '-->', start + 4);
  const next = html.charAt(start + 1);
  if (next === '!' || next === '?') return after(html, '>', start);
  const [head = '', slash = '', name = ''] = /^<(\/?)([a-z][a-z0-9:-]{0,30})(?=[\s/>])/i.exec(html.slice(start, start + 40)) ?? [];
  if (name === '') {
    writer.text('<');
    return start + 1;
  }
  const lower = name.toLowerCase();
  const end = tagEnd(html, start + head.length);
  if (slash === '/') writer.close(lower);
  else if ((writer.showsHidden ? CODE : UNDISPLAYED).has(lower)) return undisplayedEnd(html, lower, end);
  else writer.open(lower, html.slice(start + head.length, end));
  return end;
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

/** The position after the `>` that ends a tag, ignoring any in quoted values. */
function tagEnd(html: string, from: number): number {
  let assigned = false;
  for (let at = from; at < html.length; at += 1) {
    const character = html.charAt(at);
    if (character === '>') return at + 1;
    if (assigned && (character === '"' || character === "'")) {
      const closing = html.indexOf(character, at + 1);
      if (closing === -1) return after(html, '>', at);
      at = closing;
    }
    assigned = character === '=' || (assigned && /\s/.test(character));
  }
  return html.length;
}

function undisplayedEnd(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  closing.lastIndex = from;
  const found = closing.exec(html);
  return found === null ? html.length : tagEnd(html, found.index + 2);
}

class OutlineWriter {
  readonly showsHidden: boolean;
  readonly #pieces: string[] = [];
  readonly #stack: Open[] = [];
  #elements = 0;
  #lists = 0;
  #hidden = 0;

  constructor(showsHidden: boolean) {
    this.showsHidden = showsHidden;
  }

  text(text: string): void {
    if (this.#hidden === 0) this.#pieces.push(text.replaceAll('<', '&lt;'));
  }

  open(name: string, attributes: string): void {
    this.#elements += 1;
    const silent = this.#elements > MAX_ELEMENTS;
    if (name === 'br' || name === 'hr') {
      this.#pieces.push(silent ? ' ' : `<${name}>`);
      return;
    }
    if (!STRUCTURAL.has(name)) return;
    this.#endBefore(name);
    if (this.#stack.length >= MAX_DEPTH || (LISTS.has(name) && this.#lists >= MAX_LISTS)) return;
    const hidden = !this.showsHidden && /\bdisplay\s*:\s*none\b/i.test(attributes.slice(0, 5000));
    this.#stack.push({ name, hidden, silent });
    if (hidden) this.#hidden += 1;
    if (LISTS.has(name)) this.#lists += 1;
    if (silent) this.#pieces.push(' ');
    else this.#pieces.push(name === 'a' ? `<a${link(attributes)}>` : `<${name}>`);
  }

  close(name: string): void {
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
function link(attributes: string): string {
  const match = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes.slice(0, 2 * MAX_LINK));
  const target = (match?.[1] ?? match?.[2] ?? match?.[3] ?? '').trim();
  if (target.length > MAX_LINK || !/^(https?|mailto|tel):/i.test(target)) return '';
  return ` href="${target.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}"`;
}
