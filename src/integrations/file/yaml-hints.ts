import { lineAndColumn } from './yaml-positions.ts';

const QUOTES = 'needs quotes around all of it';

/**
 * What a YAML parser's message usually means; it names the violated rule, not the text that
 * should have been in quotes.
 *
 * @param offset position at which the parser stopped, in UTF-16 units
 * @returns the words with the way out
 */
export function plainYamlReason(source: string, offset: number, reason: string): string {
  const hint = hintOf(source, offset, reason);
  return hint === undefined ? reason : `${reason}: ${hint}`;
}

function hintOf(source: string, offset: number, reason: string): string | undefined {
  const { column } = lineAndColumn(source, offset);
  const before = source.slice(offset - column + 1, offset);
  const here = source[offset] ?? '';
  if (reason.startsWith('bad indentation')) return ofBlock(before, here);
  if (reason.startsWith('missed comma')) return ofFlow(before, here);
  if (reason.includes('deficient indentation')) return 'a quotation mark or bracket above may not be closed';
  return undefined;
}

/** A mapping of lines. */
function ofBlock(before: string, here: string): string | undefined {
  const line = before.trimStart().replace(/^(?:- +)+/, '');
  const [key] = /^(?:"[^"]*"|'[^']*'|[^\s#'"][^:]*):\s/.exec(line) ?? [];
  const value = key === undefined ? undefined : line.slice(key.length).trimStart();
  if (value === undefined)
    return here === ':' ? 'this line begins further right than the key above it, or that one lacks its colon' : undefined;
  if (/^'.*'$/.test(value)) return 'a single quote within single quotes is written twice';
  if (/^".*"$/.test(value)) return 'a double quote within double quotes is written \\"';
  if (here === ':') return `a text that holds “: ” ${QUOTES}`;
  if (here === '}' || here === ']') return `this ${here} closes nothing`;
  return value === '' && /[@`%]/.test(here) ? `a text that begins with ${here} ${QUOTES}` : undefined;
}

/** Between { } or [ ], where five more characters mean something. */
function ofFlow(before: string, here: string): string | undefined {
  if (/\$$/.test(before) && here === '{') return 'what a caller passes is written $input.name, without braces';
  if ('[]{}'.includes(here)) return `a text that holds ${here} ${QUOTES}`;
  return here === ':' ? 'put a comma before this key, or quotes around a text that holds “: ”' : undefined;
}
