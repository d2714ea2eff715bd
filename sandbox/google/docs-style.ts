import { z } from 'zod';
import { invalid } from '../api-fault.ts';
import { rangeOf, restyleUnits } from './docs-edit.ts';
import type { DocParagraph, DocTab, DocTextStyle, ParagraphStyle } from './docs-model.ts';

/** Fields of TextStyle, and whether the emulator keeps them. */
const TEXT_FIELDS: Record<string, boolean> = {
  ...{ bold: true, italic: true, strikethrough: true, link: true, foregroundColor: true },
  ...{ underline: false, smallCaps: false, backgroundColor: false, baselineOffset: false, fontSize: false, weightedFontFamily: false },
};
/** Fields of ParagraphStyle; headingId and tabStops are read-only. */
const PARAGRAPH_FIELDS = [
  ...['namedStyleType', 'alignment', 'direction', 'lineSpacing', 'spacingMode', 'spaceAbove', 'spaceBelow', 'indentStart', 'indentEnd'],
  ...['indentFirstLine', 'keepLinesTogether', 'keepWithNext', 'avoidWidowAndOrphan', 'pageBreakBefore', 'shading'],
  ...['borderBetween', 'borderTop', 'borderBottom', 'borderLeft', 'borderRight'],
];

export const textStyle = z.strictObject({
  bold: z.boolean().optional(),
  italic: z.boolean().optional(),
  strikethrough: z.boolean().optional(),
  link: z.object({ url: z.string() }).optional(),
  foregroundColor: z.record(z.string(), z.unknown()).optional(),
});
export const paragraphStyle = z
  .looseObject({ namedStyleType: z.enum(['NORMAL_TEXT', 'TITLE', 'SUBTITLE', 'HEADING_1', 'HEADING_2', 'HEADING_3']).optional() })
  .refine((style) => Object.keys(style).every((name) => PARAGRAPH_FIELDS.includes(name)));

/** A list's indentation for each level; points. */
const LEVEL_INDENT = 36;

export interface StyleRange {
  startIndex: number;
  endIndex: number;
}

/** UpdateTextStyleRequest: a field of the mask that the style leaves out is reset. */
export function updateTextStyle(tab: DocTab, range: StyleRange, style: z.output<typeof textStyle>, fields: string): void {
  const wanted: Record<string, unknown> = { ...style, link: style.link?.url };
  const names = fieldsOf(fields, Object.keys(TEXT_FIELDS)).filter((name) => TEXT_FIELDS[name]);
  restyleUnits(tab, range.startIndex, range.endIndex, (old) => changed<DocTextStyle>(old, wanted, names));
}

/** UpdateParagraphStyleRequest: the same for paragraphs that overlap the range. */
export function updateParagraphStyle(tab: DocTab, range: StyleRange, style: z.output<typeof paragraphStyle>, fields: string): void {
  const names = fieldsOf(fields, PARAGRAPH_FIELDS);
  for (const paragraph of paragraphsIn(tab, range)) {
    if (names.includes('namedStyleType')) paragraph.style = (style.namedStyleType ?? 'NORMAL_TEXT') satisfies ParagraphStyle;
    setLayout(paragraph, style, names);
  }
}

/** DeleteParagraphBulletsRequest: the nesting level stays visible as an indentation. */
export function deleteBullets(tab: DocTab, range: StyleRange): void {
  for (const paragraph of paragraphsIn(tab, range)) {
    if (paragraph.bullet === undefined) continue;
    const indent = { magnitude: LEVEL_INDENT * paragraph.bullet.level, unit: 'PT' };
    delete paragraph.bullet;
    if (indent.magnitude > 0) setLayout(paragraph, { indentStart: indent, indentFirstLine: indent }, ['indentStart', 'indentFirstLine']);
  }
}

function setLayout(paragraph: DocParagraph, style: Record<string, unknown>, names: readonly string[]): void {
  const layout = changed(
    paragraph.layout ?? {},
    style,
    names.filter((name) => name !== 'namedStyleType'),
  );
  if (Object.keys(layout).length > 0) paragraph.layout = layout;
  else delete paragraph.layout;
}

function paragraphsIn(tab: DocTab, { startIndex, endIndex }: StyleRange): DocParagraph[] {
  return rangeOf(tab, startIndex, endIndex).map(({ paragraph }) => paragraph);
}

function changed<Style extends object>(old: Style, wanted: Record<string, unknown>, names: readonly string[]): Style {
  const set = Object.fromEntries(names.map((name) => [name, wanted[name]]));
  return Object.fromEntries(Object.entries({ ...old, ...set }).filter(([, value]) => value !== undefined)) as Style;
}

/** The names in an update's mask. @throws ApiFault for none, or one that can't be updated */
function fieldsOf(mask: string, known: readonly string[]): readonly string[] {
  if (mask.trim() === '*') return known;
  const names = mask.split(',').map((name) => name.trim());
  if (mask.trim() === '') throw invalid("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  const other = names.find((name) => !known.includes(name));
  if (other !== undefined) throw invalid(`Invalid field: ${other}`);
  return names;
}
