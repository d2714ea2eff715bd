/** A longer plain text, addresses of links left out, is the message itself. UTF-16 units. */
const MAX_DOUBTFUL = 1_500;
/** So much of both texts is compared, UTF-16 units. */
export const COMPARED = 20_000;

const LINK = /<?\b(?:https?|mailto|tel):[^\s<>]+>?/gi;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Of scripts without blanks between words, characters. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}]+/gu;
/** The source of a page. */
const MARKUP = /^\s*<(?:!doctype|html|head|body|table|div|p|style|meta)\b/i;
/** What texts that refer to the other alternative speak of, in most languages. */
const REFERS = /html|browser|navigateur|navegador|przegl|brau[sz]er|брауз|浏览器|瀏覽器|ブラウザ|브라우저/i;
const MAX_REFERRING = 80;
/** Share of the plain text's words that its equivalent has. */
const SAME = 0.7;

/**
 * Whether the plain text may say less than the other alternatives: senders fill it with a notice, a link or the beginning,
 * since few programs show it.
 */
export function isDoubtful(plain: string): boolean {
  return MARKUP.test(plain) || readable(plain.slice(0, 2 * COMPARED)).length <= MAX_DOUBTFUL;
}

/**
 * What a person would read of a message's alternatives (RFC 2046, 5.1.4): the plain text, unless it says nothing, or only a
 * small part of the other one. Both, if they say different things.
 *
 * @param plain a doubtful one @param rich the text of the better alternative
 */
export function readableAlternative(plain: string, rich: string): string {
  const given = words(plain);
  const others = words(rich);
  if (others.length === 0) return plain;
  if (given.length === 0 || MARKUP.test(plain)) return rich;
  const known = new Set(others);
  const distinct = [...new Set(given)];
  const isSame = distinct.filter((word) => known.has(word)).length >= SAME * distinct.length;
  if (isSame) return others.length >= 2 * given.length ? rich : plain;
  return given.length <= MAX_REFERRING && REFERS.test(plain) ? rich : `${plain}\n\n${rich}`;
}

function readable(text: string): string {
  return text.replace(LINK, ' ').replace(INVISIBLE, '');
}

function words(text: string): string[] {
  return readable(text.slice(0, COMPARED)).normalize('NFKC').toLowerCase().match(WORD) ?? [];
}
