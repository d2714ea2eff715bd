import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { text } from '../../http/validate.ts';
import type { WorkspaceSession } from '../../providers/workspace-session.ts';
import { builtIn } from '../built-in.ts';
import { offset, PART_UNITS, textPart } from '../drive/text-part.ts';
import { fileReference } from '../file-reference.ts';
import { chooseTab, documentLink, type OpenDocument, openDocument } from './document-answer.ts';
import { tabMarkdown } from './document-markdown.ts';

const output = z.object({
  id: z.string(),
  title: z.string(),
  link: z.string(),
  tabs: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      parent: z.string().optional().describe('Id of the tab it lies under.'),
      text: z.string().optional().describe('Markdown; absent for tabs that were not read.'),
    }),
  ),
  next_tab: z.string().optional().describe('There is more: read again with this as `tab` and `next_offset` as `offset`.'),
  next_offset: z.number().optional(),
});

export const readDocumentAction = builtIn({
  name: 'documents.read',
  provider: 'workspace',
  effect: 'read',
  description: 'Read a document tab by tab as Markdown: headings, lists, links, tables, bold. Long text comes in parts.',
  scopes: ['documents', 'drive'],
  input: z.strictObject({
    id: fileReference('document').describe('Id of the file, or its address in the browser.'),
    tab: text(255).optional().describe('Id or title of the one tab to read; without it all of them, as far as they fit.'),
    offset,
  }),
  output,
  summary: ({ id, tab }) => `Read the document ${id}${tab === undefined ? '' : `, tab ${tab}`}`,
  async run({ id, tab, offset: start }, { session }) {
    const document = await open(session, id);
    const { title, tabs } = document;
    const wanted = tab === undefined ? tabs : [chooseTab(tabs, tab)];
    const { texts, next } = readTabs(wanted, start);
    const shown = tabs.map(({ id: tabId, title: tabTitle, parent }) => {
      const content = texts.get(tabId);
      return { id: tabId, title: tabTitle, ...(parent !== undefined && { parent }), ...(content !== undefined && { text: content }) };
    });
    return { id: document.id, title, link: documentLink(document.id), tabs: shown, ...next };
  },
});

/** Reads tabs in turn until an answer is full. `start` counts in the first of them. */
function readTabs(tabs: OpenDocument['tabs'][number][], start: number) {
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

async function open(session: WorkspaceSession, id: string): Promise<OpenDocument> {
  try {
    return await openDocument(session, id, 'now');
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'too_large') throw error;
    throw new AppError('too_large', `The document is too large to be read: open it at ${documentLink(id)}.`, {
      details: { id, link: documentLink(id) },
      cause: error,
    });
  }
}
