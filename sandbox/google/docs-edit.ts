import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../api-fault.ts';
import {
  type DocBlock,
  type DocParagraph,
  type DocPlace,
  type DocRun,
  type DocTab,
  type DocTextStyle,
  endOf,
  placesOf,
  textOf,
} from './docs-model.ts';

/** One UTF-16 unit of a paragraph. */
type Unit = DocRun;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what the provider strips from inserted text
const STRIPPED = /[\u0000-\u0008\u000c-\u001f\ue000-\uf8ff]/g;

/**
 * Inserts text into a paragraph. A line break splits the paragraph.
 *
 * @param style default: the style of the text before
 * @throws ApiFault when the index is in no paragraph or splits a surrogate pair
 */
export function insertText(tab: DocTab, index: number, text: string, style?: DocTextStyle): void {
  const place = placeAt(tab, index);
  const units = unitsOf(place.paragraph);
  const offset = index - place.start;
  rejectHalfPair(units, offset);
  const worn = style ?? units[offset - 1]?.style ?? units[offset]?.style ?? {};
  const added = unitsOfText(text.replaceAll('\r\n', '\n').replace(STRIPPED, ''), worn);
  const lines = splitLines([...units.slice(0, offset), ...added, ...units.slice(offset)]);
  const paragraphs = lines.map((line): DocParagraph => ({ ...place.paragraph, runs: runsOf(line) }));
  place.siblings.splice(place.at, 1, ...paragraphs);
}

/**
 * Deletes a range within the paragraphs of one body or cell.
 *
 * @throws ApiFault when it splits a surrogate pair, or includes the last line break or anything but paragraphs
 */
export function deleteRange(tab: DocTab, start: number, end: number): void {
  if (!(start < end)) throw invalid('Invalid deletion range. Range must not be empty.');
  const first = placeAt(tab, start);
  const last = placeAt(tab, end - 1);
  const between = first.siblings.slice(first.at, last.at + 1);
  if (first.siblings !== last.siblings || between.some((block) => block.kind !== 'paragraph')) {
    throw invalid('Invalid deletion range. Cannot delete the requested range.');
  }
  const head = unitsOf(first.paragraph);
  const tail = unitsOf(last.paragraph);
  rejectHalfPair(head, start - first.start);
  rejectHalfPair(tail, end - last.start);
  // The line break of the last paragraph is deleted, too, which joins the next paragraph.
  const following = end === last.end ? [paragraphAt(first.siblings, last.at + 1)] : [];
  const rest = following.length > 0 ? following.flatMap(unitsOf) : tail.slice(end - last.start);
  const merged = { ...first.paragraph, runs: runsOf([...head.slice(0, start - first.start), ...rest]) };
  first.siblings.splice(first.at, between.length + following.length, merged);
}

/** Replaces every match within a paragraph. @returns the number of matches */
export function replaceText(tab: DocTab, find: string, replacement: string, matchCase: boolean): number {
  const pattern = new RegExp(find.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), matchCase ? 'g' : 'gi');
  const matches = [...placesOf(tab.blocks)].flatMap(({ paragraph, start }) =>
    [...textOf(paragraph).matchAll(pattern)].map((match) => ({
      start: start + match.index,
      length: match[0].length,
      style: unitsOf(paragraph)[match.index]?.style ?? {},
    })),
  );
  // From last to first, so that replacements do not shift later ones.
  for (const match of matches.reverse()) {
    deleteRange(tab, match.start, match.start + match.length);
    if (replacement !== '') insertText(tab, match.start, replacement, match.style);
  }
  return matches.length;
}

/** Gives every unit of the range another style. */
export function restyleUnits(tab: DocTab, start: number, end: number, restyle: (style: DocTextStyle) => DocTextStyle): void {
  for (const place of rangeOf(tab, start, end)) {
    const units = unitsOf(place.paragraph).map((unit, offset) => {
      const index = place.start + offset;
      return index >= start && index < end ? { ...unit, style: restyle(unit.style) } : unit;
    });
    place.paragraph.runs = runsOf(units);
  }
}

/**
 * The paragraphs that overlap a range.
 *
 * @throws ApiFault for an empty range, or one beyond the tab's end
 */
export function rangeOf(tab: DocTab, start: number, end: number): DocPlace[] {
  if (!(start < end)) throw invalid('Invalid range. Range must not be empty.');
  const last = endOf(tab.blocks);
  if (end > last) throw invalid(`Index ${end} must be less than the end index of the referenced segment, ${last}.`);
  return [...placesOf(tab.blocks)].filter((place) => place.end > start && place.start < end);
}

function placeAt(tab: DocTab, index: number): DocPlace {
  for (const place of placesOf(tab.blocks)) if (index >= place.start && index < place.end) return place;
  throw invalid(`Index ${index} must be inside the bounds of an existing paragraph.`);
}

function paragraphAt(blocks: DocBlock[], at: number): DocParagraph {
  const block = blocks[at];
  if (block?.kind === 'paragraph') return block;
  throw invalid('Invalid deletion range. Cannot delete the newline character at the end of the segment.');
}

function rejectHalfPair(units: readonly Unit[], offset: number): void {
  const pair = (units[offset - 1]?.text ?? '') + (units[offset]?.text ?? '');
  if (/^[\ud800-\udbff][\udc00-\udfff]$/.test(pair)) throw invalid('The index is inside of a surrogate pair.');
}

function unitsOf(paragraph: DocParagraph): Unit[] {
  return paragraph.runs.flatMap((run) => (run.object === undefined ? unitsOfText(run.text, run.style) : [run]));
}

function unitsOfText(text: string, style: DocTextStyle): Unit[] {
  return text.split('').map((unit) => ({ text: unit, style }));
}

function splitLines(units: readonly Unit[]): Unit[][] {
  const lines: Unit[][] = [[]];
  for (const unit of units) {
    if (unit.text === '\n') lines.push([]);
    else lines.at(-1)?.push(unit);
  }
  return lines;
}

function runsOf(units: readonly Unit[]): DocRun[] {
  const runs: DocRun[] = [];
  for (const unit of units) {
    const last = runs.at(-1);
    const joins = last !== undefined && last.object === undefined && unit.object === undefined && isSame(last.style, unit.style);
    if (joins) last.text += unit.text;
    else runs.push({ ...unit });
  }
  return runs;
}

function isSame(one: DocTextStyle, other: DocTextStyle): boolean {
  return isDeepStrictEqual(one, other);
}
