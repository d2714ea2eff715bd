/** The editable content of a document. Lengths and indexes are UTF-16 units, as in the provider's API. */
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
  /** On each page; by id. */
  headers?: Record<string, DocBlock[]>;
  footers?: Record<string, DocBlock[]>;
  footnotes?: Record<string, DocBlock[]>;
  children: DocTab[];
}

export type DocBlock = DocParagraph | DocTable | DocSection | DocContents;

export interface DocParagraph {
  kind: 'paragraph';
  style: ParagraphStyle;
  bullet?: { list: ListKind; level: number };
  /** Other fields of the provider's ParagraphStyle. */
  layout?: Record<string, unknown>;
  /** Without the final line break. */
  runs: DocRun[];
}

export interface DocTable {
  kind: 'table';
  /** Rows of cells of blocks. */
  rows: DocBlock[][][];
}

/** The break before a further section. */
export interface DocSection {
  kind: 'section';
}

/** A table of contents: its lines are paragraphs. */
export interface DocContents {
  kind: 'contents';
  blocks: DocBlock[];
}

export type ParagraphStyle = 'NORMAL_TEXT' | 'TITLE' | 'SUBTITLE' | 'HEADING_1' | 'HEADING_2' | 'HEADING_3';
export type ListKind = 'bullets' | 'numbers';

export interface DocRun {
  /** For an object: {@link OBJECT}, one unit. */
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
  /** As in the provider's TextStyle. */
  foregroundColor?: Record<string, unknown>;
}

export type DocObject =
  | { kind: 'person'; name: string; email: string }
  | { kind: 'image'; id: string; title?: string; description?: string }
  | { kind: 'date'; displayText: string; timestamp: string }
  | { kind: 'dropdown'; displayValue: string }
  | { kind: 'footnote'; id: string; number: string }
  | { kind: 'rich link'; title: string; uri: string; mimeType?: string }
  | { kind: 'equation' | 'page break' | 'column break' }
  | { kind: 'page number' }
  | { kind: 'rule' };

/** Represents an object that is not text, as in the provider's plain text. */
export const OBJECT = '\ue907';

/** A paragraph and its position. */
export interface DocPlace {
  paragraph: DocParagraph;
  /** Index of its first unit. */
  start: number;
  /** Index after its line break. */
  end: number;
  /** The list of blocks that contains it (of the body or a cell), and its index there. */
  siblings: DocBlock[];
  at: number;
}

/** Visits every paragraph in order, including those in tables. @returns the index after the last block */
export function* placesOf(blocks: DocBlock[], start = 1): Generator<DocPlace, number> {
  let index = start;
  for (const [at, block] of blocks.entries()) {
    if (block.kind === 'paragraph') {
      const end = index + textOf(block).length + 1;
      yield { paragraph: block, start: index, end, siblings: blocks, at };
      index = end;
      continue;
    }
    if (block.kind === 'section') {
      index += 1;
      continue;
    }
    // As a table does, it starts and ends with one unit.
    if (block.kind === 'contents') {
      index = (yield* placesOf(block.blocks, index + 1)) + 1;
      continue;
    }
    // A table, each row and each cell start with one unit, and a table ends with one.
    index += 1;
    for (const row of block.rows) {
      index += 1;
      for (const cell of row) index = yield* placesOf(cell, index + 1);
    }
    index += 1;
  }
  return index;
}

/** The index after the last block. */
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

/** All blocks of a tab: those of its body, then those of headers, footers and footnotes. */
export function segmentsOf({ blocks, headers = {}, footers = {}, footnotes = {} }: DocTab): DocBlock[][] {
  return [blocks, ...Object.values(headers), ...Object.values(footers), ...Object.values(footnotes)];
}

/** Plain text of a document, for searches and text exports. */
export function plainText(document: StoredDocument): string {
  return allTabs(document.tabs)
    .flatMap((tab) => [...placesOf(tab.blocks)].map(({ paragraph }) => textOf(paragraph).replaceAll(OBJECT, '')))
    .join('\n');
}
