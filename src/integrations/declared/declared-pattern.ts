import { type PatternPart, patternParts } from './pattern-parts.ts';

/** Longest text that is held against a pattern. */
export const PATTERN_MAX_LENGTH = 256;
const MAX_REPETITIONS = 3;
const MAX_CHOICES = 6;
/** Each that overlaps multiplies the time by the text's length. */
const MAX_OVERLAPPING_REPETITIONS = 2;
/** Each that overlaps doubles it. */
const MAX_OVERLAPPING_CHOICES = 3;

const INNERMOST_GROUP = /\(([^()]*)\)([*+?]|\{\d+(?:,\d*)?\})?/;
/** Stands for a group that repeats or chooses. */
const BRANCHING = '\u0001';
const BACK_REFERENCE = '\u0002';

/**
 * Whether a text of at most {@link PATTERN_MAX_LENGTH} characters could keep a
 * pattern busy for long. Refuses more than it must.
 *
 * @returns why it is refused; undefined: it is fine
 */
export function patternRefusal(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u');
  } catch {
    return 'is no regular expression';
  }
  const bare = outline(pattern);
  if (bare.includes(BACK_REFERENCE)) return 'must not refer back to a group';
  if (/\(\?<?[=!]/.test(bare)) return 'must not look ahead or behind';
  let text = bare.replace(/\(\?(?::|<\w+>)/g, '(');
  // Where it isn't anchored, every place is a beginning.
  const isAnchored = text.startsWith('^');
  let repetitions = isAnchored ? 0 : 1;
  let choices = 0;
  for (let group = INNERMOST_GROUP.exec(text); group !== null; group = INNERMOST_GROUP.exec(text)) {
    const [whole, content = '', quantifier = ''] = group;
    const branches = /[*+?|{]/.test(content) || content.includes(BRANCHING);
    if (branches && quantifier !== '' && quantifier !== '?') return 'must not repeat a group that repeats or chooses';
    repetitions += count(content, /[*+]|\{\d+,\d*\}/g);
    choices += count(content, /\?/g) + (content.includes('|') ? 1 : 0);
    text = text.replace(whole, () => (branches ? BRANCHING : 'x') + quantifier);
  }
  repetitions += count(text, /[*+]|\{\d+,\d*\}/g);
  choices += count(text, /\?/g);
  if (repetitions > MAX_REPETITIONS) return `must not hold more than ${MAX_REPETITIONS} repetitions; a missing ^ counts as one`;
  if (choices > MAX_CHOICES) return `must not hold more than ${MAX_CHOICES} choices`;
  return overlapRefusal(overlaps(pattern, isAnchored) ?? { repetitions, choices });
}

function overlapRefusal({ repetitions, choices }: Overlaps): string | undefined {
  if (repetitions > MAX_OVERLAPPING_REPETITIONS) {
    return `must not hold more than ${MAX_OVERLAPPING_REPETITIONS} repetitions that can take the same characters; a missing ^ counts as one`;
  }
  if (repetitions < MAX_OVERLAPPING_REPETITIONS || choices <= MAX_OVERLAPPING_CHOICES) return undefined;
  return `must not hold more than ${MAX_OVERLAPPING_CHOICES} choices beside repetitions that can take the same characters`;
}

/** How many repetitions and choices share a stretch of text in many ways. */
interface Overlaps {
  repetitions: number;
  choices: number;
}

/** @returns undefined: can't be told, so all of them may */
function overlaps(pattern: string, isAnchored: boolean): Overlaps | undefined {
  const own = patternParts(pattern);
  if (own === undefined) return undefined;
  const anything = new Set(own.flatMap(({ characters }) => [...characters]));
  const parts: PatternPart[] = isAnchored ? own : [{ characters: anything, isSure: false, varies: 'repetition' }, ...own];
  let open = 0;
  const choices = new Set<PatternPart>();
  parts.forEach((part, index) => {
    if (part.varies === 'no') return;
    const partners = partnersOf(part, parts.slice(index + 1));
    if (part.varies === 'repetition' && partners.some(({ varies }) => varies === 'repetition')) open += 1;
    for (const one of partners.length > 0 ? [part, ...partners] : []) if (one.varies === 'choice') choices.add(one);
  });
  return { repetitions: open === 0 ? 0 : open + 1, choices: choices.size };
}

/** Parts further on that can take what a part could take, up to one that shows where that part ends. */
function partnersOf(part: PatternPart, following: readonly PatternPart[]): PatternPart[] {
  const end = following.findIndex(({ isSure, characters }) => isSure && !share(characters, part.characters));
  const near = end === -1 ? following : following.slice(0, end);
  return near.filter(({ varies, characters }) => varies !== 'no' && share(characters, part.characters));
}

function share(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].some((character) => other.has(character));
}

/** The pattern with every escape and every class as one letter. */
function outline(pattern: string): string {
  const escapes = /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|[\s\S])/g;
  const plain = pattern.replace(escapes, (text) => (/^\\[1-9k]/.test(text) ? BACK_REFERENCE : 'x'));
  return plain.replace(/\[[^\]]*(?:\]|$)/g, 'x');
}

function count(text: string, of: RegExp): number {
  return text.match(of)?.length ?? 0;
}
