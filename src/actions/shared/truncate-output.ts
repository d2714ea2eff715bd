import { betweenPairs } from '../../validation/cut-text.ts';

const ELLIPSIS = '…';
const ELLIPSIS_BYTES = 3;
/** Least size of an item that is kept truncated: fewer useful items are better than fragments of all. */
const MIN_ITEM_BYTES = 1024;
/** Least size of a truncated member of an object. */
const MIN_MEMBER_BYTES = 34;
/** Bounds the recursion. */
const MAX_DEPTH = 100;
/** Characters that JSON writes as they are, in one byte each. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
/** Sizes of smaller lists and objects are not remembered: measuring them again costs less. */
const LARGE = 256;

/** Bytes of JSON of the large lists and objects of a value: each is measured once. */
type Sizes = Map<object, number>;

/**
 * Truncates a JSON value to at most `cap` bytes of JSON. The longest texts and lists lose most, from their ends; small
 * values are kept. The same value gives the same result. Values nested too deeply become an ellipsis.
 *
 * @param cap bytes, at least 100
 */
export function truncateOutput(value: unknown, cap: number): { value: unknown; truncated: boolean } {
  const flat = isTooDeep(value, 0) ? flattened(value, 0) : value;
  const sizes: Sizes = new Map();
  const kept = sizeOf(flat, sizes) <= cap ? flat : truncate(sizes, flat, cap);
  return { value: kept, truncated: kept !== value };
}

function sizeOf(value: unknown, sizes: Sizes): number {
  if (typeof value === 'string') return textSize(value);
  if (typeof value === 'number') return String(value).length;
  if (typeof value !== 'object' || value === null) return value === false ? 5 : 4;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 1;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item, sizes) + 1;
  else {
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name];
      if (member !== undefined) size += textSize(name) + sizeOf(member, sizes) + 2;
    }
  }
  if (size > LARGE) sizes.set(value, size);
  return Math.max(size, 2);
}

function textSize(text: string): number {
  return PLAIN.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));
}

/** @param value known to be larger than the budget */
function truncate(sizes: Sizes, value: unknown, budget: number): unknown {
  if (typeof value === 'string') return truncateText(value, budget);
  if (typeof value !== 'object' || value === null) return null;
  return Array.isArray(value) ? truncateList(sizes, value, budget) : truncateObject(sizes, value, budget);
}

function truncateText(text: string, budget: number): string {
  let fits = 0;
  let most = Math.min(text.length, budget);
  while (fits < most) {
    const middle = Math.ceil((fits + most) / 2);
    if (textSize(text.slice(0, betweenPairs(text, middle))) + ELLIPSIS_BYTES <= budget) fits = middle;
    else most = middle - 1;
  }
  const end = betweenPairs(text, fits);
  return end === 0 ? '' : text.slice(0, end) + ELLIPSIS;
}

function truncateList(sizes: Sizes, items: readonly unknown[], budget: number): unknown[] {
  const found: number[] = [];
  let left = budget - 2;
  for (const item of items) {
    const size = sizeOf(item, sizes);
    left -= Math.min(size, MIN_ITEM_BYTES) + 1;
    // Not even one item fits: a fragment is better than nothing.
    if (left < 0 && (found.length > 0 || budget <= MIN_MEMBER_BYTES)) break;
    found.push(size);
    if (left < 0) break;
  }
  const share = shareOf(found, budget - 2 - found.length);
  return found.map((size, index) => (size <= share ? items[index] : truncate(sizes, items[index], share)));
}

function truncateObject(sizes: Sizes, value: object, budget: number): Record<string, unknown> {
  const kept: { name: string; member: unknown; size: number }[] = [];
  let left = budget - 2;
  let names = 0;
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const overhead = textSize(name) + 2;
    const size = sizeOf(member, sizes);
    left -= overhead + Math.min(size, MIN_MEMBER_BYTES);
    if (left < 0) break;
    names += overhead;
    kept.push({ name, member, size });
  }
  const found = kept.map(({ size }) => size);
  const share = shareOf(found, budget - 2 - names);
  return Object.fromEntries(kept.map(({ name, member, size }) => [name, size <= share ? member : truncate(sizes, member, share)]));
}

function isTooDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return depth >= MAX_DEPTH || children.some((child) => isTooDeep(child, depth + 1));
}

/** With an ellipsis in place of lists and objects nested too deeply. */
function flattened(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return ELLIPSIS;
  if (Array.isArray(value)) return value.map((item) => flattened(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, flattened(member, depth + 1)]));
}

/** The largest share such that all sizes, each truncated to it, fit the budget together. */
function shareOf(sizes: readonly number[], budget: number): number {
  let left = budget;
  const ascending = sizes.toSorted((one, other) => one - other);
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return budget;
}
