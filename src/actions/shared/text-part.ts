import { z } from 'zod';
import { betweenCharacters, betweenPairs } from '../../validation/cut-text.ts';
import { jsonBytes } from './fitting.ts';

/** Longest text of one result, UTF-16 units; the rest is read by its offset. */
export const PART_UNITS = 40_000;

/** The names of what is beside a text in its result. */
const BESIDE_BYTES = 100;

/** Input: where to begin in a long text. */
export const offset = z.int('must be a whole number').min(0).max(20_000_000).default(0).describe('`next_offset` of the previous result.');

/** The longest part of a text that a result has room for. */
export interface PartLimit {
  /** UTF-16 units. */
  units: number;
  /** Of the part as JSON. */
  bytes: number;
}

/** Written with a backslash: tab, line feed, carriage return. */
const LINE_BREAKS = new Set([0x09, 0x0a, 0x0d]);
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** So that any text ends some time. */
const LEAST_BYTES = 100;

/** @param capBytes the largest output @param beside the result without the text */
export function partLimit(capBytes: number, beside: object, units = PART_UNITS): PartLimit {
  return { units, bytes: capBytes - jsonBytes(beside) - BESIDE_BYTES };
}

/**
 * A part of a long text that ends between two characters.
 *
 * @returns `next_offset`: that of the following part; absent at the end
 */
export function textPart(text: string, start: number, { units, bytes }: PartLimit): { text: string; next_offset?: number } {
  const from = betweenPairs(text, start);
  const most = betweenPairs(text, Math.min(text.length, from + units));
  const fits = endWithin(text, from, most, Math.max(bytes, LEAST_BYTES));
  const whole = betweenCharacters(text, fits);
  const end = whole > from ? whole : fits;
  return end >= text.length ? { text: text.slice(from) } : { text: text.slice(from, end), next_offset: end };
}

/** Where a part of at most so many bytes of JSON ends. */
function endWithin(text: string, from: number, most: number, bytes: number): number {
  let left = bytes;
  let at = from;
  while (at < most) {
    const code = text.codePointAt(at) ?? 0;
    left -= bytesOf(code);
    if (left < 0) break;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

/** Bytes of a code point in a JSON text. */
function bytesOf(code: number): number {
  if (code < 0x20) return LINE_BREAKS.has(code) ? 2 : 6;
  if (code < 0x80) return code === QUOTE || code === BACKSLASH ? 2 : 1;
  return code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
}
