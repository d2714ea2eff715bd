import { AppError } from '../../errors.ts';
import type { TextWindow } from '../shared/text-window.ts';
import { DocxGraphics } from './docx-graphics.ts';
import { DocxLists } from './docx-lists.ts';
import { DocxNotes, LineSink } from './docx-notes.ts';
import { DocxPackage, damaged, type Relationship } from './docx-package.ts';
import { type DocxContext, DocxReader } from './docx-reader.ts';
import { DocxStyles } from './docx-styles.ts';

/** Sections may have headers and footers of their own; more parts are not read. */
const MAX_MARGINS = 50;

/**
 * Adds the text of a Word document: headers, the body, the footnotes, endnotes and comments that it refers to, footers.
 *
 * @throws AppError `too_large`, or `unsupported_media_type` if it is damaged
 */
export function readDocx(bytes: Uint8Array, window: TextWindow): void {
  try {
    readParts(new DocxPackage(bytes), window);
  } catch (error) {
    throw error instanceof AppError ? error : damaged(error);
  }
}

function readParts(docx: DocxPackage, window: TextWindow): void {
  const main = docx.mainPart;
  const related = docx.relationshipsOf(main);
  const partOf = (type: string) => related.find((one) => one.type === type)?.target;
  const shared = {
    styles: new DocxStyles(docx, partOf('styles')),
    lists: new DocxLists(docx, partOf('numbering')),
    notes: new DocxNotes(),
  };
  const contextOf = (part: string): DocxContext => {
    const own = part === main ? related : docx.relationshipsOf(part);
    return { ...shared, links: linksIn(own), graphics: new DocxGraphics(docx, own) };
  };
  addMargins('header', docx, related, contextOf, window);
  if (!docx.read(main, new DocxReader(window, contextOf(main)))) throw damaged(`no ${main}`);
  if (window.isFull) return;
  for (const type of ['footnotes', 'endnotes', 'comments'] as const) {
    const part = partOf(type);
    const lines = part === undefined ? [] : shared.notes.lines(docx, type, part, contextOf(part));
    for (const line of lines) window.add(`${line}\n`);
  }
  addMargins('footer', docx, related, contextOf, window);
}

/** Those of the first page, of even pages and of sections may differ. */
function addMargins(
  type: 'header' | 'footer',
  docx: DocxPackage,
  related: readonly Relationship[],
  contextOf: (part: string) => DocxContext,
  window: TextWindow,
): void {
  const parts = related.filter((one) => one.type === type).slice(0, MAX_MARGINS);
  const lines = parts.map(({ target }) => {
    const sink = new LineSink();
    docx.read(target, new DocxReader(sink, contextOf(target)));
    return sink.line;
  });
  for (const line of new Set(lines)) if (line !== '') window.add(`[${type}] ${line}\n`);
}

function linksIn(related: readonly Relationship[]): ReadonlyMap<string, string> {
  return new Map(related.filter(({ type }) => type === 'hyperlink').map(({ id, target }) => [id, target]));
}
