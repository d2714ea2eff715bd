import { asciiLowerCase } from '../../validation/lower-case.ts';

/** CSS pixels of the units (CSS Values 4, section 6); of relative ones, at the initial font size. */
const PIXELS: Record<string, number> = { px: 1, pt: 4 / 3, pc: 16, in: 96, cm: 96 / 2.54, mm: 9.6 / 2.54, em: 16, rem: 16, ex: 8, ch: 8 };
const NUMBER = /^([+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:e[+-]?\d{1,3})?)(%|[a-z]{0,8})$/;
const FONT_SIZES: Record<string, number> = {
  'xx-small': 9,
  'x-small': 10,
  small: 13,
  medium: 16,
  large: 18,
  'x-large': 24,
  'xx-large': 32,
  'xxx-large': 48,
};
const NAMED: Record<string, string> = {
  aqua: '#00ffff',
  black: '#000000',
  blue: '#0000ff',
  cyan: '#00ffff',
  fuchsia: '#ff00ff',
  gray: '#808080',
  grey: '#808080',
  green: '#008000',
  lime: '#00ff00',
  magenta: '#ff00ff',
  maroon: '#800000',
  navy: '#000080',
  olive: '#808000',
  purple: '#800080',
  red: '#ff0000',
  silver: '#c0c0c0',
  snow: '#fffafa',
  teal: '#008080',
  white: '#ffffff',
  whitesmoke: '#f5f5f5',
  yellow: '#ffff00',
};

/** A number and its unit, '' for none; undefined for anything else. */
function quantity(value: string): { amount: number; unit: string } | undefined {
  const [, amount, unit = ''] = NUMBER.exec(value) ?? [];
  return amount === undefined ? undefined : { amount: Number(amount), unit };
}

/**
 * A length in pixels. A number without a unit is one, too, as in quirks mode, in which mail is often shown.
 *
 * @param value in lower case
 * @returns NaN for one that depends on the page, undefined for what is no length
 */
export function pixels(value: string): number | undefined {
  if (/^(?:calc|min|max|clamp|var|env)\(/.test(value)) return Number.NaN;
  const found = quantity(value);
  if (found === undefined) return undefined;
  const { amount, unit } = found;
  if (amount === 0 || unit === '') return amount;
  return amount * (PIXELS[unit] ?? Number.NaN);
}

/** A share as a number: `0.5` and `50%` are both 0.5. */
export function share(value: string): number | undefined {
  const found = quantity(value);
  if (found?.unit === '%') return found.amount / 100;
  return found?.unit === '' ? found.amount : undefined;
}

/** A font size: in pixels, or as a factor of the parent's. */
export type FontSize = { pixels: number } | { factor: number };

/** @returns undefined for what is no font size */
export function fontSize(value: string): FontSize | undefined {
  const named = Object.hasOwn(FONT_SIZES, value) ? FONT_SIZES[value] : undefined;
  if (named !== undefined) return { pixels: named };
  if (value === 'smaller') return { factor: 1 / 1.2 };
  if (value === 'larger') return { factor: 1.2 };
  const found = quantity(value);
  if (found?.unit === '%') return { factor: found.amount / 100 };
  if (found?.unit === 'em') return { factor: found.amount };
  const size = pixels(value);
  return size === undefined || size < 0 ? undefined : { pixels: size };
}

/**
 * A color as `#rrggbb`, `transparent`, or a name; undefined for what is none. One that is partly transparent, or is in
 * another notation, is `unknown`.
 */
export function color(value: string): string | undefined {
  if (value.startsWith('#')) return hexColor(value.slice(1));
  const [, name, inside = ''] = /^([a-z]+)\(([^)]*)\)$/.exec(value) ?? [];
  if (name === 'rgb' || name === 'rgba') return rgbColor(inside);
  if (name !== undefined) return /^(?:hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark|var)$/.test(name) ? 'unknown' : undefined;
  if (!/^[a-z]+$/.test(value)) return undefined;
  return value === 'currentcolor' ? 'unknown' : Object.hasOwn(NAMED, value) ? NAMED[value] : value;
}

function hexColor(digits: string): string | undefined {
  if (!/^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(digits)) return undefined;
  const full = digits.length <= 4 ? [...digits].map((digit) => digit + digit).join('') : digits;
  return withAlpha(`#${full.slice(0, 6)}`, full.length === 8 ? Number.parseInt(full.slice(6), 16) / 255 : 1);
}

function rgbColor(inside: string): string | undefined {
  const [red, green, blue, alpha] = inside.split(/[\s,/]+/).filter((one) => one !== '');
  const parts = [red, green, blue].map((one) => channel(one ?? ''));
  const opacity = alpha === undefined ? 1 : share(alpha);
  if (parts.includes(undefined) || opacity === undefined) return undefined;
  return withAlpha(`#${parts.join('')}`, opacity);
}

function channel(value: string): string | undefined {
  const found = quantity(value);
  if (found === undefined || !['', '%'].includes(found.unit)) return undefined;
  const amount = Math.round(found.unit === '%' ? found.amount * 2.55 : found.amount);
  return Math.min(255, Math.max(0, amount)).toString(16).padStart(2, '0');
}

function withAlpha(opaque: string, alpha: number): string {
  if (alpha <= 0) return 'transparent';
  return alpha >= 1 ? opaque : 'unknown';
}

/** Whether no one can tell two colors apart. */
export function looksSame(one: string, other: string): boolean {
  if (!one.startsWith('#') || !other.startsWith('#')) return one === other && one !== 'unknown';
  return [1, 3, 5].every((at) => Math.abs(Number.parseInt(one.slice(at, at + 2), 16) - Number.parseInt(other.slice(at, at + 2), 16)) <= 8);
}

/** A value as it is compared: in lower case, with single spaces. */
export function normalized(value: string): string {
  return asciiLowerCase(value)
    .replace(/[ \t\n\f\r]+/g, ' ')
    .trim();
}
