const ROMAN: readonly (readonly [number, string])[] = [
  ...([
    [1000, 'm'],
    [900, 'cm'],
    [500, 'd'],
    [400, 'cd'],
    [100, 'c'],
    [90, 'xc'],
  ] as const),
  ...([
    [50, 'l'],
    [40, 'xl'],
    [10, 'x'],
    [9, 'ix'],
    [5, 'v'],
    [4, 'iv'],
    [1, 'i'],
  ] as const),
];

/** @param format as Word names it (ST_NumberFormat; ECMA-376 part 1, clause 17.18.59); others are decimal */
export function listNumber(number: number, format: string): string {
  switch (format) {
    case 'lowerLetter':
      return letters(number);
    case 'upperLetter':
      return letters(number).toUpperCase();
    case 'lowerRoman':
      return roman(number);
    case 'upperRoman':
      return roman(number).toUpperCase();
    case 'decimalZero':
      return String(number).padStart(2, '0');
    default:
      return format === 'none' ? '' : String(number);
  }
}

/** After z follow aa, bb and so on; numbers for the longest. */
function letters(number: number): string {
  if (number < 1 || number > 260) return String(number);
  return String.fromCharCode(0x61 + ((number - 1) % 26)).repeat(Math.ceil(number / 26));
}

/** `xiv`; numbers that can't be written so as digits. */
export function roman(number: number): string {
  if (number < 1 || number > 3_999) return String(number);
  let [text, rest] = ['', number];
  for (const [value, sign] of ROMAN) {
    text += sign.repeat(Math.floor(rest / value));
    rest %= value;
  }
  return text;
}
