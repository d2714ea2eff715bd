/** Closing bracket → nothing; opening bracket → its end. */
const BRACKETS: Record<string, string> = { '(': ')', '[': ']', '{': '}' };

/**
 * The place of the first of some characters outside of comments, strings and brackets (CSS Syntax 3, section 5), or the
 * end. Takes linear time.
 *
 * @param marks characters to look for; they count even where they are brackets
 */
export function nextMark(css: string, from: number, marks: string): number {
  const open: string[] = [];
  let at = from;
  while (at < css.length) {
    const character = css.charAt(at);
    if (open.length === 0 && marks.includes(character)) return at;
    if (character === open.at(-1)) open.pop();
    else if (BRACKETS[character] !== undefined) open.push(BRACKETS[character]);
    at = behind(css, at, character);
  }
  return css.length;
}

/** Behind a character, an escape, a string or a comment. */
function behind(css: string, at: number, character: string): number {
  if (character === '\\') return at + 2;
  if (character === '/' && css.charAt(at + 1) === '*') return endOf(css, '*/', at + 2);
  if (character !== '"' && character !== "'") return at + 1;
  let end = at + 1;
  // A string that isn't closed ends with its line.
  while (end < css.length && css.charAt(end) !== character && css.charAt(end) !== '\n') end += css.charAt(end) === '\\' ? 2 : 1;
  return end + 1;
}

function endOf(css: string, mark: string, from: number): number {
  const at = css.indexOf(mark, from);
  return at === -1 ? css.length : at + mark.length;
}

/** Without comments; each is replaced by a space. */
export function withoutComments(css: string): string {
  if (!css.includes('/*')) return css;
  const pieces: string[] = [];
  let from = 0;
  let at = 0;
  while (at < css.length) {
    const character = css.charAt(at);
    const end = behind(css, at, character);
    if (character === '/' && end > at + 1) {
      pieces.push(css.slice(from, at), ' ');
      from = end;
    }
    at = end;
  }
  return [...pieces, css.slice(from)].join('');
}

/** With its escapes replaced by what they stand for (CSS Syntax 3, section 4.3.7). */
export function unescaped(css: string): string {
  return css.replace(/\\(?:([0-9a-f]{1,6})[ \t\n\f\r]?|([^\n]))/gi, (_whole, hex: string | undefined, character: string | undefined) => {
    if (hex === undefined) return character ?? '';
    const code = Number.parseInt(hex, 16);
    return code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code).toWellFormed();
  });
}

/** The pieces between some characters, as {@link nextMark} finds them. */
export function splitAt(css: string, marks: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from <= css.length; ) {
    const end = nextMark(css, from, marks);
    pieces.push(css.slice(from, end));
    from = end + 1;
  }
  return pieces;
}
