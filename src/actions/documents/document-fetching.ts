import { answerReader } from '../../providers/responses.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { NATIVE } from '../drive/drive-file.ts';
import { PART_UNITS, textPart } from '../drive/text-part.ts';
import { explainKind } from '../drive/wrong-kind.ts';
import { endsInEmptyLine, tabMarkdown } from './document-markdown.ts';
import { chooseTab, type OpenDocument, type OpenTab, toDocument } from './document-response.ts';

const DOCUMENT = `${NATIVE}document`;

/** Of everything that a document has, what is read. */
const READ_FIELDS = 'documentId,title,revisionId,tabs(tabProperties(tabId,title),documentTab(body,lists),childTabs)';

/** A document without its content, as far as an edit has to know it. */
export interface EditableDocument extends Omit<OpenDocument, 'tabs'> {
  tabs: [EditableTab, ...EditableTab[]];
}

export interface EditableTab extends Pick<OpenTab, 'id' | 'title'> {
  /** What is appended begins on a line of its own. */
  endsInEmptyLine: boolean;
}

interface Part {
  /** Id or title of the one tab that is wanted; undefined = all, as far as they fit. */
  tab: string | undefined;
  /** Where to begin in the first of them. */
  start: number;
}

/** The texts of one answer, tab by tab. */
export const documentPart = answerReader(import.meta.url, 'documentPart', (answer, { tab, start }: Part) => {
  const { id, title, tabs } = toDocument(answer);
  const { texts, next } = readTabs(tab === undefined ? tabs : [chooseTab(tabs, tab)], start);
  const shown = tabs.map(({ id: tabId, title: tabTitle, parent }) => {
    const content = texts.get(tabId);
    return { id: tabId, title: tabTitle, ...(parent !== undefined && { parent }), ...(content !== undefined && { text: content }) };
  });
  return { id, title, tabs: shown, ...next };
});

/** What has to be known before a change. */
export const documentTabs = answerReader(import.meta.url, 'documentTabs', (answer): EditableDocument => {
  const { tabs, ...document } = toDocument(answer);
  const [first, ...others] = tabs;
  const outline = (tab: OpenTab) => ({ id: tab.id, title: tab.title, endsInEmptyLine: endsInEmptyLine(tab) });
  return { ...document, tabs: [outline(first), ...others.map(outline)] };
});

/** Reads on in a document, without the changes that others only suggest. */
export function readDocument(session: WorkspaceSession, documentId: string, part: Part) {
  return session
    .call('docs.documents.get', paramsOf(documentId, 'PREVIEW_WITHOUT_SUGGESTIONS'), documentPart, part)
    .catch((error) => explainKind(error, session, documentId, DOCUMENT));
}

/** Opens a document for a change: with what others suggest, as edits meet it. */
export function openDocument(session: WorkspaceSession, documentId: string): Promise<EditableDocument> {
  return session
    .call('docs.documents.get', paramsOf(documentId, 'DEFAULT_FOR_CURRENT_ACCESS'), documentTabs)
    .catch((error) => explainKind(error, session, documentId, DOCUMENT));
}

function paramsOf(documentId: string, suggestionsViewMode: string) {
  return { documentId, includeTabsContent: true, suggestionsViewMode, fields: READ_FIELDS };
}

/** Reads tabs in turn until an answer is full. `start` counts in the first of them. */
function readTabs(tabs: readonly OpenTab[], start: number) {
  const texts = new Map<string, string>();
  let left = PART_UNITS;
  let from = start;
  for (const tab of tabs) {
    if (left === 0) return { texts, next: { next_tab: tab.id, next_offset: 0 } };
    const { text: part, next } = textPart(tabMarkdown(tab), from, left);
    texts.set(tab.id, part);
    if (next !== undefined) return { texts, next: { next_tab: tab.id, next_offset: next } };
    left -= part.length;
    from = 0;
  }
  return { texts, next: {} };
}
