import { asciiLowerCase } from '../validation/lower-case.ts';

/** What no address contains without quotes (RFC 5322, 3.2.3 and 3.4.1), typographic quotes, and brackets and separators of other scripts. */
const SEPARATORS = /[\s\p{Ps}\p{Pe}\p{Pi}\p{Pf}<>,;:"\\|，、。；：]+/u;
/** What may stand around an address in a sentence, or mark it in Markdown. */
const AROUND = new Set("'`*_~.!?-");
/** An address has at most 254 characters (RFC 5321, 4.5.3.1.3). */
const MAX_CHARACTERS = 254;

/**
 * The addresses that a text contains as a whole, in lower case: `ana@example.com` is not in `xana@example.com`, nor in
 * `ana@example.com.evil.example`.
 */
export function addressesIn(text: string | undefined): ReadonlySet<string> {
  const words = (text ?? '').split(SEPARATORS).filter((word) => word.includes('@') && word.length <= 2 * MAX_CHARACTERS);
  return new Set(words.map((word) => asciiLowerCase(bare(word))));
}

function bare(word: string): string {
  let [from, to] = [0, word.length];
  while (AROUND.has(word.charAt(from))) from += 1;
  while (to > from && AROUND.has(word.charAt(to - 1))) to -= 1;
  const found = word.slice(from, to);
  return found.endsWith("'s") ? found.slice(0, -2) : found;
}
