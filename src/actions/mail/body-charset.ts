import { EAST_ASIAN } from '../files/charset-languages.ts';
import { charsetNamed } from '../files/charset-names.ts';
import { asUtf8, decodeText, type TextFacts } from '../files/decode-text.ts';

/** Of the characters of a converted text, more may have been replaced by similar ones. */
const OTHERS = 0.1;

/**
 * Decodes a message's text. The mail service converts most of them to UTF-8 and leaves their declaration as it is, so that
 * valid UTF-8 is read as such, unless it can't have been converted from the declared charset.
 */
export function decodeBody(bytes: Uint8Array, facts: TextFacts): string {
  const text = bytes.some((byte) => byte >= 0x80) ? asUtf8(bytes) : undefined;
  return text !== undefined && isConverted(text, bytes, facts.charset) ? text : decodeText(bytes, facts);
}

/** Only in these charsets, ordinary text can be valid UTF-8: two bytes of a character may be one of another script. */
function isConverted(text: string, bytes: Uint8Array, label = ''): boolean {
  const declared = charsetNamed(label);
  const eastAsian = EAST_ASIAN.find(({ charset }) => charset === declared);
  if (eastAsian === undefined) return true;
  const characters = [...new Set(text.match(/[\u0080-\uffff]/gu))];
  const own = charactersOf(eastAsian.charset);
  if (characters.filter((one) => !own.has(one)).length > characters.length * OTHERS) return false;
  if (!/[\u0080-\u07ff]{2}/.test(text) || /[\u0800-\uffff]/.test(text)) return true;
  const unconverted = [...new Set(decodeText(bytes, { charset: label }).match(/[^\0-\x7f]/gu))];
  return unconverted.filter((one) => eastAsian.frequent.includes(one)).length * 2 < unconverted.length;
}

const known = new Map<string, ReadonlySet<string>>();

/** All characters of a charset of two bytes. */
function charactersOf(charset: string): ReadonlySet<string> {
  const found = known.get(charset) ?? new Set(new TextDecoder(charset).decode(pairs()));
  known.set(charset, found);
  return found;
}

function pairs(): Uint8Array {
  const bytes: number[] = [];
  for (let first = 0x81; first <= 0xfe; first += 1) {
    // A space in case the second byte is none.
    for (let second = 0x40; second <= 0xfe; second += 1) bytes.push(first, second, 0x20);
  }
  return Uint8Array.from(bytes);
}
