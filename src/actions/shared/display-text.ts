import { z } from 'zod';
import { english } from '../../../public/language/english.js';
import { cutText } from '../../validation/cut-text.ts';
import { withoutQuotationMarks } from '../../validation/quotation.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what ends a line or a page; word processors break lines inside a paragraph with a vertical tab
const LINE_BREAK = /\r\n?|[\u000b\u000c\u0085\u2028\u2029]/g;

/** Most texts: nothing in them is replaced, and looking is a third of the work of replacing. */
const PLAIN = /^[\x20-\x7e…]*$/;

/**
 * Schema of a provider's text as one line: control characters and lone surrogates are replaced. It is whole, however long:
 * results are truncated in one place, which says so.
 */
export const singleLine = z.string().overwrite((text) => (PLAIN.test(text) ? text : text.toWellFormed().replace(CONTROL, ' ')));

/** Characters that end a line, change the text direction, or are invisible. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const MAX_QUOTED = 200;

/**
 * Untrusted text inside a sentence of ours: one line in quotation marks that the text can't close. The length of a
 * truncated text follows the closing mark, where the text can't imitate it.
 */
export function quoted(text: string): string {
  return quotedUpTo(text, MAX_QUOTED);
}

/** The same for a text that the user has to read: more of it. */
export function quotedUpTo(text: string, max: number): string {
  const line = withoutQuotationMarks(cutText(text, max).toWellFormed().replace(INVISIBLE, ' ')).replace(/\s+/g, ' ');
  return text.length > max ? `“${line}”… (${english.number(text.length)} characters)` : `“${line}”`;
}

/** The same for what stands between quotation marks that others write. */
export function insideQuotes(text: string): string {
  return withoutQuotationMarks(text.toWellFormed().replace(INVISIBLE, ' '));
}

const NAMED = /“([^“”]*)”|(?<![^\s“”<>()[\]:;,])[^\s“”<>()[\]:;,@]+@[^\s“”<>()[\]:;,]+/g;

/** The texts inside a sentence of ours, as {@link quoted} and {@link displayAddress} have put them there. */
export function namesIn(sentence: string): string[] {
  return [...sentence.matchAll(NAMED)].map(([all, inside]) => inside ?? all);
}

const PLAIN_ADDRESS = /^[\w.+'-]{1,64}@[\w.-]{1,190}$/;

/** A mail address unquoted; anything else in its place is quoted. */
export function displayAddress(address: string): string {
  return PLAIN_ADDRESS.test(address) ? address : quoted(address);
}

/** Schema of a provider's text with line breaks and tabs; otherwise cleaned like {@link singleLine}. */
export const multiLine = z.string().overwrite((text) => text.toWellFormed().replace(LINE_BREAK, '\n').replace(CONTROL_BUT_LINES, ''));

const PRIVATE_USE = /\p{Co}/gu;

/**
 * Text of the workspace's editors, with a word for each object in it that is not text: there, a private-use character
 * (Docs API, TextRun: U+E907) takes the object's place.
 */
export function nameObjects(text: string): string {
  return text.replace(PRIVATE_USE, '[object]');
}
