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

/**
 * Truncates a JSON value to at most `cap` bytes of JSON. The longest texts and lists lose most, from their ends; small
 * values are kept. The same value gives the same result. No part is measured beyond what could be kept, so the cost
 * depends on the cap, not on the value. Values nested too deeply become an ellipsis.
 *
 * @param cap bytes, at least 100
 */
export function truncateOutput(value: unknown, cap: number): { value: unknown; truncated: boolean } {
  if (roomAfter(value, cap, 0) >= 0) return { value, truncated: false };
  const kept = flat(sizeOf(value, cap, 0) <= cap ? value : truncate(value, cap, 0), 0);
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

/** Bytes of JSON; if they exceed `limit`, any number above it. */
function sizeOf(value: unknown, limit: number, depth: number): number {
  if (typeof value === 'string') return textSize(value, limit);
  if (typeof value === 'number') return String(value).length;
  if (typeof value !== 'object' || value === null) return value === false ? 5 : 4;
  if (depth >= MAX_DEPTH) return ELLIPSIS_BYTES + 2;
  let size = 1;
  if (Array.isArray(value)) {
    for (const item of value) {
      size += sizeOf(item, limit - size, depth + 1) + 1;
      if (size > limit) return size;
    }
    return Math.max(size, 2);
  }
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined) continue;
    size += textSize(name, limit - size) + 1;
    if (size > limit) return size;
    size += sizeOf(member, limit - size, depth + 1) + 1;
    if (size > limit) return size;
  }
  return Math.max(size, 2);
}

function textSize(text: string, limit: number): number {
  // Every character takes at least one byte.
  if (text.length > limit) return text.length + 2;
  return Buffer.byteLength(JSON.stringify(text));
}

/** @param value known to be larger than the budget */
function truncate(value: unknown, budget: number, depth: number): unknown {
  if (typeof value === 'string') return truncateText(value, budget);
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= MAX_DEPTH) return '';
  return Array.isArray(value) ? truncateList(value, budget, depth) : truncateObject(value as Record<string, unknown>, budget, depth);
}

function truncateText(text: string, budget: number): string {
  let left = budget - 2 - ELLIPSIS_BYTES;
  let end = 0;
  for (const character of text) {
    left -= Buffer.byteLength(JSON.stringify(character)) - 2;
    if (left < 0) break;
    end += character.length;
  }
  return end === 0 ? '' : text.slice(0, end) + ELLIPSIS;
}

function truncateList(items: readonly unknown[], budget: number, depth: number): unknown[] {
  const sizes: number[] = [];
  let left = budget - 2;
  for (const item of items) {
    const size = sizeOf(item, budget, depth + 1);
    left -= Math.min(size, MIN_ITEM_BYTES) + 1;
    if (left < 0) break;
    sizes.push(size);
  }
  // Not even one item fits: a fragment is better than nothing.
  if (sizes.length === 0 && items.length > 0 && budget > MIN_MEMBER_BYTES) sizes.push(sizeOf(items[0], budget, depth + 1));
  const share = shareOf(sizes, budget - 2 - sizes.length);
  return sizes.map((size, index) => (size <= share ? items[index] : truncate(items[index], share, depth + 1)));
}

function truncateObject(value: Record<string, unknown>, budget: number, depth: number): Record<string, unknown> {
  const kept: { name: string; size: number }[] = [];
  let left = budget - 2;
  let names = 0;
  for (const name in value) {
    if (value[name] === undefined) continue;
    const overhead = textSize(name, budget) + 2;
    const size = sizeOf(value[name], budget, depth + 1);
    left -= overhead + Math.min(size, MIN_MEMBER_BYTES);
    if (left < 0) break;
    names += overhead;
    kept.push({ name, size });
  }
  const share = shareOf(
    kept.map(({ size }) => size),
    budget - 2 - names,
  );
  return Object.fromEntries(kept.map(({ name, size }) => [name, size <= share ? value[name] : truncate(value[name], share, depth + 1)]));
}

/** With an ellipsis in place of lists and objects nested too deeply; the value itself if there are none. */
function flat(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return ELLIPSIS;
  const before = Object.entries(value);
  const after = before.map(([name, member]) => [name, flat(member, depth + 1)] as const);
  if (after.every(([, member], index) => member === before[index]?.[1])) return value;
  return Array.isArray(value) ? after.map(([, member]) => member) : Object.fromEntries(after);
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
