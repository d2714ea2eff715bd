/** What a document holds, as far as the sandbox edits it. Lengths and indexes are UTF-16 units, as the provider counts. */
export interface StoredDocument {
  id: string;
  title: string;
  revision: number;
  tabs: DocTab[];
}

export interface DocTab {
  id: string;
  title: string;
  blocks: DocBlock[];
  children: DocTab[];
}

export type DocBlock = DocParagraph | DocTable;

export interface DocParagraph {
  kind: 'paragraph';
  style: ParagraphStyle;
  bullet?: { list: ListKind; level: number };
  /** Without the line break that ends the paragraph. */
  runs: DocRun[];
}

export interface DocTable {
  kind: 'table';
  /** Rows of cells of blocks. */
  rows: DocBlock[][][];
}

export type ParagraphStyle = 'NORMAL_TEXT' | 'TITLE' | 'SUBTITLE' | 'HEADING_1' | 'HEADING_2' | 'HEADING_3';
export type ListKind = 'bullets' | 'numbers';

export interface DocRun {
  /** Of an object: one unit, {@link OBJECT}. */
  text: string;
  style: DocTextStyle;
  object?: DocObject;
}

export interface DocTextStyle {
  bold?: boolean;
  italic?: boolean;
  strikethrough?: boolean;
  /** Address of a link. */
  link?: string;
}

export type DocObject = { kind: 'person'; name: string; email: string } | { kind: 'image' } | { kind: 'rule' };

/** Stands for an object that is not text, as in the provider's plain text. */
export const OBJECT = '\ue907';

/** A paragraph where it stands. */
export interface DocPlace {
  paragraph: DocParagraph;
  /** Index of its first unit. */
  start: number;
  /** Behind its line break. */
  end: number;
  /** The blocks it is one of (the body's, or a cell's), and which. */
  siblings: DocBlock[];
  at: number;
}

/** Every paragraph, those in tables too, in order; returns the index behind the last block. */
export function* placesOf(blocks: DocBlock[], start = 1): Generator<DocPlace, number> {
  let index = start;
  for (const [at, block] of blocks.entries()) {
    if (block.kind === 'paragraph') {
      const end = index + textOf(block).length + 1;
      yield { paragraph: block, start: index, end, siblings: blocks, at };
      index = end;
      continue;
    }
    // A table, each row and each cell take one unit at their start, and the table one at its end.
    index += 1;
    for (const row of block.rows) {
      index += 1;
      for (const cell of row) index = yield* placesOf(cell, index + 1);
    }
    index += 1;
  }
  return index;
}

/** The index behind the last block. */
export function endOf(blocks: DocBlock[], start = 1): number {
  const places = placesOf(blocks, start);
  for (;;) {
    const next = places.next();
    if (next.done === true) return next.value;
  }
}

export function textOf(paragraph: DocParagraph): string {
  return paragraph.runs.map((run) => run.text).join('');
}

/** Tabs with their child tabs, in reading order. */
export function allTabs(tabs: readonly DocTab[]): DocTab[] {
  return tabs.flatMap((tab) => [tab, ...allTabs(tab.children)]);
}

/** Plain text of a document: what search finds and a text export holds. */
export function plainText(document: StoredDocument): string {
  return allTabs(document.tabs)
    .flatMap((tab) => [...placesOf(tab.blocks)].map(({ paragraph }) => textOf(paragraph).replaceAll(OBJECT, '')))
    .join('\n');
}
