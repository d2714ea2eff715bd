import { DisplayedReader } from './displayed-reader.ts';
import { HtmlRemainder } from './html-remainder.ts';
import { readHtml } from './outline-reader.ts';
import { StylesReader } from './styles-reader.ts';
import { WholeReader } from './whole-reader.ts';

/**
 * HTML reduced to what someone sees: text, alternative texts of images, line breaks, links and structural elements, each
 * of them closed, at a limited depth. What styles and attributes hide is left out.
 *
 * Takes linear time, and the result can be converted in linear time: HTML converters take seconds for a megabyte of
 * unclosed tags, which anyone can send.
 */
export function outline(html: string): string {
  const styles = new StylesReader();
  if (/<style/i.test(html)) readHtml(html, styles);
  const reader = new DisplayedReader(styles.sheets);
  readHtml(html, reader);
  return reader.result();
}

/** The same with hidden content, and what the source holds besides it: also alternative texts. */
export function wholeOutline(html: string): { displayed: string; others: string[] } {
  const remainder = new HtmlRemainder(html);
  const reader = new WholeReader(remainder);
  readHtml(html, reader);
  return { displayed: reader.result(), others: remainder.pieces() };
}
