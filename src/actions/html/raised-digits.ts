import type { Script } from '../css/css-properties.ts';
import { decoded } from './html-attributes.ts';

const SIGNS = '0123456789+-−=()';
const RAISED: Record<Exclude<Script, 'none'>, string> = { super: '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾', sub: '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎' };

/**
 * Digits as they are displayed, raised or lowered: in line with the text before them, the cents of `$19<sup>99</sup>`, an
 * exponent or the number of a footnote would make another number.
 *
 * @param text HTML without tags
 */
export function asDisplayed(text: string, script: Script): string {
  if (script === 'none') return text;
  const plain = decoded(text);
  if (!/\d/.test(plain)) return text;
  const characters = plain.replace(/[\d+\-−=()]/g, (one) => RAISED[script].charAt(SIGNS.indexOf(one)));
  return characters.replaceAll('&', '&amp;');
}
