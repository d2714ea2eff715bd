import { asciiLowerCase } from '../../validation/lower-case.ts';

/** A start or end tag. */
export interface HtmlTag {
  /** Lower case. */
  name: string;
  isEnd: boolean;
  /** It ends with `/>`, which only counts inside of drawings and formulas. */
  isSelfClosing: boolean;
  /** Names in lower case, each with its value as written, '' without one; also repeated ones. */
  attributes: [name: string, value: string][];
  /** The position after it. */
  end: number;
}

/** A piece of the source that holds no tags. */
interface HtmlPiece {
  text: string;
  /** The position after it and what ends it. */
  end: number;
}

// The states of the HTML standard (13.2.5), whose white space is less than that of `\s`.
const TAG_NAME = /<(\/?)([a-z][^\t\n\f\r />]*)/iy;
/** A name may begin with `=` and hold quotes. A quote that is never closed is a part of a name, so that what follows is shown. */
const ATTRIBUTE =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >"'][^\t\n\f\r >]*)))?/y;

/**
 * Goes through a source from one `<` to the next.
 *
 * @param onText called with what is before, between and behind markup
 * @param onMarkup called with the position of a `<`; returns where to continue
 */
export function scan(html: string, onText: (text: string) => void, onMarkup: (start: number) => number): void {
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf('<', at);
    onText(html.slice(at, start === -1 ? html.length : start));
    if (start === -1) return;
    at = onMarkup(start);
  }
}

/** @returns undefined if no tag starts at this `<` */
export function readTag(html: string, start: number): HtmlTag | undefined {
  TAG_NAME.lastIndex = start;
  const head = TAG_NAME.exec(html);
  if (head === null) return undefined;
  const [whole, slash, name = ''] = head;
  const attributes: HtmlTag['attributes'] = [];
  let at = start + whole.length;
  ATTRIBUTE.lastIndex = at;
  for (let found = ATTRIBUTE.exec(html); found !== null; found = ATTRIBUTE.exec(html)) {
    attributes.push([asciiLowerCase(found[1] ?? ''), found[2] ?? found[3] ?? found[4] ?? '']);
    at = ATTRIBUTE.lastIndex;
  }
  const { end } = upTo(html, at, />/g);
  return { name: asciiLowerCase(name), isEnd: slash === '/', isSelfClosing: html.charAt(end - 2) === '/', attributes, end };
}

/**
 * A comment, or what is read as one: a declaration, or an end tag without a name. The document’s type isn’t text.
 *
 * @returns undefined if none starts at this `<`
 */
export function readComment(html: string, start: number): HtmlPiece | undefined {
  if (html.startsWith('<!--', start)) {
    const empty = ['<!-->', '<!--->'].find((one) => html.startsWith(one, start));
    return empty === undefined ? upTo(html, start + 4, /--!?>/g) : { text: '', end: start + empty.length };
  }
  if (!/^<(?:[!?]|\/[^a-z])/i.test(html.slice(start, start + 3))) return undefined;
  const { text, end } = upTo(html, start + 2, />/g);
  return { text: /^doctype\b/i.test(text) ? '' : text, end };
}

/** The content of an element that holds no markup, up to and without its end tag. */
export function readRaw(html: string, name: string, from: number): HtmlPiece {
  const { text, end } = upTo(html, from, new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'gi'));
  return { text, end: readTag(html, from + text.length)?.end ?? end };
}

/** @param mark global; without one, everything is text */
function upTo(html: string, from: number, mark: RegExp): HtmlPiece {
  mark.lastIndex = from;
  const found = mark.exec(html);
  if (found === null) return { text: html.slice(from), end: html.length };
  return { text: html.slice(from, found.index), end: mark.lastIndex };
}
