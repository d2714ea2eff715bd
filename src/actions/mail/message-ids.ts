import { decodeWords } from './mail-text.ts';

/** A line has at most 998 characters (RFC 5322, 2.1.1), of which the fold takes one and the brackets two. */
const ID = /^(?:[!-;=?-~]{1,995}|"[ !#-;=?-~]{1,500}"@[!-;=?-~]{1,490})$/;
/** Of a longer field, the first identifiers and the last ones are read: those that matter. */
const MAX_HALF = 50_000;

/**
 * The identifiers in a Message-ID, In-Reply-To or References field (RFC 5322, 3.6.4), each in angle brackets. Comments, other
 * words and the folds inside of long identifiers are left out. Some programs forget the brackets: without any, a lone word,
 * or words that all have an @, are identifiers. Some write long ones as encoded words, in spite of RFC 2047, 5.
 *
 * Only those in ASCII, since others (RFC 6532, 3.3) can't be sent to every server.
 *
 * @param value as received, encoded words included: those in brackets are parts of identifiers
 */
export function messageIds(value: string): string[] {
  const cut = ends(value);
  const text = withoutComments((cut.includes('<') ? cut : decodeWords(cut)).replace(/\r?\n(?=[ \t])/g, ''));
  const bracketed = [...text.matchAll(/<([^<>]*)>/g)].map(([, id = '']) => unfolded(id));
  return (bracketed.length > 0 ? bracketed : bareIds(text)).filter((id) => ID.test(id)).map((id) => `<${id}>`);
}

/** The null character, valid in none, keeps what is cut from becoming an identifier. */
function ends(value: string): string {
  return value.length <= 2 * MAX_HALF ? value : `${value.slice(0, MAX_HALF)}\0${value.slice(-MAX_HALF)}`;
}

/** White space may stand around the parts of an address (RFC 5322, 4.5.4), but that in quotation marks is one of them. */
function unfolded(id: string): string {
  return id.includes('@') ? id.replace(/("[^"]*")|[ \t]/g, '$1') : id.trim();
}

function bareIds(text: string): string[] {
  // What follows a line break that isn't a fold is of another field.
  if (/[\r\n]/.test(text.trim())) return [];
  const words = text.split(/[\s,]+/).map((word) => word.replace(/[<>"]/g, ''));
  const ids = words.filter((word) => word !== '');
  return ids.length === 1 || ids.every((id) => id.includes('@')) ? ids : [];
}

/** Without comments (RFC 5322, 3.2.2), which may be nested; brackets are no comment's. */
function withoutComments(text: string): string {
  let kept = '';
  let from = 0;
  let depth = 0;
  for (const { 0: mark, index } of text.matchAll(/\\.|[()]|<[^<>]*>/gs)) {
    if (mark === '(') {
      if (depth === 0) {
        kept += `${text.slice(from, index)} `;
        from = index;
      }
      depth += 1;
    } else if (mark === ')' && depth > 0) {
      depth -= 1;
      if (depth === 0) from = index + 1;
    }
  }
  // A comment that doesn't end is none.
  return kept + text.slice(from);
}
