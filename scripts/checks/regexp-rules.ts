import { check } from 'recheck';
import { lineOf, nodesOf, type SyntaxNode } from '../syntax.ts';

export interface Expression {
  file: string;
  line: number;
  /** Its text in the source. */
  text: string;
  /** undefined: it is composed at run time. */
  regex: { pattern: string; flags: string } | undefined;
}

/**
 * `timeout`, milliseconds: far more than any expression needs; one that takes longer is not judged. An expression is judged
 * by the characters that are read for a text, not by the time that takes, which depends on the machine and its load.
 * `attackLimit` is a hundredth of recheck's default, in place of the second that it allows.
 */
const LIMITS = { timeout: 300_000, incubationTimeout: null, attackLimit: 16_000_000, attackTimeout: null };

/** @returns every regular expression of a source, in its order */
export function expressionsOf(file: string, source: string): Expression[] {
  return nodesOf(file, source)
    .filter(isExpression)
    .map((node) => ({
      file,
      line: lineOf(source, node.start),
      text: source.slice(node.start, node.end),
      regex: constantOf(node),
    }));
}

/** A literal, or a call of RegExp. */
function isExpression({ type, regex, callee }: SyntaxNode): boolean {
  if (type === 'Literal') return regex !== undefined;
  return (type === 'NewExpression' || type === 'CallExpression') && (callee as { name?: string }).name === 'RegExp';
}

function constantOf(node: SyntaxNode): Expression['regex'] {
  if (node.type === 'Literal') return node.regex as Expression['regex'];
  const [pattern, flags] = (node.arguments as { value?: unknown }[]).map(({ value }) => value);
  return typeof pattern === 'string' ? { pattern, flags: typeof flags === 'string' ? flags : '' } : undefined;
}

/** The problem of an expression; undefined: its time is linear in the text's length. */
export async function problemOf({ regex }: Pick<Expression, 'regex'>): Promise<string | undefined> {
  if (regex === undefined) return 'is put together while the program runs, so it can’t be judged: write it out, or allow it with a reason';
  const verdict = await check(regex.pattern, regex.flags, LIMITS);
  if (verdict.status === 'safe') return undefined;
  if (verdict.status === 'unknown') return `could not be judged (${verdict.error.kind})`;
  return `takes ${verdict.complexity.summary} time, as with ${verdict.attack.pattern}`;
}
