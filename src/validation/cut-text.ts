import { english } from '../../public/language/english.js';

/** Characters as people see them, of one or more code points (UAX 29, “Grapheme Cluster Boundaries”). */
const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** UTF-16 units of a character that is kept whole: more than a real one has, such as a couple with skin tones. */
const LONGEST = 32;

/**
 * The beginning of a text, at most `max` UTF-16 units: never with half of a surrogate pair, which models' APIs and the
 * database reject, and not in the middle of a character of several code points.
 */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, betweenCharacters(text, max));
}

/** The same with an ellipsis, which counts, in place of what is left out. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${cutText(text, max - 1)}…`;
}

/** As many whole items of a list as fit into `max` characters, one at least, and the number of the others. */
export function cutList(items: readonly string[], max: number): string {
  let length = 0;
  const fitting = items.findIndex((item) => {
    length += item.length;
    return length > max;
  });
  const kept = fitting === -1 ? items.length : Math.max(1, fitting);
  const left = items.length - kept;
  return `${items.slice(0, kept).join(', ')}${left === 0 ? '' : `, … and ${english.number(left)} more`}`;
}

/** The place itself, or that before the character in which it is; within a letter with a pile of marks, between two of them. */
export function betweenCharacters(text: string, place: number): number {
  const pair = betweenPairs(text, place);
  if (pair <= 0 || pair >= text.length) return pair;
  const from = beforeFlags(text, betweenPairs(text, Math.max(0, pair - 2 * LONGEST)));
  const found = CHARACTERS.segment(text.slice(from, pair + 2)).containing(pair - from);
  const start = found === undefined ? pair : from + found.index;
  return pair - start > LONGEST ? pair : start;
}

/** A flag is two letters of its own alphabet: which ones belong together is told by the beginning of a row of them. */
function beforeFlags(text: string, place: number): number {
  let at = place;
  while (isFlagLetter(text.codePointAt(at - 2))) at -= 2;
  return at;
}

function isFlagLetter(code = 0): boolean {
  return code >= 0x1_f1e6 && code <= 0x1_f1ff;
}

/** The place itself, or that before the surrogate pair in which it is. */
export function betweenPairs(text: string, place: number): number {
  const [before, behind] = [text.charCodeAt(place - 1), text.charCodeAt(place)];
  const isInside = before >= 0xd800 && before < 0xdc00 && behind >= 0xdc00 && behind < 0xe000;
  return isInside ? place - 1 : place;
}
