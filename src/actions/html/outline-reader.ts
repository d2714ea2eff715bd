import { type HtmlTag, readComment, readRaw, readTag, scan } from './html-tags.ts';

/** Is given the pieces of an HTML source, in order. */
export interface OutlineReader {
  text(text: string): void;
  comment(text: string): void;
  open(tag: HtmlTag): void;
  close(tag: HtmlTag): void;
  /** Whether the content of an element of this name, which begins here, is text without markup. */
  takesRaw(name: string): boolean;
  /** That content, after the start tag. */
  raw(tag: HtmlTag, text: string): void;
}

/** Goes through a source, in linear time. */
export function readHtml(html: string, reader: OutlineReader): void {
  scan(
    html,
    (text) => reader.text(text),
    (start) => readMarkup(html, start, reader),
  );
}

/** @returns the position after the markup */
function readMarkup(html: string, start: number, reader: OutlineReader): number {
  const comment = readComment(html, start);
  if (comment !== undefined) {
    reader.comment(comment.text);
    return comment.end;
  }
  const tag = readTag(html, start);
  if (tag === undefined) {
    reader.text('<');
    return start + 1;
  }
  if (tag.isEnd) {
    reader.close(tag);
    return tag.end;
  }
  reader.open(tag);
  if (!reader.takesRaw(tag.name)) return tag.end;
  const { text, end } = readRaw(html, tag.name, tag.end);
  reader.raw(tag, text);
  return end;
}
