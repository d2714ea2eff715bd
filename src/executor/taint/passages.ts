import { hash } from 'node:crypto';

/** Letters and digits of a line or a sentence: shorter ones are alike by chance. */
const MIN_LETTERS = 40;
/** Longer normalized is no language, but ligatures of up to 18 characters. */
const MAX_GROWTH = 4;
const MIN_ADDRESS = 6;
const MAX_ADDRESS = 300;
/** Characters of a hash in base64: 48 bits. */
const HASH_LENGTH = 8;

/** Line breaks, and what stands between texts on one line: quotation signs, markup, columns. */
const LINE_ENDS = /[\n\v\f\r\u0085\u2028\u2029\t<>|]/g;
/** Punctuation in front of white space; in some scripts, none follows. */
const SENTENCE_ENDS = /[.!?:;…]["'”’)\]]?\s|[。！？]/g;
const WORD_ENDS = /[\s,;<>()[\]{}"'“”]/g;
/** One word of ASCII characters: an id, a link, a line of base64. */
const ONE_WORD = /^[\x21-\x7e]*$/;
const MAY_BE_ADDRESS = /[@＠﹫]|:\/\//;
const AROUND_ADDRESS = /^mailto:|[.:!?]{1,10}$/gi;
const LETTER = /[\p{L}\p{N}]/u;
const NO_LETTERS = /[^\p{L}\p{N}]+/gu;
/** Half of a character that has two UTF-16 units counts as one. */
const END = /[\p{L}\p{N}\p{Cs}]/u;

/** A part of a text that is recognized in other texts. */
export interface Passage {
  from: number;
  to: number;
  /** The beginning of a SHA-256, in base64. Where letters, digits and addresses are the same, it is the same. */
  hash: string;
}

interface Part {
  from: number;
  text: string;
}

/**
 * What is compared of a text: its addresses, and its lines and their sentences of 40 letters and digits or more. Case, white
 * space, punctuation and the forms of a character (NFKC) make no difference, nor do quotation signs at the beginning of a line.
 * Single words, such as ids, are no sentences. Takes linear time.
 */
export function* passagesIn(text: string): Generator<Passage> {
  // Most texts of a result are ids, names and times.
  if (text.length < MIN_LETTERS && !MAY_BE_ADDRESS.test(text)) return;
  for (const line of partsOf({ from: 0, text }, LINE_ENDS)) {
    const sentences = partsOf(line, SENTENCE_ENDS);
    for (const part of sentences.length > 1 ? [line, ...sentences] : [line]) yield* longPassage(part);
    if (!MAY_BE_ADDRESS.test(line.text)) continue;
    for (const word of partsOf(line, WORD_ENDS)) yield* address(word);
  }
}

/** Whether a text has a letter or digit. */
export function hasLetters(text: string): boolean {
  return LETTER.test(text);
}

function* longPassage({ from, text }: Part): Generator<Passage> {
  if (text.length < MIN_LETTERS || ONE_WORD.test(text.trim())) return;
  const normalized = text.normalize('NFKC');
  if (normalized.length > MAX_GROWTH * text.length) return;
  const letters = normalized.toLowerCase().replace(NO_LETTERS, '');
  if (letters.length < MIN_LETTERS) return;
  let end = text.length;
  while (!END.test(text.charAt(end - 1))) end -= 1;
  yield { from: from + text.search(LETTER), to: from + end, hash: hashOf(letters) };
}

function* address({ from, text }: Part): Generator<Passage> {
  if (text.length < MIN_ADDRESS || text.length > MAX_ADDRESS || !MAY_BE_ADDRESS.test(text)) return;
  const trimmed = text.replace(AROUND_ADDRESS, '');
  const start = from + text.indexOf(trimmed);
  if (trimmed !== '') yield { from: start, to: start + trimmed.length, hash: hashOf(trimmed.normalize('NFKC').toLowerCase()) };
}

/** What stands between separators. */
function partsOf({ from, text }: Part, separators: RegExp): Part[] {
  const parts: Part[] = [];
  let start = 0;
  for (const { index, 0: found } of text.matchAll(separators)) {
    if (index > start) parts.push({ from: from + start, text: text.slice(start, index) });
    start = index + found.length;
  }
  if (start < text.length) parts.push({ from: from + start, text: text.slice(start) });
  return parts;
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64').slice(0, HASH_LENGTH);
}
