import { NOTICES } from '../../../public/language/en/approvals.js';
import { quoted } from '../../actions/shared/display-text.ts';
import { isIdName } from '../../actions/shared/named-ids.ts';
import { cutText } from '../../validation/cut-text.ts';
import { textsIn } from '../../validation/texts-in.ts';
import { type ReadSource, readSource, type SourceWithHashes } from './context-reads.ts';
import { hasLetters, type Passage, passagesIn } from './passages.ts';

/** A part of the arguments that repeats what others wrote. */
export interface Match extends ReadSource {
  /** Path of the argument: `body`, `attendees.0`; {@link THING}. */
  field: string;
  /** Its beginning. */
  text: string;
  /** Where it is in the argument, in UTF-16 units. */
  from: number;
  to: number;
}

/** In place of an argument's path: the name of what a call is about, which its arguments name by its id. */
export const THING = 'thing';

const MAX_MATCHES = 10;
/** Characters of all arguments. */
const MAX_COMPARED = 200_000;
const MAX_TEXT = 500;
const MAX_QUOTED = 3;

/** What a comparison found. */
export interface Comparison {
  matches: Match[];
  /** Whether all arguments were compared, and every match is listed. */
  isComplete: boolean;
}

type Compared = ReadSource & Pick<SourceWithHashes, 'hashes'>;

/** A part of a text that repeats a source. */
interface Repetition extends Pick<Passage, 'from' | 'to'> {
  source: Compared;
}

/** The parts of a call's arguments that repeat what was read before, in the order of the arguments. */
export function compare(input: unknown, sources: readonly Compared[]): Comparison {
  const index = sourceByHash(sources);
  const matches: Match[] = [];
  if (index.size === 0) return { matches, isComplete: true };
  let left = MAX_COMPARED;
  for (const { path, text } of textsIn(input)) {
    if (isId(path, text)) continue;
    for (const { from, to, source } of repeated(text.slice(0, left), index)) {
      matches.push({ field: path, text: cutText(text.slice(from, to), MAX_TEXT), from, to, ...readSource(source) });
    }
    left -= text.length;
    if (left < 0 || matches.length > MAX_MATCHES) return { matches: matches.slice(0, MAX_MATCHES), isComplete: false };
  }
  return { matches, isComplete: true };
}

/** Sentences on the first matches, for clients that don't show the matches themselves. */
export function noticesOnMatches(matches: readonly Match[]): string[] {
  return matches.slice(0, MAX_QUOTED).map(({ field, text, author }) => {
    const said = { text: quoted(text), author: author && quoted(author) };
    return field === THING ? NOTICES.named(said) : NOTICES.repeats({ ...said, field: quoted(field) });
  });
}

/** Of sources that are alike, the first. */
function sourceByHash(sources: readonly Compared[]): ReadonlyMap<string, Compared> {
  return new Map(sources.toReversed().flatMap((source) => [...source.hashes].map((hash) => [hash, source] as const)));
}

/** Naming an item repeats nothing: the provider gave its id. */
function isId(path: string, text: string): boolean {
  const name = path.split('.').findLast((part) => !/^\d+$/.test(part));
  return name !== undefined && isIdName(name) && !/\s/.test(text);
}

/** In their order. What follows on each other from one source is one part. */
function repeated(text: string, index: ReadonlyMap<string, Compared>): Repetition[] {
  const found = [...passagesIn(text)].flatMap(({ from, to, hash }) => {
    const source = index.get(hash);
    return source === undefined ? [] : [{ from, to, source }];
  });
  const parts: Repetition[] = [];
  for (const part of found.sort((one, other) => one.from - other.from || other.to - one.to)) {
    const last = parts.at(-1);
    if (last === undefined || (part.from >= last.to && !isContinued(text, last, part))) parts.push(part);
    else last.to = Math.max(last.to, part.to);
  }
  return parts;
}

function isContinued(text: string, last: Repetition, next: Repetition): boolean {
  return next.source === last.source && !hasLetters(text.slice(last.to, next.from));
}
