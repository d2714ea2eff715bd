import { responseReader } from '../../providers/transport/responses.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { NATIVE } from '../drive/drive-file.ts';
import { explainKind } from '../drive/wrong-kind.ts';
import { jsonBytes } from '../shared/fitting.ts';
import { type PartLimit, partLimit, textPart } from '../shared/text-part.ts';
import { endOfTab, type TabEnd } from './document-appending.ts';
import { tabMarkdown } from './document-markdown.ts';
import { effectOn, type Replacement, type ReplacementEffect } from './document-replacing.ts';
import { chooseTab, documentLink, type OpenDocument, type OpenTab, toDocument } from './document-response.ts';

/** Longer texts are searched off the main thread: text of others can make it slow; UTF-16 units. */
const LONG_SEARCH = 200;

/** Less of a tab is left to the next result. */
const LEAST_BYTES = 500;

export const DOCUMENT = `${NATIVE}document`;

/** The provider nests tabs three levels deep at most. */
const TAB_LEVELS = 3;
/** The fields of a document that are read. */
const READ_FIELDS = fieldsWith('body(content),lists,headers,footers,footnotes,inlineObjects,positionedObjects');
/** A replacement also affects headers, footers and footnotes. */
const EDIT_FIELDS = fieldsWith('body(content),headers,footers,footnotes');

/** A document without its content, as needed for an edit. */
export interface EditableDocument extends Omit<OpenDocument, 'tabs'> {
  tabs: EditableTab[];
}

export interface EditableTab extends Pick<OpenTab, 'id' | 'title'>, ReplacementEffect {
  end: TabEnd;
}

/** Of no effect. */
export const NOTHING: Replacement = { find: '', replace: '' };

interface Part {
  /** Id or title of one tab; undefined = all, as far as they fit. */
  tab: string | undefined;
  /** Where to begin in the first tab. */
  start: number;
  /** The largest result. */
  capBytes: number;
}

/** The texts of one result, tab by tab. */
export const documentPart = responseReader(import.meta.url, 'documentPart', (response, { tab, start, capBytes }: Part) => {
  const { id, title, tabs } = toDocument(response);
  const outline = tabs.map((one) => ({ id: one.id, title: one.title, parent: one.parent, text: '' }));
  const limit = partLimit(capBytes, { id, title, tabs: outline, link: documentLink(id), next_tab: '', next_offset: 0 });
  const { texts, next } = readTabs(tab === undefined ? tabs : [chooseTab(tabs, tab)], start, limit);
  const shown = outline.map((one) => ({ ...one, text: texts.get(one.id) }));
  return { id, title, tabs: shown, ...next };
});

/** The document as needed for an edit, and what a replacement would do to each tab. */
export const documentTabs = responseReader(
  import.meta.url,
  'documentTabs',
  (response, replacement: Replacement): EditableDocument => {
    const { tabs, ...document } = toDocument(response);
    const outline = (tab: OpenTab): EditableTab => {
      const effect = effectOn([tab.content, tab.headers, tab.footers, tab.footnotes], replacement);
      return { id: tab.id, title: tab.title, end: endOfTab(tab.content), ...effect };
    };
    return { ...document, tabs: tabs.map(outline) };
  },
  ({ find, replace }) => find.length + replace.length > LONG_SEARCH,
);

/** Reads a part of a document, without suggested changes. */
export function readDocument(session: WorkspaceSession, documentId: string, part: Part) {
  return session
    .call('docs.documents.get', paramsOf(documentId, 'PREVIEW_WITHOUT_SUGGESTIONS', READ_FIELDS), documentPart, part)
    .catch((error) => explainKind(error, session, documentId, DOCUMENT));
}

/** Opens a document for an edit, with suggested changes, because positions count them. */
export function openDocument(session: WorkspaceSession, documentId: string, replacement = NOTHING): Promise<EditableDocument> {
  return session
    .call('docs.documents.get', paramsOf(documentId, 'DEFAULT_FOR_CURRENT_ACCESS', EDIT_FIELDS), documentTabs, replacement)
    .catch((error) => explainKind(error, session, documentId, DOCUMENT));
}

function paramsOf(documentId: string, suggestionsViewMode: string, fields: string) {
  return { documentId, includeTabsContent: true, suggestionsViewMode, fields };
}

/**
 * Names every level: the provider refuses a mask that selects a whole tab, whose comments it returns only in another view.
 *
 * @param parts of each tab
 */
function fieldsWith(parts: string): string {
  const tab = `tabProperties(tabId,title),documentTab(${parts})`;
  const nested = (levels: number): string => (levels === 1 ? tab : `${tab},childTabs(${nested(levels - 1)})`);
  return `documentId,title,revisionId,tabs(${nested(TAB_LEVELS)})`;
}

/** Reads tabs in order until the result is full. `start` applies to the first tab. */
function readTabs(tabs: readonly OpenTab[], start: number, limit: PartLimit) {
  const texts = new Map<string, string>();
  let { units, bytes } = limit;
  let from = start;
  for (const tab of tabs) {
    if (texts.size > 0 && (units <= 0 || bytes < LEAST_BYTES)) return { texts, next: { next_tab: tab.id, next_offset: 0 } };
    const { text: part, next_offset } = textPart(tabMarkdown(tab), from, { units, bytes });
    texts.set(tab.id, part);
    if (next_offset !== undefined) return { texts, next: { next_tab: tab.id, next_offset } };
    units -= part.length;
    bytes -= jsonBytes(part);
    from = 0;
  }
  return { texts, next: {} };
}
