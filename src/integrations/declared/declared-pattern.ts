import { RE2JS, RE2JSException } from 're2js';

/** Longest text that is matched against a pattern. */
export const PATTERN_MAX_LENGTH = 256;
/** A pattern of this length compiles in less than a second. */
const MAX_SOURCE_LENGTH = 1_000;
/** Matching a text of the maximum length takes at most some 50 ms with a program of this size. */
const MAX_INSTRUCTIONS = 2_500;
const REPEATS_TOO_OFTEN = 'must not repeat anything more than 1,000 times; nested repetitions are multiplied';
const TOO_LARGE = `is too large: its repetitions and alternatives expand to more than ${MAX_INSTRUCTIONS} steps`;

/** Pieces of a valid pattern that RE2 writes otherwise or doesn't support: escapes, classes, groups, repetitions. */
const PIECE =
  /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u\{[^}]*\}|u....|c.|[pP]\{[^}]*\}|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?(?:<?[=!]|<[^>]*>|[a-z-]*:)|\{[\d,]+\}|\./g;
const CLASS_PIECE = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u\{[^}]*\}|u....|c.|[pP]\{[^}]*\}|[\s\S])|\[/g;
const SURROGATES = /^\\u([dD][89abAB]..)\\u([dD][c-fC-F]..)$/;

const LINE_ENDS = '\\n\\r\\x{2028}\\x{2029}';
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_SPACE =
  '\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

/**
 * Compiles a JSON Schema pattern (ECMA-262 with the flag u) for RE2, which matches in time linear in the text.
 *
 * @returns or the reason why it is not supported: it is invalid, too large, or needs more than linear time
 */
export function compilePattern(source: string): { pattern: RE2JS } | { problem: string } {
  if (source.length > MAX_SOURCE_LENGTH) return { problem: `must have at most ${MAX_SOURCE_LENGTH} characters` };
  if (!isValid(source)) return { problem: 'is not a valid regular expression' };
  for (const [piece] of source.matchAll(PIECE)) {
    const problem = problemOf(piece);
    if (problem !== undefined) return { problem };
  }
  try {
    const pattern = RE2JS.compile(source.replace(PIECE, translate));
    return pattern.programSize() > MAX_INSTRUCTIONS ? { problem: TOO_LARGE } : { pattern };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { problem: messageOf(error) };
  }
}

/** Compiles the patterns of a schema for Ajv. They have been checked before. */
export const linearRegExp = Object.assign(
  (source: string) => {
    const compiled = compilePattern(source);
    if ('problem' in compiled) throw new Error(`pattern ${compiled.problem}`);
    return compiled.pattern;
  },
  // Names it in code that Ajv writes to a file, which is not done here.
  { code: 'linearRegExp' },
);

function isValid(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}

function problemOf(piece: string): string | undefined {
  if (/^\\[1-9k]/.test(piece)) return 'must not use backreferences';
  if (/^\(\?<?[=!]/.test(piece)) return 'must not use lookahead or lookbehind';
  if (/^\(\?[a-z-]+:/.test(piece)) return 'must not set flags within a group';
  return undefined;
}

function messageOf({ message }: RE2JSException): string {
  if (message.includes('invalid repeat count')) return REPEATS_TOO_OFTEN;
  if (message.includes('expression too large')) return TOO_LARGE;
  // The only remaining case are character properties that RE2 lacks, such as \\p{ASCII}.
  return `is not supported: ${message.replace('error parsing regexp: ', '')}`;
}

function translate(piece: string): string {
  if (piece.startsWith('\\')) return translateEscape(piece);
  if (piece.startsWith('[')) return translateClass(piece);
  if (piece === '.') return `[^${LINE_ENDS}]`;
  // Names may contain characters that RE2 rejects, and don't change the matches.
  if (piece.startsWith('(')) return '(?:';
  // RE2 matches braces around a number with a leading zero literally.
  return piece.replace(/\d+/g, (digits) => String(Number(digits)));
}

function translateEscape(sequence: string): string {
  if (sequence === '\\s') return `[${SPACE}]`;
  if (sequence === '\\S') return `[${NOT_SPACE}]`;
  return translateCharacter(sequence);
}

/** @param whole with its brackets */
function translateClass(whole: string): string {
  if (whole === '[]') return '[^\\x00-\\x{10ffff}]';
  if (whole === '[^]') return '[\\x00-\\x{10ffff}]';
  const content = whole.slice(1, -1).replace(CLASS_PIECE, (piece) => {
    // RE2 would read [:alpha:] as a character class.
    if (piece === '[') return '\\[';
    if (piece === '\\b') return '\\x08';
    if (piece === '\\s') return SPACE;
    if (piece === '\\S') return NOT_SPACE;
    return translateCharacter(piece);
  });
  return `[${content}]`;
}

/** An escape that means the same within a class and outside. */
function translateCharacter(sequence: string): string {
  const [, lead, trail] = SURROGATES.exec(sequence) ?? [];
  if (lead !== undefined && trail !== undefined) {
    return `\\x{${String.fromCharCode(Number.parseInt(lead, 16), Number.parseInt(trail, 16)).codePointAt(0)?.toString(16)}}`;
  }
  if (sequence.startsWith('\\u')) return `\\x{${sequence.replace(/[\\u{}]/g, '')}}`;
  if (sequence.startsWith('\\c')) return `\\x{${(sequence.charCodeAt(2) % 32).toString(16)}}`;
  return sequence.replace(/\{(?:General_Category|gc|Script|sc)=/, '{');
}
