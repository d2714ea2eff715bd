import { listNumber } from '../shared/list-numbers.ts';
import type { DocumentLists } from './document-response.ts';

/** GlyphType, and the same in the names of Word. */
const FORMATS: Partial<Record<string, string>> = {
  DECIMAL: 'decimal',
  ZERO_DECIMAL: 'decimalZero',
  ALPHA: 'lowerLetter',
  UPPER_ALPHA: 'upperLetter',
  ROMAN: 'lowerRoman',
  UPPER_ROMAN: 'upperRoman',
};
const MAX_FORMAT = 50;

type Level = DocumentLists[string]['listProperties']['nestingLevels'][number];

/** The marks of list items, counted in reading order (Docs API, NestingLevel): the provider names formats, not numbers. */
export class DocumentNumbering {
  readonly #lists: DocumentLists;
  /** The last number of each level, by list. */
  readonly #counts = new Map<string, (number | undefined)[]>();

  constructor(lists: DocumentLists) {
    this.#lists = lists;
  }

  /** The mark of the next item: `-`, or its number as in the document. @param nestingLevel counted from 0 */
  next(listId: string, nestingLevel: number): string {
    const levels = Object.hasOwn(this.#lists, listId) ? (this.#lists[listId]?.listProperties.nestingLevels ?? []) : [];
    const counts = this.#counts.get(listId) ?? [];
    this.#counts.set(listId, counts);
    counts[nestingLevel] = (counts[nestingLevel] ?? startOf(levels[nestingLevel]) - 1) + 1;
    // Deeper levels begin again.
    counts.length = nestingLevel + 1;
    const level = levels[nestingLevel];
    if (formatOf(level) === undefined) return '-';
    const format = (level?.glyphFormat ?? `%${nestingLevel}.`).slice(0, MAX_FORMAT);
    const mark = format.replace(/%(\d)/g, (_, at) => {
      const number = counts[Number(at)] ?? startOf(levels[Number(at)]);
      return listNumber(number, formatOf(levels[Number(at)]) ?? 'none');
    });
    return mark.trim() === '' ? '-' : mark.trim();
  }
}

/** undefined: not a number */
function formatOf(level: Level | undefined): string | undefined {
  return level?.glyphSymbol === undefined ? FORMATS[level?.glyphType ?? ''] : undefined;
}

/** Letters and Roman numbers begin with 1 even if the document says 0. */
function startOf(level: Level | undefined): number {
  const start = level?.startNumber ?? 1;
  return start === 0 && level?.glyphType?.includes('DECIMAL') !== true ? 1 : start;
}
