import { readRaw, readTag, scan } from './html-tags.ts';

/** Attributes that only concern the form of an element. Their values are seen by no one, unlike those of all others. */
const FORMAL = new Set(
  'align alink bgcolor border cellpadding cellspacing charset cite class clear color colspan coords face for headers height hspace http-equiv id lang link media name nowrap rel role rowspan scope shape size sizes tabindex target text type usemap valign version vlink vspace width'.split(
    ' ',
  ),
);
const FORMAL_PREFIX = /^(?:data-|xmlns|xml:)/;
/** Ordinary values of attributes that may also hold others; a `cid` refers to a file of the message, which is shown. */
const ORDINARY: Record<string, RegExp> = {
  content: /^(?:text\/html; ?charset=[\w-]+|width=device-width(?:, ?initial-scale=[\d.]+)?|ie=edge)$/i,
  dir: /^(?:ltr|auto)$/i,
  src: /^cid:/i,
};

/** A style sheet can display the value of any attribute, and a foreign `style` element holds text. */
const UNUSUAL = /attr\(|<(?:svg|math)[\t\n\f\r />]/i;
const FONTS = /font(?:-family)?[\t\n\f\r ]*:[^;{}\\]*/gi;
/** Without any of these, a style displays no text and no image. */
const DISPLAYING = /["'\\<&]|counter|url\(|src\(|image|@import|bidi/i;
const CONDITION = /!?\[(?:if [\w\s|&!()]{0,60}|endif)\]>?/gi;
const ONLY_PUNCTUATION = /^[\s!-/:-@[-`{-~]*$/;

/**
 * What an HTML source holds besides the text that is displayed: comments, styles, and values of attributes with words or
 * addresses. Some of it is displayed after all, by some programs, or when someone points at it.
 */
export class HtmlRemainder {
  readonly #isUnusual: boolean;
  readonly #pieces = new Set<string>();
  readonly #shown = new Set<string>();

  constructor(html: string) {
    this.#isUnusual = UNUSUAL.test(html) || (html.includes('\\') && /<style/i.test(html));
    // In a foreign element, it holds text that looks like markup.
    const section = html.indexOf('<![CDATA[');
    if (section !== -1) this.addText(html.slice(section));
  }

  /** @param shown one of their values, which the text has: it isn't repeated */
  addAttributes(attributes: readonly [name: string, value: string][], shown?: string): void {
    if (shown !== undefined) this.#shown.add(shown);
    for (const [name, value] of attributes) if (this.#isUnusual || tells(name, value)) this.addText(value);
  }

  addStyle(css: string): void {
    if (this.#isUnusual || displays(css)) this.addText(css);
  }

  /** A comment, which some mail programs read as HTML. */
  addComment(source: string): void {
    scan(
      source,
      (text) => this.addText(text.replace(CONDITION, ' ')),
      (start) => this.#addMarkup(source, start),
    );
  }

  addText(text: string): void {
    const piece = text
      .replace(/&nbsp;|&#160;/gi, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    if (!ONLY_PUNCTUATION.test(piece)) this.#pieces.add(piece);
  }

  /** Each piece once, entities not decoded. */
  pieces(): string[] {
    return [...this.#pieces].filter((piece) => !this.#shown.has(piece));
  }

  /** @returns the position after it */
  #addMarkup(source: string, start: number): number {
    const tag = readTag(source, start);
    if (tag === undefined) return start + 1;
    this.addAttributes(tag.attributes);
    if (tag.isEnd || tag.name !== 'style') return tag.end;
    const { text, end } = readRaw(source, 'style', tag.end);
    this.addStyle(text);
    return end;
  }
}

function tells(name: string, value: string): boolean {
  // A program that reads the source otherwise may take it for text.
  if (/[<>]/.test(value)) return true;
  if (name === 'style') return displays(value);
  return !FORMAL.has(name) && !FORMAL_PREFIX.test(name) && ORDINARY[name]?.test(value.trim()) !== true;
}

function displays(css: string): boolean {
  const plain = css.replace(/<!--|-->/g, '').replace(/&(?:quot|apos|#39|#34);/gi, "'");
  return DISPLAYING.test(plain.replace(FONTS, ''));
}
