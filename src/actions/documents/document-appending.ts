import { z } from 'zod';
import { isObject } from '../../validation/is-object.ts';

/** Where a tab's body ends. */
export interface TabEnd {
  /** Index of the last line break; UTF-16 units. */
  index: number;
  /** Whether the last line is empty, so that appended text starts there. */
  isEmpty: boolean;
  /** Whether it has no style of its own, which an appended text would take away. */
  isPlain: boolean;
}

const lastParagraph = z.object({ paragraph: z.object({ elements: z.unknown().array().max(1) }) });
const lineBreak = z.object({ textRun: z.object({ content: z.literal('\n') }) });
const plainLine = z.object({
  paragraph: z.object({
    bullet: z.undefined().optional(),
    paragraphStyle: z.strictObject({ namedStyleType: z.literal('NORMAL_TEXT').optional(), direction: z.string().optional() }).optional(),
    elements: z
      .object({ textRun: z.object({ textStyle: z.strictObject({}).optional() }) })
      .array()
      .max(1),
  }),
});

/**
 * What inserted text inherits from its neighbours, besides its direction, which is that of the document's language. Not
 * `*`: other fields are read-only.
 */
const INHERITED = [
  ...['namedStyleType', 'alignment', 'lineSpacing', 'spacingMode', 'spaceAbove', 'spaceBelow'],
  ...['indentStart', 'indentEnd', 'indentFirstLine', 'shading', 'keepLinesTogether', 'keepWithNext', 'avoidWidowAndOrphan'],
  ...['pageBreakBefore', 'borderBetween', 'borderTop', 'borderBottom', 'borderLeft', 'borderRight'],
].join(',');

/** @param content structural elements of a body, not checked */
export function endOfTab(content: readonly unknown[]): TabEnd {
  const last = content.at(-1);
  const line = lastParagraph.safeParse(last);
  return {
    index: Math.max(1, indexAfter(content, 1) - 1),
    isEmpty: last === undefined || (line.success && line.data.paragraph.elements.every((element) => lineBreak.safeParse(element).success)),
    isPlain: last === undefined || plainLine.safeParse(last).success,
  };
}

/**
 * Appends text as ordinary paragraphs. A line break comes first if the last line has text. Inserted text has the style of
 * the text before it, and new paragraphs that of the paragraph before them, lists included (InsertTextRequest), so both
 * are reset; paragraphs first, because removed bullets leave an indentation behind (DeleteParagraphBulletsRequest).
 */
export function appendRequests(tabId: string, { index, isEmpty }: TabEnd, text: string): object[] {
  const startIndex = isEmpty ? index : index + 1;
  // With the line break at the end of the tab, which is that of the last new paragraph.
  const range = { tabId, startIndex, endIndex: startIndex + text.length + 1 };
  return [
    { insertText: { text: isEmpty ? text : `\n${text}`, endOfSegmentLocation: { tabId } } },
    { deleteParagraphBullets: { range } },
    { updateParagraphStyle: { range, paragraphStyle: { namedStyleType: 'NORMAL_TEXT' }, fields: INHERITED } },
    { updateTextStyle: { range, textStyle: {}, fields: '*' } },
  ];
}

/** The index after the last element; what the response doesn't say is counted from `start`. */
function indexAfter(content: unknown, start: number): number {
  return listOf(content).reduce<number>((index, element) => {
    if (!isObject(element)) return index;
    return Number.isSafeInteger(element.endIndex) ? Number(element.endIndex) : index + lengthOf(element);
  }, start);
}

/** Of a paragraph or a table, whose start, end, rows and cells count as one unit each. */
function lengthOf({ paragraph, table }: Record<string, unknown>): number {
  if (isObject(paragraph)) return sum(paragraph.elements, ({ textRun }) => (isObject(textRun) ? String(textRun.content).length : 1));
  if (!isObject(table)) return 0;
  return 2 + sum(table.tableRows, (row) => 1 + sum(row.tableCells, (cell) => 1 + indexAfter(cell.content, 0)));
}

function sum(items: unknown, of: (item: Record<string, unknown>) => number): number {
  return listOf(items).reduce<number>((total, item) => total + (isObject(item) ? of(item) : 0), 0);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
