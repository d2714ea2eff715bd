import { isObject } from '../validation/is-object.ts';
import type { FingerprintedSource, ReadSource } from './context-reads.ts';
import { fingerprintIndex, repeated } from './fingerprints.ts';

/** A part of the arguments that repeats what others wrote. */
export interface Match extends ReadSource {
  /** Path of the argument: `body`, `attendees.0`. */
  field: string;
  text: string;
}

const MAX_MATCHES = 10;
/** Characters of all arguments. */
const MAX_COMPARED = 200_000;
const MAX_TEXT = 500;
/** Characters of a word that are added at most. */
const MAX_WORD = 40;
const LETTER = /[\p{L}\p{N}]/u;

/** What a comparison found. */
export interface Comparison {
  matches: Match[];
  /** Whether all arguments were compared, and every match is listed. */
  isComplete: boolean;
}

/** The parts of a call's arguments that repeat what was read before, in the order of the arguments. */
export function compare(input: unknown, sources: readonly FingerprintedSource[]): Comparison {
  const index = fingerprintIndex(sources.map(({ fingerprints }) => fingerprints));
  if (index.size === 0) return { matches: [], isComplete: true };
  const matches: Match[] = [];
  let left = MAX_COMPARED;
  for (const [field, text] of textsIn(input, '')) {
    for (const { from, to, source } of repeated(text.slice(0, left), index)) {
      const { fingerprints: _, ...about } = sources[source] as FingerprintedSource;
      const span = wholeWords(text, from, to);
      matches.push({ field, text: text.slice(span.from, Math.min(span.to, span.from + MAX_TEXT)), ...about });
    }
    left -= text.length;
    if (left < 0 || matches.length > MAX_MATCHES) return { matches: matches.slice(0, MAX_MATCHES), isComplete: false };
  }
  return { matches, isComplete: true };
}

/** Fingerprints are kept of some places only, so that a part begins and ends somewhere in the words that repeat. */
function wholeWords(text: string, from: number, to: number): { from: number; to: number } {
  const isLetter = (place: number) => LETTER.test(text.charAt(place));
  let [start, end] = [from, to];
  while (from - start < MAX_WORD && isLetter(start - 1)) start -= 1;
  while (end - to < MAX_WORD && isLetter(end)) end += 1;
  return { from: start, to: end };
}

/** Texts with their paths. Arguments have few levels (input-guard.ts). */
function textsIn(value: unknown, path: string): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (!Array.isArray(value) && !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => textsIn(one, path === '' ? name : `${path}.${name}`));
}
