import { betweenPairs } from '../../validation/cut-text.ts';

const ELLIPSIS = '…';
const ELLIPSIS_BYTES = 3;
/** Least size of an item that is kept truncated: fewer useful items are better than fragments of all. */
const MIN_ITEM_BYTES = 1024;
/** Least size of a truncated member of an object. */
const MIN_MEMBER_BYTES = 34;
/** The longest number: -0.0000012345678901234567. */
const MAX_SCALAR_BYTES = 25;
/** Bounds the recursion. */
const MAX_DEPTH = 100;
/** Characters that JSON writes as they are, in one byte each. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
/** Of a text, measured at a time. */
const PIECE = 1024;
/** Sizes of smaller values are not remembered: measuring them again costs less. */
const LARGE = 256;

/**
 * Truncates a JSON value to at most `cap` bytes of JSON. The longest texts and lists lose most, from their ends; small
 * values are kept. The same value gives the same result. No part is measured beyond what could be kept, and none twice, so
 * the cost depends on the cap, not on the value. Values nested too deeply become an ellipsis.
 *
 * @param cap bytes, at least 100
 */
export function truncateOutput(value: unknown, cap: number): { value: unknown; truncated: boolean } {
  if (roomAfter(value, cap, 0) >= 0) return { value, truncated: false };
  const sizes = new Sizes();
  const cut = sizes.of(value, cap, 0) <= cap ? value : truncate(sizes, value, cap, 0);
  const kept = isTooDeep(cut, 0) ? flat(cut, 0) : cut;
  return { value: kept, truncated: kept !== value };
}

/** Lower bound of the bytes that remain of `room`, since no character takes more than six; negative = unknown. */
function roomAfter(value: unknown, room: number, depth: number): number {
  if (typeof value === 'string') return room - 6 * value.length - 2;
  if (typeof value !== 'object' || value === null) return room - MAX_SCALAR_BYTES;
  if (depth >= MAX_DEPTH) return -1;
  let left = room - 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      left = roomAfter(item, left - 1, depth + 1);
      if (left < 0) break;
    }
    return left;
  }
  for (const name in value) {
    left = roomAfter((value as Record<string, unknown>)[name], left - 6 * name.length - 4, depth + 1);
    if (left < 0) break;
  }
  return left;
}

/** Measures values, each once: truncating asks for the parts of what it has measured as a whole. */
class Sizes {
  /** Of lists, objects and long texts. */
  readonly #known = new Map<unknown, number>();

  /** Bytes of JSON; if they exceed `limit`, any number above it. */
  of(value: unknown, limit: number, depth: number): number {
    if (typeof value === 'string') return this.#ofText(value, limit);
    if (typeof value === 'number') return String(value).length;
    if (typeof value !== 'object' || value === null) return value === false ? 5 : 4;
    if (depth >= MAX_DEPTH) return ELLIPSIS_BYTES + 2;
    const known = this.#known.get(value);
    if (known !== undefined && (known > 0 || -known > limit)) return Math.abs(known);
    const size = this.#ofContainer(value, limit, depth);
    // Negative: measured up to here only.
    if (size > LARGE) this.#known.set(value, size <= limit ? size : -size);
    return size;
  }

  #ofContainer(value: object, limit: number, depth: number): number {
    let size = 1;
    if (Array.isArray(value)) {
      for (const item of value) {
        size += this.of(item, limit - size, depth + 1) + 1;
        if (size > limit) return size;
      }
      return Math.max(size, 2);
    }
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name];
      if (member === undefined) continue;
      size += this.#ofText(name, limit - size) + 1;
      if (size > limit) return size;
      size += this.of(member, limit - size, depth + 1) + 1;
      if (size > limit) return size;
    }
    return Math.max(size, 2);
  }

  #ofText(text: string, limit: number): number {
    // Every character takes at least one byte.
    if (text.length > limit) return text.length + 2;
    if (text.length < LARGE) return textSize(text);
    const size = this.#known.get(text) ?? textSize(text);
    this.#known.set(text, size);
    return size;
  }
}

function textSize(text: string): number {
  return PLAIN.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));
}

/** @param value known to be larger than the budget */
function truncate(sizes: Sizes, value: unknown, budget: number, depth: number): unknown {
  if (typeof value === 'string') return truncateText(value, budget);
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= MAX_DEPTH) return '';
  if (Array.isArray(value)) return truncateList(sizes, value, budget, depth);
  return truncateObject(sizes, value as Record<string, unknown>, budget, depth);
}

function truncateText(text: string, budget: number): string {
  let left = budget - 2 - ELLIPSIS_BYTES;
  let end = 0;
  while (end < text.length && left > 0) {
    const piece = text.slice(end, betweenPairs(text, end + PIECE));
    const size = textSize(piece) - 2;
    if (size > left) {
      end += fitting(piece, left);
      break;
    }
    left -= size;
    end += piece.length;
  }
  return end === 0 ? '' : text.slice(0, end) + ELLIPSIS;
}

/** How many units of the text fit. */
function fitting(text: string, room: number): number {
  let left = room;
  let end = 0;
  for (const character of text) {
    left -= textSize(character) - 2;
    if (left < 0) break;
    end += character.length;
  }
  return end;
}

function truncateList(sizes: Sizes, items: readonly unknown[], budget: number, depth: number): unknown[] {
  const found: number[] = [];
  let left = budget - 2;
  for (const item of items) {
    const size = sizes.of(item, budget, depth + 1);
    left -= Math.min(size, MIN_ITEM_BYTES) + 1;
    if (left < 0) break;
    found.push(size);
  }
  // Not even one item fits: a fragment is better than nothing.
  if (found.length === 0 && items.length > 0 && budget > MIN_MEMBER_BYTES) found.push(sizes.of(items[0], budget, depth + 1));
  const share = shareOf(found, budget - 2 - found.length);
  return found.map((size, index) => (size <= share ? items[index] : truncate(sizes, items[index], share, depth + 1)));
}

function truncateObject(sizes: Sizes, value: Record<string, unknown>, budget: number, depth: number): Record<string, unknown> {
  const kept: { name: string; size: number }[] = [];
  let left = budget - 2;
  let names = 0;
  for (const name in value) {
    if (value[name] === undefined) continue;
    const overhead = (name.length > budget ? name.length + 2 : textSize(name)) + 2;
    const size = sizes.of(value[name], budget, depth + 1);
    left -= overhead + Math.min(size, MIN_MEMBER_BYTES);
    if (left < 0) break;
    names += overhead;
    kept.push({ name, size });
  }
  const share = shareOf(
    kept.map(({ size }) => size),
    budget - 2 - names,
  );
  return Object.fromEntries(
    kept.map(({ name, size }) => [name, size <= share ? value[name] : truncate(sizes, value[name], share, depth + 1)]),
  );
}

function isTooDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= MAX_DEPTH) return true;
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, depth + 1));
  for (const name in value) if (isTooDeep((value as Record<string, unknown>)[name], depth + 1)) return true;
  return false;
}

/** With an ellipsis in place of lists and objects nested too deeply. */
function flat(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return ELLIPSIS;
  if (Array.isArray(value)) return value.map((item) => flat(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, flat(member, depth + 1)]));
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
