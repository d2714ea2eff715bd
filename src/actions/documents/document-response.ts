import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { unreadableResponse } from '../../providers/transport/response-json.ts';
import { list, record, unchecked } from '../../providers/transport/response-list.ts';
import { checked } from '../../providers/transport/responses.ts';
import { singleLine } from '../shared/display-text.ts';

/** The provider nests tabs three levels deep at most. */
const MAX_TAB_DEPTH = 10;
const MAX_TABS = 500;

const tabId = z.string().regex(/^[\w.:-]{1,255}$/);
const glyph = z.object({
  glyphType: z.string().max(50).optional(),
  glyphSymbol: z.string().max(50).optional(),
  glyphFormat: singleLine.optional(),
  startNumber: z.int().optional(),
});

/** The levels of lists, by list id. */
const lists = record(z.object({ listProperties: z.object({ nestingLevels: list(glyph, 50).default([]) }).default({ nestingLevels: [] }) }));
export type DocumentLists = z.output<typeof lists>;

const embeddedObject = z.object({
  title: singleLine.optional(),
  description: singleLine.optional(),
  embeddedDrawingProperties: z.object({}).optional(),
  linkedContentReference: z.object({ sheetsChartReference: z.object({}).optional() }).optional(),
});
export type EmbeddedObject = z.output<typeof embeddedObject>;

const embedded = z.object({ embeddedObject: embeddedObject.default({}) }).default({ embeddedObject: {} });
/** Headers, footers or footnotes, by their ids; their structural elements are not checked. */
const segments = record(z.object({ content: unchecked.default([]) }));
export type Segments = z.output<typeof segments>;

const tabResponse = z.object({
  tabProperties: z.object({ tabId, title: singleLine.default('') }),
  documentTab: z
    .object({
      body: z.object({ content: unchecked.default([]) }).default({ content: [] }),
      lists: lists.default({}),
      headers: segments.default({}),
      footers: segments.default({}),
      footnotes: segments.default({}),
      inlineObjects: record(z.object({ inlineObjectProperties: embedded })).default({}),
      positionedObjects: record(z.object({ positionedObjectProperties: embedded })).default({}),
    })
    .prefault({}),
  childTabs: unchecked.default([]),
});

const documentResponse = z.object({
  documentId: z.string().regex(/^[\w-]{1,255}$/),
  title: singleLine.default(''),
  revisionId: z.string().max(2_000).optional(),
  tabs: unchecked,
});

export interface OpenTab {
  id: string;
  title: string;
  /** Id of the parent tab. */
  parent: string | undefined;
  /** Structural elements, not yet checked. */
  content: readonly unknown[];
  lists: DocumentLists;
  headers: Segments;
  footers: Segments;
  footnotes: Segments;
  /** Images and the like, by object id. */
  objects: Record<string, EmbeddedObject>;
}

export interface OpenDocument {
  id: string;
  title: string;
  /** Absent if the account has no write access. */
  revision: string | undefined;
  /** In reading order, child tabs after their parent; never empty. */
  tabs: OpenTab[];
}

/** @throws AppError `provider_error` for an invalid response */
export function toDocument(response: unknown): OpenDocument {
  const { documentId: id, title, revisionId: revision, tabs } = checked(documentResponse, response);
  const found = flatten(tabs);
  if (found.length === 0) throw unreadableResponse('no tab');
  return { id, title, revision, tabs: found };
}

/**
 * A tab by its id or its unique title.
 *
 * @param wanted undefined: the first
 * @throws AppError `invalid_request` with `details.choices` if there is no such tab
 */
export function chooseTab<Tab extends Pick<OpenTab, 'id' | 'title'>>(tabs: readonly Tab[], wanted: string | undefined): Tab {
  const byTitle = tabs.filter((tab) => tab.title === wanted);
  const named = tabs.find(({ id }) => id === wanted) ?? (byTitle.length === 1 ? byTitle[0] : undefined);
  const tab = wanted === undefined ? tabs[0] : named;
  if (tab !== undefined) return tab;
  const choices = tabs.map(({ id, title }) => ({ id, title }));
  throw new AppError('invalid_request', 'tab: the document has no such tab, or several with this title.', { details: { choices } });
}

export function documentLink(id: string): string {
  return `https://docs.google.com/document/d/${id}/edit`;
}

/** In reading order. */
function flatten(tabs: readonly unknown[]): OpenTab[] {
  const found: OpenTab[] = [];
  const open = (tab: unknown, parent: string | undefined, depth: number) => {
    if (depth > MAX_TAB_DEPTH || found.length === MAX_TABS) throw unreadableResponse('too many tabs');
    const { tabProperties, documentTab, childTabs } = checked(tabResponse, tab);
    const { tabId: id, title } = tabProperties;
    const { body, inlineObjects, positionedObjects, ...parts } = documentTab;
    const objects = Object.fromEntries([
      ...Object.entries(inlineObjects).map(([object, { inlineObjectProperties: of }]) => [object, of.embeddedObject]),
      ...Object.entries(positionedObjects).map(([object, { positionedObjectProperties: of }]) => [object, of.embeddedObject]),
    ]);
    found.push({ id, title, parent, content: body.content, objects, ...parts });
    for (const child of childTabs) open(child, id, depth + 1);
  };
  for (const tab of tabs) open(tab, undefined, 0);
  return found;
}
