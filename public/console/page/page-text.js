/** Characters that change the text direction or are invisible. */
const HIDDEN = /[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f\p{Default_Ignorable_Code_Point}]/gu;

/** JSON with the escapes of hidden characters, so that they are seen and not lost. */
export function visibleJson(value) {
  const escapeOf = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const escaped = (character) => character.split('').map(escapeOf).join('');
  return JSON.stringify(value, null, 2).replace(HIDDEN, escaped);
}

/** Text that somebody chose for themselves, with hidden characters as code points. */
export function visibleText(text) {
  const named = (character) => `[U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`;
  return text.replace(HIDDEN, named);
}

/** Characters that end a quotation, or look as if they did. */
const MARKS = /["“”„‟«»″‴‶‷⁗〝〞〟゛＂❝❞❠ʺˮ˝˶¨״〃⹂]|['’‘‚‛‹›ʹʻʼʽˈˊ′‵´`＇ꞌ❛❜❮❯՚׳ߴ]{2,}/gu;

/** The same for a text in quotation marks, which it can't close. */
export function quotedText(text) {
  return visibleText(text).replace(MARKS, "'");
}

/** Characters that join or colour the emoji before them. */
const EMOJI_PARTS = new Set(['\u200d', '\ufe0f']);
// Not as one class: Chromium does not find characters beyond the first plane in it.
const ENDS_IN_EMOJI = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;

/** The same for text that people write to each other, in which hidden characters make up emoji. */
export function readableText(text) {
  return String(text).replace(HIDDEN, (character, offset, whole) => {
    const isEmoji = EMOJI_PARTS.has(character) && ENDS_IN_EMOJI.test(whole.slice(Math.max(0, offset - 2), offset));
    return isEmoji ? character : visibleText(character);
  });
}

/** Letters that are written from right to left. */
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Somebody’s text within a sentence that is no markup: its direction does not turn the words around it. */
export function isolated(text) {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

/** The same of a name in quotation marks. */
export function quotedName(name) {
  return isolated(quotedText(name));
}
