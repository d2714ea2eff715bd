/** Symbol, 0x61 to 0x7a: the Greek letters on the keys of a to z. */
const GREEK = 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ';

/** The usual symbols of the fonts in which Word writes bullets, boxes, arrows and smileys. */
const SYMBOLS: Record<string, Record<number, string>> = {
  symbol: { 183: '•', 176: '°', 177: '±', 179: '≥', 163: '≤', 185: '≠', 165: '∞', 174: '→', 172: '←', 222: '⇒', 109: 'μ' },
  wingdings: {
    ...{ 74: '☺', 76: '☹', 108: '●', 110: '■', 111: '□', 113: '❑', 118: '❖', 159: '•', 167: '▪', 168: '☐', 216: '➢' },
    ...{ 223: '←', 224: '→', 225: '↑', 226: '↓', 240: '⇨', 251: '✗', 252: '✓', 253: '☒', 254: '☑' },
  },
  'wingdings 2': { 79: '✗', 80: '✓', 81: '☒', 82: '☑', 151: '•', 163: '☐' },
};

/**
 * The character of `<w:sym>` (ECMA-376 part 1, clause 17.3.3.30). A symbol font's are often shifted to U+F000, where only
 * that font says what they look like.
 *
 * @param code hexadecimal
 */
export function symbolText(font: string | undefined, code: string | undefined): string {
  const value = /^[0-9a-f]{1,4}$/i.test(code ?? '') ? Number.parseInt(code ?? '', 16) : undefined;
  if (value === undefined) return '[symbol]';
  const isPrivate = value >= 0xe000 && value <= 0xf8ff;
  const key = value >= 0xf000 && value <= 0xf0ff ? value - 0xf000 : value;
  const name = font?.toLowerCase() ?? '';
  const known = Object.hasOwn(SYMBOLS, name) ? SYMBOLS[name]?.[key] : undefined;
  const greek = name === 'symbol' && key >= 0x61 && key <= 0x7a ? GREEK[key - 0x61] : undefined;
  if (known !== undefined || greek !== undefined) return known ?? greek ?? '';
  const isSymbolFont = Object.hasOwn(SYMBOLS, name) || /^(wingdings|webdings)/.test(name);
  return isPrivate || isSymbolFont || value < 0x20 ? '[symbol]' : String.fromCharCode(value);
}
