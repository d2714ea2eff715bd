import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { WorkspaceSession } from '../../providers/workspace-session.ts';
import { oneLine } from '../shown-text.ts';

/** Of everything that a document has, what is read. */
const READ_FIELDS = 'documentId,title,revisionId,tabs(tabProperties(tabId,title),documentTab(body,lists),childTabs)';
/** Tabs lie three deep at most; more is not the provider's. */
const MAX_TAB_DEPTH = 10;
const MAX_TABS = 500;

const tabId = z.string().regex(/^[\w.:-]{1,255}$/);
const glyph = z.object({ glyphType: z.string().max(50).optional(), glyphSymbol: z.string().max(50).optional() });

/** What a list's levels look like, by the list's id. */
const lists = z.record(
  z.string(),
  z.object({ listProperties: z.object({ nestingLevels: z.array(glyph).max(50).default([]) }).default({ nestingLevels: [] }) }),
);
export type DocumentLists = z.output<typeof lists>;

const tabAnswer = z.object({
  tabProperties: z.object({ tabId, title: oneLine(300).default('') }),
  documentTab: z
    .object({ body: z.object({ content: z.array(z.unknown()).default([]) }).default({ content: [] }), lists: lists.default({}) })
    .default({ body: { content: [] }, lists: {} }),
  childTabs: z.array(z.unknown()).max(MAX_TABS).default([]),
});

const documentAnswer = z.object({
  documentId: z.string().regex(/^[\w-]{1,255}$/),
  title: oneLine(500).default(''),
  revisionId: z.string().max(2_000).optional(),
  tabs: z.array(z.unknown()).min(1).max(MAX_TABS),
});

export interface OpenTab {
  id: string;
  title: string;
  /** Id of the tab it lies under. */
  parent: string | undefined;
  /** Structural elements, not yet checked. */
  content: readonly unknown[];
  lists: DocumentLists;
}

export interface OpenDocument {
  id: string;
  title: string;
  /** Absent where the account may not write. */
  revision: string | undefined;
  /** In reading order, child tabs behind their parent; never empty. */
  tabs: [OpenTab, ...OpenTab[]];
}

/**
 * Fetches a document with the content of all its tabs.
 *
 * @param view `now`: without the changes that others only suggest; `edit`: with them, as edits meet them
 */
export async function openDocument(session: WorkspaceSession, documentId: string, view: 'now' | 'edit'): Promise<OpenDocument> {
  const suggestionsViewMode = view === 'now' ? 'PREVIEW_WITHOUT_SUGGESTIONS' : 'DEFAULT_FOR_CURRENT_ACCESS';
  const params = { documentId, includeTabsContent: true, suggestionsViewMode, fields: READ_FIELDS };
  const answer = await session.call('docs.documents.get', params, documentAnswer);
  const [first, ...others] = flatten(answer.tabs, undefined, 0);
  if (first === undefined) throw notUnderstood('no tab');
  return { id: answer.documentId, title: answer.title, revision: answer.revisionId, tabs: [first, ...others] };
}

/**
 * The tab that is meant, by its id or, where only one has it, its title.
 *
 * @throws AppError `invalid_request` with `details.choices` when there is no such tab
 */
export function chooseTab(tabs: readonly OpenTab[], wanted: string): OpenTab {
  const byTitle = tabs.filter((tab) => tab.title === wanted);
  const tab = tabs.find(({ id }) => id === wanted) ?? (byTitle.length === 1 ? byTitle[0] : undefined);
  if (tab !== undefined) return tab;
  const choices = tabs.slice(0, 50).map(({ id, title }) => ({ id, title }));
  throw new AppError('invalid_request', 'tab: the document has no such tab, or several of that title.', { details: { choices } });
}

export function documentLink(id: string): string {
  return `https://docs.google.com/document/d/${id}/edit`;
}

function flatten(tabs: readonly unknown[], parent: string | undefined, depth: number): OpenTab[] {
  if (depth > MAX_TAB_DEPTH) throw notUnderstood('tabs too deep');
  return tabs.flatMap((tab) => {
    const parsed = tabAnswer.safeParse(tab);
    if (!parsed.success) throw notUnderstood(`tab: ${parsed.error.issues[0]?.path.join('.')}`);
    const { tabProperties, documentTab, childTabs } = parsed.data;
    const { tabId: id, title } = tabProperties;
    const own = { id, title, parent, content: documentTab.body.content, lists: documentTab.lists };
    return [own, ...flatten(childTabs, id, depth + 1)];
  });
}

export function notUnderstood(cause: string): AppError {
  return new AppError('provider_error', 'The provider’s answer could not be understood.', { cause: new Error(`document: ${cause}`) });
}
