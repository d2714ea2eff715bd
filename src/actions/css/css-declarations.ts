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
  return splitAt(withoutComments(css), ';').flatMap((piece) => readDeclaration(piece) ?? []);
}

function readDeclaration(piece: string): Declaration | undefined {
  const colon = nextMark(piece, 0, ':');
  const name = normalized(unescaped(piece.slice(0, colon)));
  const value = normalized(unescaped(piece.slice(colon + 1)));
  if (!/^-?[a-z_][\w-]*$/.test(name) || value === '') return undefined;
  const important = /! ?important$/.exec(value);
  return { name, value: important === null ? value : value.slice(0, important.index).trim(), isImportant: important !== null };
}
