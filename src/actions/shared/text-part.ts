import { z } from 'zod';
import { betweenPairs } from '../../validation/cut-text.ts';

/** Longest text of one result, UTF-16 units; the rest is read by its offset. */
export const PART_UNITS = 40_000;

/** Input: where to begin in a long text. */
export const offset = z
  .int('must be a whole number')
  .min(0)
  .max(20_000_000)
  .default(0)
  .describe('Where to continue, by the previous result.');

/**
 * A part of a long text that doesn't split a surrogate pair.
 *
 * @returns `next_offset`: that of the following part; absent at the end
 */
export function textPart(text: string, start: number, units = PART_UNITS): { text: string; next_offset?: number } {
  const from = betweenPairs(text, start);
  if (text.length - from <= units) return { text: text.slice(from) };
  const end = betweenPairs(text, from + units);
  return { text: text.slice(from, end), next_offset: end };
}
