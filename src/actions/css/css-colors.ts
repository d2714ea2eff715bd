import { quantity, share } from './css-values.ts';
import { NAMED_COLORS } from './named-colors.ts';

/** What is less opaque can't be seen. */
export const FAINTEST = 0.02;
/** What is more so hides what is behind it. */
const OPAQUE = 0.9;
const OTHER_FUNCTIONS = /^(?:hwb|lab|lch|oklab|oklch|color|color-mix|light-dark|var)\(/;
/** Colors of the system, which depend on the reader's (CSS Color 4, section 6.2). */
const SYSTEM =
  /^(?:currentcolor|accentcolor|accentcolortext|activetext|buttonborder|buttonface|buttontext|canvas|canvastext|field|fieldtext|graytext|highlight|highlighttext|linktext|mark|marktext|selecteditem|selecteditemtext|visitedtext|window|windowtext|background|menu|menutext|infotext|infobackground|captiontext)$/;

/**
 * A color (CSS Color 4) as `#rrggbb` or `transparent`; undefined for what is none. One that is partly transparent, or
 * in a notation that isn't read, is `unknown`.
 *
 * @param value normalized
 */
export function color(value: string): string | undefined {
  if (value === 'transparent') return value;
  if (value.startsWith('#')) return hexColor(value.slice(1));
  if (OTHER_FUNCTIONS.test(value) || SYSTEM.test(value)) return 'unknown';
  const [, name, inside = ''] = /^(rgb|hsl)a?\((.*)\)$/s.exec(value) ?? [];
  if (name === undefined) return NAMED_COLORS.get(value);
  // A calculation, another color, or a channel that is left out.
  if (/\(|\b(?:from|none)\b/.test(inside)) return 'unknown';
  const [first = '', second = '', third = '', alpha = '1'] = inside.split(/[\s,/]+/).filter((one) => one !== '');
  const opaque = name === 'rgb' ? rgbColor([first, second, third]) : hslColor(first, second, third);
  const opacity = share(alpha);
  return opaque === undefined || opacity === undefined ? undefined : withAlpha(opaque, opacity);
}

function hexColor(digits: string): string | undefined {
  if (!/^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(digits)) return undefined;
  const full = digits.length <= 4 ? [...digits].map((digit) => digit + digit).join('') : digits;
  return withAlpha(`#${full.slice(0, 6)}`, full.length === 8 ? Number.parseInt(full.slice(6), 16) / 255 : 1);
}

function rgbColor(channels: readonly string[]): string | undefined {
  const amounts = channels.map((one) => {
    const found = quantity(one);
    if (found === undefined || !['', '%'].includes(found.unit)) return undefined;
    return found.unit === '%' ? found.amount * 2.55 : found.amount;
  });
  return amounts.every((one) => one !== undefined) ? hexOf(amounts) : undefined;
}

/** @see CSS Color 4, section 7.1 */
function hslColor(hue: string, saturation: string, lightness: string): string | undefined {
  const angle = quantity(hue);
  const [strength, light] = [saturation, lightness].map(ratio);
  if (angle === undefined || strength === undefined || light === undefined) return undefined;
  const turns: Record<string, number> = { '': 360, deg: 360, grad: 400, rad: 2 * Math.PI, turn: 1 };
  const degrees = (angle.amount / (turns[angle.unit] ?? Number.NaN)) * 360;
  if (Number.isNaN(degrees)) return undefined;
  const range = strength * Math.min(light, 1 - light);
  const channel = (offset: number) => {
    const place = (((offset + degrees / 30) % 12) + 12) % 12;
    return 255 * (light - range * Math.max(-1, Math.min(place - 3, 9 - place, 1)));
  };
  return hexOf([channel(0), channel(8), channel(4)]);
}

/** From 0 to 1; the sign may be left out. */
function ratio(percentage: string): number | undefined {
  const found = share(percentage.endsWith('%') ? percentage : `${percentage}%`);
  return found === undefined ? undefined : Math.min(1, Math.max(0, found));
}

function hexOf(amounts: readonly number[]): string {
  const digits = amounts.map((one) =>
    Math.min(255, Math.max(0, Math.round(one)))
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${digits.join('')}`;
}

function withAlpha(opaque: string, alpha: number): string {
  if (alpha <= FAINTEST) return 'transparent';
  return alpha >= OPAQUE ? opaque : 'unknown';
}

/** Whether no one can tell two colors apart. */
export function looksSame(one: string, other: string): boolean {
  if (!one.startsWith('#') || !other.startsWith('#')) return one === other && one !== 'unknown';
  return [1, 3, 5].every((at) => Math.abs(Number.parseInt(one.slice(at, at + 2), 16) - Number.parseInt(other.slice(at, at + 2), 16)) <= 8);
}
