import { asciiLowerCase } from '../../validation/lower-case.ts';

/** CSS pixels of the units (CSS Values 4, section 6); of relative ones, at the initial font size. */
const VIEWPORT = Object.fromEntries('vw vh vmin vmax svw svh lvw lvh dvw dvh vi vb'.split(' ').map((unit) => [unit, 10]));
const PIXELS: Record<string, number> = {
  ...VIEWPORT,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 9.6 / 2.54,
  em: 16,
  rem: 16,
  ex: 8,
  ch: 8,
};
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
/** A number and its unit, '' for none; undefined for anything else. @param value in lower case */
export function quantity(value: string): { amount: number; unit: string } | undefined {
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

/** A value as it is compared: in lower case, with single spaces. */
export function normalized(value: string): string {
  return asciiLowerCase(value)
    .replace(/[ \t\n\f\r]+/g, ' ')
    .trim();
}
