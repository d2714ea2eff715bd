import { EAST_ASIAN, type EastAsian, LANGUAGES, type Language } from './charset-languages.ts';

/** Bytes from the first one that isn't ASCII: enough to tell, and little to decode in each charset. */
const SAMPLE_BYTES = 1_000;
/** With so many valid characters for each error, or more, a text is damaged UTF-8: others aren't valid by chance so often. */
const VALID_PER_ERROR = 3;

/** Logarithms of how likely a character is where it stands; those of letters follow from the words of the language. */
const LIKELY = {
  error: -15,
  control: -12,
  foreign: -10,
  symbol: -8,
  punctuation: -3.5,
  /** A letter beside one of another script, and an upper-case letter behind one in lower case. */
  mixed: -6,
  /** No letter beside another of its language. */
  alone: -3,
  kana: -5,
  frequent: -5,
  daily: -8,
  rare: -11,
};
/** How much less likely a charset is, whatever the text, than windows-1252; another than the first of a language is the least. */
const UNUSUAL = { language: -2.5, charset: -5 };
const PUNCTUATION = /[“”„‘‚«»–—…€£§°©®™·•\u00a0¿¡ºª№²³¹±×÷µ¼½¾¢¥‹›、。，．！？：；「」『』（）《》・ー～\u3000]/u;
const CONTROL = /[\p{Cc}\p{Co}\p{Cn}]/u;
const LETTER = /[\p{L}\p{M}]/u;
const KANA = /[\u3041-\u30fe]/;
const HALF_KANA = /[\uff61-\uff9f]/;

/**
 * The most likely charset of a text that isn't UTF-8 and has none declared, by the frequency of letters and their pairs in
 * the languages that are written in it. Short texts may be mistaken.
 */
export function guessCharset(bytes: Uint8Array): string {
  const sample = sampleOf(bytes);
  if (isMostly(new TextDecoder().decode(sample))) return 'utf-8';
  const candidates = [
    ...LANGUAGES.flatMap((language) =>
      language.charsets.map((charset) => ({
        charset,
        score: scoreOf(decoded(sample, charset), language) + usualness(charset, language),
      })),
    ),
    ...EAST_ASIAN.map((language) => ({ charset: language.charset, score: scoreOfEastAsian(sample, language) + UNUSUAL.language })),
  ];
  return candidates.reduce((best, one) => (one.score > best.score ? one : best)).charset;
}

function usualness(charset: string, { charsets: [usual] }: Language): number {
  if (charset === 'windows-1252') return 0;
  return charset === usual ? UNUSUAL.language : UNUSUAL.charset;
}

/** Up to the last byte that is part of no longer character, unless that is the whole text. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const first = Math.max(
    0,
    bytes.findIndex((byte) => byte >= 0x80),
  );
  const sample = bytes.subarray(Math.max(0, first - 1), first + SAMPLE_BYTES);
  const isWhole = first + SAMPLE_BYTES >= bytes.length;
  const end = sample.findLastIndex((byte) => byte < 0x30);
  return isWhole || end <= 0 ? sample : sample.subarray(0, end);
}

/** Whether nearly all characters beyond ASCII are valid. */
function isMostly(text: string): boolean {
  let errors = 0;
  let others = 0;
  for (const character of text) {
    if (character === '\ufffd') errors += 1;
    else if (character > '\u007f') others += 1;
  }
  return others >= errors * VALID_PER_ERROR;
}

const tables = new Map<string, string>();

/** Of a charset of single bytes: decoders of those take longer for a word than a table. */
function decoded(bytes: Uint8Array, charset: string): string {
  const table = tables.get(charset) ?? new TextDecoder(charset).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  tables.set(charset, table);
  return Array.from(bytes, (byte) => table.charAt(byte)).join('');
}

/** How often letters and pairs of them occur, words being between spaces. */
interface Frequencies {
  total: number;
  letters: ReadonlyMap<string, number>;
  pairs: ReadonlyMap<string, number>;
  isLatin: boolean;
}

const known = new Map<Language, Frequencies>();

function frequenciesOf(language: Language): Frequencies {
  const found = known.get(language);
  if (found !== undefined) return found;
  const text = [...` ${language.words} `].map(lowerCase).join('');
  const letters = new Map<string, number>();
  const pairs = new Map<string, number>();
  for (let at = 0; at < text.length; at += 1) {
    letters.set(text.charAt(at), (letters.get(text.charAt(at)) ?? 0) + 1);
    pairs.set(text.slice(at, at + 2), (pairs.get(text.slice(at, at + 2)) ?? 0) + 1);
  }
  const frequencies = { total: text.length, letters, pairs, isLatin: /[a-z]/.test(text) };
  known.set(language, frequencies);
  return frequencies;
}

/** Of the characters beyond ASCII, and those behind them. */
function scoreOf(text: string, language: Language): number {
  const frequencies = frequenciesOf(language);
  let score = frequencies.isLatin || /[^\P{L}\0-\x7f][^\P{L}\0-\x7f]/u.test(text) ? 0 : LIKELY.alone;
  for (let at = 0; at < text.length; at += 1) {
    const [before, character, behind] = [text.charAt(at - 1), text.charAt(at), text.charAt(at + 1)];
    if (character > '\u007f' || (before > '\u007f' && LETTER.test(before + character)))
      score += likelihood(before, character, behind, frequencies);
  }
  return score;
}

function likelihood(before: string, character: string, behind: string, frequencies: Frequencies): number {
  if (character === '\ufffd') return LIKELY.error;
  if (character > '\u007f' && CONTROL.test(character)) return LIKELY.control;
  const isBetween = LETTER.test(before) && LETTER.test(behind);
  // An apostrophe is part of a word.
  if (character === '’') return LIKELY.punctuation;
  if (character > '\u007f' && PUNCTUATION.test(character)) return isBetween && character !== '\u00a0' ? LIKELY.symbol : LIKELY.punctuation;
  if (!LETTER.test(character)) return character > '\u007f' ? LIKELY.symbol : pairLikelihood(letterOf(before), ' ', frequencies);
  const isMixed = !frequencies.isLatin && LETTER.test(before) && isAsciiLetter(before) !== isAsciiLetter(character);
  const isUpper = isLower(before) && isLower(character.toLowerCase()) && !isLower(character);
  const added = (isMixed ? LIKELY.mixed : 0) + (isUpper ? LIKELY.mixed : 0);
  return added + (isMixed && isAsciiLetter(character) ? 0 : pairLikelihood(letterOf(before), letterOf(character), frequencies));
}

function pairLikelihood(before: string, letter: string, { total, letters, pairs }: Frequencies): number {
  const count = letters.get(letter) ?? 0;
  if (count === 0 && letter > '\u007f') return LIKELY.foreign;
  const alone = (count + 0.5) / total;
  return Math.log(((pairs.get(before + letter) ?? 0) + 2 * alone) / ((letters.get(before) ?? 0) + 2));
}

function letterOf(character: string): string {
  return LETTER.test(character) ? lowerCase(character) : ' ';
}

/** The same number of characters: of `İ`, lower case has two. */
function lowerCase(character: string): string {
  const lower = character.toLowerCase();
  return lower.length === character.length ? lower : character;
}

function isAsciiLetter(character: string): boolean {
  return /^[A-Za-z]$/.test(character);
}

function isLower(character: string): boolean {
  return character.toUpperCase() !== character;
}

function scoreOfEastAsian(bytes: Uint8Array, { charset, frequent, daily: [from, to] }: EastAsian): number {
  const isJapanese = charset === 'shift_jis' || charset === 'euc-jp';
  const isLetterAt = (place: number) => isAsciiLetter(String.fromCharCode(bytes[place] ?? 0));
  let score = 0;
  let at = 0;
  for (const character of new TextDecoder(charset).decode(bytes)) {
    const start = at;
    const first = bytes[at] ?? 0;
    const isHalf = HALF_KANA.test(character);
    at += character <= '\u007f' || character === '\ufffd' || (isHalf && charset === 'shift_jis') ? 1 : 2;
    if (character <= '\u007f') continue;
    const isDaily = isHalf || (first >= from && first <= to);
    // The bytes may rather be letters of a Latin word.
    const mixed = (isLetterAt(start - 1) || isLetterAt(at)) && (isHalf || !isDaily || isLetterAt(at - 1)) ? LIKELY.mixed : 0;
    if (character === '\ufffd') score += LIKELY.error;
    else if (isHalf) score += LIKELY.daily + mixed;
    else if (CONTROL.test(character)) score += LIKELY.control;
    else if (PUNCTUATION.test(character)) score += LIKELY.punctuation;
    else if (KANA.test(character)) score += isJapanese ? LIKELY.kana : LIKELY.foreign;
    else if (frequent.includes(character)) score += LIKELY.frequent + mixed;
    else score += (isDaily ? LIKELY.daily : LIKELY.rare) + mixed;
  }
  return score;
}
