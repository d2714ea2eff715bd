import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { text } from '../../validation/validate.ts';
import { builtIn } from '../built-in.ts';
import { quoted } from '../display-text.ts';
import { offset } from '../drive/text-part.ts';
import { fileReference } from '../file-reference.ts';
import { readDocument } from './document-fetching.ts';
import { documentLink } from './document-response.ts';

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
  summary: ({ id, tab }) => `Read the document ${id}${tab === undefined ? '' : `, tab ${quoted(tab)}`}`,
  async run({ id, tab, offset: start }, { session }) {
    const { id: documentId, title, ...part } = await readDocument(session, id, { tab, start }).catch(refuseTooLarge(id));
    return { id: documentId, title, link: documentLink(documentId), ...part };
  },
});

function refuseTooLarge(id: string) {
  return (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== 'too_large') throw error;
    throw new AppError('too_large', `The document is too large to be read: open it at ${documentLink(id)}.`, {
      details: { id, link: documentLink(id) },
      cause: error,
    });
  };
}
