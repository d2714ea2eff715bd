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
