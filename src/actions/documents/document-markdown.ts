import { z } from 'zod';
import { unreadableResponse } from '../../providers/transport/response-json.ts';
import { list, unchecked } from '../../providers/transport/response-list.ts';
import { multiLine, nameObjects } from '../shared/display-text.ts';
import { DocumentReferences } from './document-references.ts';
import type { OpenTab, Segments } from './document-response.ts';
import { elementsMarkdown, paragraphElement } from './document-spans.ts';

/** Depth of nested tables; real documents have less. */
const MAX_DEPTH = 8;

const paragraph = z.object({
  elements: list(paragraphElement).default([]),
  paragraphStyle: z.object({ namedStyleType: z.string().max(50).optional() }).optional(),
  positionedObjectIds: list(z.string()).default([]),
  bullet: z.object({ listId: z.string().max(255).default(''), nestingLevel: z.int().min(0).max(20).default(0) }).optional(),
});
type Paragraph = z.output<typeof paragraph>;

const table = z.object({
  tableRows: list(z.object({ tableCells: list(z.object({ content: unchecked.default([]) })).default([]) })).default([]),
});
type Table = z.output<typeof table>;

/** Section breaks and tables of contents are dropped: they have no content of their own. */
const structuralElement = z.object({ paragraph: paragraph.optional(), table: table.optional() });

const clean = multiLine;

/**
 * A tab as Markdown: headings, lists, links, tables, bold and italic; headers above the body, footnotes and footers below.
 * Text is not escaped, so that documents.replace finds it as it was read.
 *
 * @throws AppError `provider_error` for an element that doesn't match the provider's documentation
 */
export function tabMarkdown(tab: OpenTab): string {
  const references = new DocumentReferences(tab);
  const text = [
    ...marginLines('[header]', tab.headers, references),
    blocksMarkdown(tab.content, references, 0),
    ...noteLines(tab.footnotes, references),
    ...marginLines('[footer]', tab.footers, references),
  ];
  const cleaned = clean.parse(text.filter((part) => part !== '').join('\n\n'));
  return nameObjects(cleaned).trim();
}

/** Headers or footers: those of the first page, of even pages and of sections may differ. */
function marginLines(label: string, segments: Segments, references: DocumentReferences): string[] {
  const texts = Object.values(segments).map(({ content }) => oneLine(content, references, 0));
  return [...new Set(texts)].filter((text) => text !== '').map((text) => `${label} ${text}`);
}

/** The footnotes that the body refers to. */
function noteLines(footnotes: Segments, references: DocumentReferences): string[] {
  return references.cited.flatMap(([id, mark]) => {
    const note = Object.hasOwn(footnotes, id) ? footnotes[id] : undefined;
    return note === undefined ? [] : [`${mark}: ${oneLine(note.content, references, 0)}`];
  });
}

function blocksMarkdown(content: readonly unknown[], references: DocumentReferences, depth: number): string {
  if (depth > MAX_DEPTH) throw unreadableResponse('tables too deep');
  let text = '';
  let before: 'item' | 'other' = 'other';
  for (const element of content) {
    const parsed = structuralElement.safeParse(element);
    if (!parsed.success) throw unreadableResponse(parsed.error.issues[0]?.path.join('.') ?? 'element');
    const block = parsed.data;
    const line = block.paragraph
      ? paragraphMarkdown(block.paragraph, references)
      : block.table
        ? tableMarkdown(block.table, references, depth)
        : '';
    if (line.trim() === '') continue;
    const kind = block.paragraph?.bullet === undefined ? 'other' : 'item';
    // Items of a list are consecutive lines; other blocks are separated by an empty line.
    if (text !== '') text += before === 'item' && kind === 'item' ? '\n' : '\n\n';
    text += line;
    before = kind;
  }
  return text;
}

function paragraphMarkdown({ elements, paragraphStyle, positionedObjectIds, bullet }: Paragraph, references: DocumentReferences): string {
  // Numbers count also for items without text.
  const mark = bullet && references.numbering.next(bullet.listId, bullet.nestingLevel);
  const heading = headingLevel(paragraphStyle?.namedStyleType);
  // Headings need no bold marks.
  const positioned = positionedObjectIds.map((id) => references.describe(id));
  const text = [elementsMarkdown(elements, references, heading > 0).trim(), ...positioned].join(' ').trim();
  if (text === '') return '';
  if (bullet !== undefined) return `${'  '.repeat(bullet.nestingLevel)}${mark} ${text}`;
  return heading > 0 ? `${'#'.repeat(heading)} ${linesOf(text).join(' ')}` : text;
}

function headingLevel(style = ''): number {
  if (style === 'TITLE') return 1;
  if (style === 'SUBTITLE') return 2;
  return Number(/^HEADING_([1-6])$/.exec(style)?.[1] ?? 0);
}

/** Short rows are not padded: a few bytes of a hostile response could become gigabytes. */
function tableMarkdown({ tableRows }: Table, references: DocumentReferences, depth: number): string {
  const rows = tableRows.map(({ tableCells }) => tableCells.map(({ content }) => cellMarkdown(content, references, depth)));
  const [head = [], ...others] = rows;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...others.map(line)].join('\n');
}

/** A cell on one line, with escaped bars. */
function cellMarkdown(content: readonly unknown[], references: DocumentReferences, depth: number): string {
  return oneLine(content, references, depth + 1).replaceAll('|', '\\|');
}

function oneLine(content: readonly unknown[], references: DocumentReferences, depth: number): string {
  return linesOf(blocksMarkdown(content, references, depth)).join('<br>');
}

/** Lines that aren't empty, whichever character breaks them. */
function linesOf(text: string): string[] {
  const lines = clean.parse(text).split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}
