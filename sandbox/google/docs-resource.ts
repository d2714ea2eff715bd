import {
  type DocBlock,
  type DocObject,
  type DocParagraph,
  type DocRun,
  type DocTab,
  endOf,
  placesOf,
  type StoredDocument,
  segmentsOf,
  textOf,
} from './docs-model.ts';

const LISTS = {
  bullets: { id: 'kix.bullets', levels: ['●', '○', '■'].map((glyphSymbol, level) => ({ glyphSymbol, glyphFormat: `%${level}` })) },
  numbers: {
    id: 'kix.numbers',
    levels: ['DECIMAL', 'ALPHA', 'ROMAN'].map((glyphType, level) => ({ glyphType, glyphFormat: `%${level}.`, startNumber: 1 })),
  },
};

/** A document in a response: with all its tabs, or with the first one's body as before tabs were introduced. */
export function documentResource(document: StoredDocument, withTabs: boolean, suggestionsViewMode = 'SUGGESTIONS_INLINE'): object {
  const shared = {
    documentId: document.id,
    title: document.title,
    revisionId: revisionOf(document),
    suggestionsViewMode,
  };
  const [first] = document.tabs;
  if (withTabs || first === undefined) return { ...shared, tabs: document.tabs.map((tab, index) => tabResource(tab, index, undefined)) };
  return { ...shared, ...contentOf(first) };
}

/** Compared with `writeControl.requiredRevisionId`. */
export function revisionOf(document: StoredDocument): string {
  return `ALm37B${Buffer.from(`${document.id}:${document.revision}`).toString('base64url')}`;
}

function tabResource(tab: DocTab, index: number, parent: DocTab | undefined): object {
  return {
    tabProperties: { tabId: tab.id, title: tab.title, index, ...(parent !== undefined && { parentTabId: parent.id, nestingLevel: 1 }) },
    documentTab: contentOf(tab),
    ...(tab.children.length > 0 && { childTabs: tab.children.map((child, at) => tabResource(child, at, tab)) }),
  };
}

function contentOf(tab: DocTab): object {
  const lists = Object.fromEntries(Object.values(LISTS).map(({ id, levels }) => [id, { listProperties: { nestingLevels: levels } }]));
  const opening = { endIndex: 1, sectionBreak: { sectionStyle: { sectionType: 'CONTINUOUS' } } };
  return {
    body: { content: [opening, ...contentResource(tab.blocks, 1)] },
    ...{ documentStyle: {}, namedStyles: { styles: [] }, lists },
    ...segmentResources('headers', 'headerId', tab.headers),
    ...segmentResources('footers', 'footerId', tab.footers),
    ...segmentResources('footnotes', 'footnoteId', tab.footnotes),
    ...inlineObjects(tab),
  };
}

/** Their indexes begin at zero. */
function segmentResources(name: string, idName: string, segments: Record<string, DocBlock[]> = {}): object {
  const resources = Object.entries(segments).map(([id, blocks]) => [id, { [idName]: id, content: contentResource(blocks, 0) }]);
  return resources.length === 0 ? {} : { [name]: Object.fromEntries(resources) };
}

function inlineObjects(tab: DocTab): object {
  const objects = segmentsOf(tab)
    .flatMap((blocks) => [...placesOf(blocks)])
    .flatMap(({ paragraph }) => paragraph.runs.flatMap(({ object }) => (object?.kind === 'image' ? [object] : [])))
    .map(({ id, title, description }) => {
      const embeddedObject = { ...(title && { title }), ...(description && { description }), imageProperties: {} };
      return [id, { objectId: id, inlineObjectProperties: { embeddedObject } }];
    });
  return objects.length === 0 ? {} : { inlineObjects: Object.fromEntries(objects) };
}

function contentResource(blocks: DocBlock[], start: number): object[] {
  let startIndex = start;
  return blocks.map((block) => {
    const endIndex = endOf([block], startIndex);
    const element = { startIndex, endIndex, ...blockResource(block, startIndex) };
    startIndex = endIndex;
    return element;
  });
}

function blockResource(block: DocBlock, start: number): object {
  switch (block.kind) {
    case 'paragraph':
      return { paragraph: paragraphResource(block, start) };
    case 'table':
      return { table: tableResource(block.rows, start) };
    case 'contents':
      return { tableOfContents: { content: contentResource(block.blocks, start + 1) } };
    default:
      return { sectionBreak: { sectionStyle: { sectionType: 'NEXT_PAGE' } } };
  }
}

function tableResource(rows: DocBlock[][][], start: number): object {
  let index = start + 1;
  const tableRows = rows.map((row) => {
    const rowStart = index;
    index += 1;
    const tableCells = row.map((cell) => {
      const startIndex = index;
      index = endOf(cell, startIndex + 1);
      return { startIndex, endIndex: index, content: contentResource(cell, startIndex + 1), tableCellStyle: {} };
    });
    return { startIndex: rowStart, endIndex: index, tableCells, tableRowStyle: {} };
  });
  return { rows: rows.length, columns: rows[0]?.length ?? 0, tableRows };
}

function paragraphResource(paragraph: DocParagraph, start: number): object {
  const { bullet, style, layout } = paragraph;
  return {
    elements: elementsOf(paragraph, start),
    paragraphStyle: { namedStyleType: style, direction: 'LEFT_TO_RIGHT', ...layout },
    ...(bullet !== undefined && {
      // The provider's responses leave out zero.
      bullet: { listId: LISTS[bullet.list].id, ...(bullet.level > 0 && { nestingLevel: bullet.level }), textStyle: {} },
    }),
  };
}

function elementsOf(paragraph: DocParagraph, start: number): object[] {
  const last = paragraph.runs.at(-1);
  const endsInText = last !== undefined && last.object === undefined;
  const runs = endsInText
    ? [...paragraph.runs.slice(0, -1), { ...last, text: `${last.text}\n` }]
    : [...paragraph.runs, { text: '\n', style: {} }];
  let startIndex = start;
  const elements = runs.map((run) => {
    const endIndex = startIndex + run.text.length;
    const element = { startIndex, endIndex, ...elementPart(run) };
    startIndex = endIndex;
    return element;
  });
  // Checks the two ways of counting against each other.
  if (startIndex !== start + textOf(paragraph).length + 1) throw new Error('a paragraph’s runs don’t add up');
  return elements;
}

function elementPart({ text, style, object }: DocRun): object {
  if (object !== undefined) return objectPart(object);
  const { link, ...plain } = style;
  const set = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== false));
  return { textRun: { content: text, textStyle: { ...set, ...(link !== undefined && { link: { url: link }, underline: true }) } } };
}

function objectPart(object: DocObject): object {
  const { kind, ...properties } = object;
  switch (object.kind) {
    case 'person':
      return { person: { personId: 'kix.person', personProperties: properties } };
    case 'date':
      return { dateElement: { dateId: 'kix.date', dateElementProperties: properties } };
    case 'dropdown':
      return { dropdown: { dropdownId: 'kix.dropdown', dropdownProperties: properties } };
    case 'footnote':
      return { footnoteReference: { footnoteId: object.id, footnoteNumber: object.number } };
    case 'image':
      return { inlineObjectElement: { inlineObjectId: object.id } };
    case 'rich link':
      return { richLink: { richLinkId: 'kix.link', richLinkProperties: properties, textStyle: {} } };
    case 'equation':
      return { equation: {} };
    case 'page break':
      return { pageBreak: { textStyle: {} } };
    case 'column break':
      return { columnBreak: { textStyle: {} } };
    case 'page number':
      return { autoText: { type: 'PAGE_NUMBER' } };
    default:
      return { horizontalRule: {} };
  }
}
