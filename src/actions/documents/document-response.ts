import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { list, record, unchecked } from '../../providers/response-list.ts';
import { checked } from '../../providers/responses.ts';
import { singleLine } from '../display-text.ts';

/** Tabs lie three deep at most; more is not the provider's. */
const MAX_TAB_DEPTH = 10;
const MAX_TABS = 500;

const tabId = z.string().regex(/^[\w.:-]{1,255}$/);
const glyph = z.object({ glyphType: z.string().max(50).optional(), glyphSymbol: z.string().max(50).optional() });

/** What a list's levels look like, by the list's id. */
const lists = record(z.object({ listProperties: z.object({ nestingLevels: list(glyph, 50).default([]) }).default({ nestingLevels: [] }) }));
export type DocumentLists = z.output<typeof lists>;

const tabAnswer = z.object({
  tabProperties: z.object({ tabId, title: singleLine(300).default('') }),
  documentTab: z
    .object({ body: z.object({ content: unchecked.default([]) }).default({ content: [] }), lists: lists.default({}) })
    .default({ body: { content: [] }, lists: {} }),
  childTabs: unchecked.default([]),
});

const documentAnswer = z.object({
  documentId: z.string().regex(/^[\w-]{1,255}$/),
  title: singleLine(500).default(''),
  revisionId: z.string().max(2_000).optional(),
  tabs: unchecked,
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

/** @throws AppError `provider_error` when the answer is no document */
export function toDocument(answer: unknown): OpenDocument {
  const { documentId: id, title, revisionId: revision, tabs } = checked(documentAnswer, answer);
  const [first, ...others] = flatten(tabs);
  if (first === undefined) throw notUnderstood('no tab');
  return { id, title, revision, tabs: [first, ...others] };
}

/**
 * The tab that is meant, by its id or, where only one has it, its title.
 *
 * @throws AppError `invalid_request` with `details.choices` when there is no such tab
 */
export function chooseTab<Tab extends Pick<OpenTab, 'id' | 'title'>>(tabs: readonly Tab[], wanted: string): Tab {
  const byTitle = tabs.filter((tab) => tab.title === wanted);
  const tab = tabs.find(({ id }) => id === wanted) ?? (byTitle.length === 1 ? byTitle[0] : undefined);
  if (tab !== undefined) return tab;
  const choices = tabs.slice(0, 50).map(({ id, title }) => ({ id, title }));
  throw new AppError('invalid_request', 'tab: the document has no such tab, or several of that title.', { details: { choices } });
}

export function documentLink(id: string): string {
  return `https://docs.google.com/document/d/${id}/edit`;
}

/** In reading order. */
function flatten(tabs: readonly unknown[]): OpenTab[] {
  const found: OpenTab[] = [];
  const open = (tab: unknown, parent: string | undefined, depth: number) => {
    if (depth > MAX_TAB_DEPTH || found.length === MAX_TABS) throw notUnderstood('too many tabs');
    const { tabProperties, documentTab, childTabs } = checked(tabAnswer, tab);
    const { tabId: id, title } = tabProperties;
    found.push({ id, title, parent, content: documentTab.body.content, lists: documentTab.lists });
    for (const child of childTabs) open(child, id, depth + 1);
  };
  for (const tab of tabs) open(tab, undefined, 0);
  return found;
}

export function notUnderstood(cause: string): AppError {
  return new AppError('provider_error', 'The provider’s answer could not be understood.', { cause: new Error(`document: ${cause}`) });
}
