/** What of a text a pattern takes at one place: a character or a class, and how often. */
export interface PatternPart {
  /** What it takes of some characters that stand for all. */
  characters: ReadonlySet<string>;
  /** Takes at least one character. */
  isSure: boolean;
  /** How much it takes is open: one or none (`choice`), or more (`repetition`). */
  varies: 'no' | 'choice' | 'repetition';
}

const QUANTIFIER = /(?:([*+?])|\{(\d+)(,(\d*))?\})?\??/y;
const ATOM = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/uy;
/** Between characters, or around parts that are looked at one by one. */
const EMPTY = /^(?:[\^$()]|\\[bB])$/;
/** Groups that are there or not, alternatives, and characters that the probes may miss. */
const OPAQUE = /\||\)[*+?{]|\(\?(?!:|<\w)|\\[pPuxc]/;

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const BEYOND = ['\u00a0', '\u00e9', '\u2028', '\u3042', '\u{1f600}'];

/**
 * The parts of a regular expression, from its beginning to its end.
 *
 * @param pattern valid, without lookarounds and back-references
 * @returns undefined: it is made in a way that isn't told apart here
 */
export function patternParts(pattern: string): PatternPart[] | undefined {
  if (OPAQUE.test(pattern)) return undefined;
  const flat = pattern.replace(/(?<!\\)\((?:\?(?::|<\w+>))?/g, '(');
  // Where two classes overlap, one of them has a bound in the other, and that stands in the pattern.
  const probes = [...new Set([...ASCII, ...BEYOND, ...pattern])];
  const parts: PatternPart[] = [];
  for (let at = 0; at < flat.length; ) {
    const atom = take(ATOM, flat, at)?.[0] ?? '';
    at += atom.length;
    if (EMPTY.test(atom)) continue;
    const quantifier = take(QUANTIFIER, flat, at);
    at += quantifier?.[0].length ?? 0;
    const taken = new RegExp(`^${atom}$`, 'u');
    const characters = new Set(probes.filter((probe) => taken.test(probe)));
    parts.push({ characters, ...times(quantifier) });
  }
  return parts;
}

function times(quantifier: RegExpExecArray | null): Pick<PatternPart, 'isSure' | 'varies'> {
  const [, sign, least, range, most] = quantifier ?? [];
  if (sign !== undefined) return { isSure: sign === '+', varies: sign === '?' ? 'choice' : 'repetition' };
  return { isSure: least !== '0', varies: range === undefined || least === most ? 'no' : 'repetition' };
}

function take(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}
