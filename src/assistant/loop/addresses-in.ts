import { isAddress } from '../../validation/address-list.ts';
import { addressKey } from '../../validation/email-address.ts';

/** More may be pasted. */
const MAX_CHARACTERS = 500;
const LINE_BREAK = /[\r\n\v\f\u0085\u2028\u2029]/;
/** Signs that some of a message is another text: header fields at its beginning, markup, code, separators, links, reply lines. */
const PASTED = /^[>|~]|^[\p{L}-]{2,40}:\s|[<>{}[\]`\\]|[-_=*]{3}|:\/\/|\b(?:mailto|data|from|to|cc|bcc|subject|wrote|says|said)\s?:/iu;
/** Quotation marks of any script, but no apostrophe. */
const QUOTED = /["“”„‟«»‹›‘‚‛「」『』＂]|(?<![\p{L}\p{N}])['’]|['’](?![\p{L}\p{N}])/u;
/** What separates words in a sentence. */
const SEPARATORS = /[\s,;，、；]+/u;
const AROUND = /^[(（*_]{1,10}|(?:['’]s)?[)）.!?:*_。！？：]{0,10}$/gu;

/**
 * The addresses that the user typed in a message, in lower case: those that stand in it as words of their own. A message
 * that may hold another's text names no one: one with a quotation, a header field, markup, code or a link, with more than
 * one line, or with more than 500 characters. In doubt an address isn't named, because the call is then asked about or
 * refused.
 */
export function addressesIn(text: string | undefined): ReadonlySet<string> {
  const line = text?.slice(0, 2 * MAX_CHARACTERS).trim() ?? '';
  if (text === undefined || text.length > MAX_CHARACTERS || LINE_BREAK.test(line)) return new Set();
  if (PASTED.test(line) || QUOTED.test(line)) return new Set();
  const words = line.split(SEPARATORS).map((word) => word.replace(AROUND, ''));
  return new Set(words.filter(isAddress).map(addressKey));
}
