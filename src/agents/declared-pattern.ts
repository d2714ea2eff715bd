/** Longest text that is held against a pattern. */
export const PATTERN_MAX_LENGTH = 256;
/** Each repetition multiplies the time by the text's length, each choice doubles it. */
const MAX_REPETITIONS = 3;
const MAX_CHOICES = 6;

const INNERMOST_GROUP = /\(([^()]*)\)([*+?]|\{\d+(?:,\d*)?\})?/;
/** Stands for a group that repeats or chooses. */
const BRANCHING = '\u0001';
const BACK_REFERENCE = '\u0002';

/**
 * Whether a text of at most {@link PATTERN_MAX_LENGTH} characters could keep a
 * pattern busy for seconds. Refuses more than it must.
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
  let repetitions = text.startsWith('^') ? 0 : 1;
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
  return choices > MAX_CHOICES ? `must not hold more than ${MAX_CHOICES} choices` : undefined;
}

/** The pattern with every escape and every class as one letter. */
function outline(pattern: string): string {
  const escapes = /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|[\s\S])/g;
  const plain = pattern.replace(escapes, (text) => (/^\\[1-9k]/.test(text) ? BACK_REFERENCE : 'x'));
  return plain.replace(/\[[^\]]*\]/g, 'x');
}

function count(text: string, of: RegExp): number {
  return text.match(of)?.length ?? 0;
}
