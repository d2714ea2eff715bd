import { asciiLowerCase } from '../../validation/lower-case.ts';
import { nextMark, splitAt, unescaped, withoutComments } from './css-scanner.ts';
import { normalized } from './css-values.ts';

export interface Declaration {
  /** In lower case. */
  name: string;
  /** In lower case, with single spaces, without `!important`. */
  value: string;
  isImportant: boolean;
}

/**
 * The declarations of a `style` attribute or a rule's block (CSS Syntax 3, section 5.4.4), in order, also invalid ones.
 * Strings stay in quotation marks: they aren't keywords.
 */
export function readDeclarations(css: string): Declaration[] {
  return splitAt(withoutComments(css), ';').flatMap((piece) => readDeclaration(withoutRules(piece)) ?? []);
}

/** What is behind the rules that are nested in a block: they aren't read. */
function withoutRules(piece: string): string {
  let rest = piece;
  for (let brace = nextMark(rest, 0, '{'); brace < rest.length; brace = nextMark(rest, 0, '{')) {
    rest = rest.slice(nextMark(rest, brace + 1, '}') + 1);
  }
  return rest;
}

function readDeclaration(piece: string): Declaration | undefined {
  const colon = nextMark(piece, 0, ':');
  const [name = '', value = ''] = [piece.slice(0, colon), piece.slice(colon + 1)].map(literal);
  if (!/^-?[a-z_][\w-]*$/.test(name) || value === '') return undefined;
  const important = /! ?important$/.exec(value);
  return { name, value: important === null ? value : value.slice(0, important.index).trim(), isImportant: important !== null };
}

/** With its escapes resolved. An escaped space isn't white space: `none\9` is no keyword. */
function literal(css: string): string {
  return asciiLowerCase(unescaped(normalized(css)));
}
