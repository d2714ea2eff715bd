import { english } from '../../../public/language/english.js';
import { cutText } from '../../validation/cut-text.ts';

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

/** Members that a hint names; there are rarely more. */
const MAX_NAMED = 5;
/** Names of members that are repeated in a sentence of ours: the others may be anybody's words. */
const NAME = /^\w{1,30}$/;
/** Where a text is cut between two words, if one ends among as many characters. */
const LONGEST_WORD = 2_000;

/** Bytes of JSON of the large lists and objects of a value: each is measured once. */
type Sizes = Map<object, number>;

/** What is left out of a value: each once, in the order of the value. */
interface Cut {
  sizes: Sizes;
  leftOut: Set<string>;
}

/**
 * Truncates a JSON value to at most `cap` bytes of JSON. The longest texts and lists lose most, from their ends; small
 * values are kept. A text that is cut ends in an ellipsis, after a whole word if it has words. The same value gives the same
 * result. Values nested too deeply become an ellipsis.
 *
 * @param cap bytes, at least 100
 * @returns `leftOut`: what isn't there, such as "`items` after the first 12"; empty: it is the value itself
 */
export function truncateOutput(value: unknown, cap: number): { value: unknown; leftOut: string[] } {
  const cut: Cut = { sizes: new Map(), leftOut: new Set() };
  const flat = isTooDeep(value, 0) ? flattened(value, 0) : value;
  if (flat !== value) cut.leftOut.add(`what is nested more than ${MAX_DEPTH} deep`);
  const kept = sizeOf(flat, cut.sizes) <= cap ? flat : truncate(cut, flat, { budget: cap, path: '' });
  return { value: kept, leftOut: [...cut.leftOut] };
}

/** Tells the reader of a truncated result what is left out, and how to read on. @param leftOut as {@link truncateOutput} gives it */
export function truncationHint(leftOut: readonly string[]): string {
  const named = leftOut.slice(0, MAX_NAMED).join(', ');
  const more = leftOut.length > MAX_NAMED ? ', and more' : '';
  return `Too long for one result. Left out: ${named}${more}. Read the rest with its \`next\` or \`next_offset\`, if it has one; otherwise ask for less, with a smaller \`max\`, fewer ids or fields, or a narrower range or query.`;
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

/** How much a part may take, and where it is. */
interface Part {
  /** Bytes of JSON. */
  budget: number;
  /** Names of members, such as `items[].text`; of the value itself empty. */
  path: string;
}

/** @param value known to be larger than the budget */
function truncate(cut: Cut, value: unknown, part: Part): unknown {
  if (typeof value === 'string') {
    cut.leftOut.add(`the end of ${shownPath(part.path)}`);
    return truncateText(value, part.budget);
  }
  if (typeof value !== 'object' || value === null) {
    cut.leftOut.add(shownPath(part.path));
    return null;
  }
  return Array.isArray(value) ? truncateList(cut, value, part) : truncateObject(cut, value, part);
}

function truncateText(text: string, budget: number): string {
  let fits = 0;
  let most = Math.min(text.length, budget);
  while (fits < most) {
    const middle = Math.ceil((fits + most) / 2);
    if (textSize(text.slice(0, middle)) + ELLIPSIS_BYTES <= budget) fits = middle;
    else most = middle - 1;
  }
  const kept = wholeWords(cutText(text, fits), text);
  return kept === '' ? '' : kept + ELLIPSIS;
}

/** Without the word that would be cut: half of an address, a link or a number is another one. */
function wholeWords(beginning: string, text: string): string {
  if (/^\s/.test(text.slice(beginning.length, beginning.length + 1))) return beginning;
  const end = beginning.slice(-LONGEST_WORD).search(/\s\S*$/);
  return end === -1 ? beginning : beginning.slice(0, Math.max(0, beginning.length - LONGEST_WORD) + end);
}

function truncateList(cut: Cut, items: readonly unknown[], { budget, path }: Part): unknown[] {
  const found: number[] = [];
  let left = budget - 2;
  for (const item of items) {
    const size = sizeOf(item, cut.sizes);
    left -= Math.min(size, MIN_ITEM_BYTES) + 1;
    // Not even one item fits: a fragment is better than nothing.
    if (left < 0 && (found.length > 0 || budget <= MIN_MEMBER_BYTES)) break;
    found.push(size);
    if (left < 0) break;
  }
  if (found.length < items.length) cut.leftOut.add(`${shownPath(path)} after the first ${english.number(found.length)}`);
  const share = shareOf(found, budget - 2 - found.length);
  return found.map((size, index) => (size <= share ? items[index] : truncate(cut, items[index], { budget: share, path: `${path}[]` })));
}

function truncateObject(cut: Cut, value: object, { budget, path }: Part): Record<string, unknown> {
  const kept: { name: string; member: unknown; size: number }[] = [];
  let left = budget - 2;
  let names = 0;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  for (const [name, member] of members) {
    const overhead = textSize(name) + 2;
    const size = sizeOf(member, cut.sizes);
    left -= overhead + Math.min(size, MIN_MEMBER_BYTES);
    if (left < 0) break;
    names += overhead;
    kept.push({ name, member, size });
  }
  for (const [name] of members.slice(kept.length, kept.length + MAX_NAMED)) cut.leftOut.add(shownPath(within(path, name)));
  const share = shareOf(
    kept.map(({ size }) => size),
    budget - 2 - names,
  );
  return Object.fromEntries(
    kept.map(({ name, member, size }) => {
      return [name, size <= share ? member : truncate(cut, member, { budget: share, path: within(path, name) })];
    }),
  );
}

function within(path: string, name: string): string {
  const shown = NAME.test(name) ? name : '…';
  return path === '' ? shown : `${path}.${shown}`;
}

/** A path as a sentence names it. Deep ones are named by their end. */
function shownPath(path: string): string {
  if (path === '') return 'the result';
  const names = path.split('.');
  return `\`${names.length > 3 ? `….${names.slice(-3).join('.')}` : path}\``;
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
