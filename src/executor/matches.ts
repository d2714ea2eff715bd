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
      matches.push({ field, text: text.slice(from, Math.min(to, from + MAX_TEXT)), ...about });
    }
    left -= text.length;
    if (left < 0 || matches.length > MAX_MATCHES) return { matches: matches.slice(0, MAX_MATCHES), isComplete: false };
  }
  return { matches, isComplete: true };
}

/** Texts with their paths. Arguments have few levels (input-guard.ts). */
function textsIn(value: unknown, path: string): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (!Array.isArray(value) && !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => textsIn(one, path === '' ? name : `${path}.${name}`));
}
