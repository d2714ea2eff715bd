import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { text } from '../../validation/validate.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted, singleLine } from '../shared/display-text.ts';
import { fileReference } from '../shared/file-reference.ts';
import { offset } from '../shared/text-part.ts';
import { readDocument } from './document-fetching.ts';
import { documentLink } from './document-response.ts';

const titled = z.object({ title: singleLine });

const output = z.object({
  id: z.string(),
  title: z.string(),
  link: z.string(),
  tabs: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      parent: z.string().optional().describe('Id of the parent tab.'),
      text: z.string().optional().describe('Markdown; absent for tabs that were not read.'),
    }),
  ),
  next_tab: z.string().optional().describe('There is more: pass this as `tab`, and `next_offset` as `offset`.'),
  next_offset: z.number().optional().describe('Where `next_tab` continues: pass this as `offset`.'),
});

export const readDocumentAction = builtIn('workspace', {
  name: 'documents.read',
  effect: 'read',
  description: 'Read a document as Markdown, tab by tab. Long text comes in parts.',
  scopes: ['documents', 'drive'],
  input: z.strictObject({
    id: fileReference('document').describe('Id or URL of the file.'),
    tab: text(255).optional().describe('Id or title of a tab; default all that fit.'),
    offset,
  }),
  output,
  sources: ({ id: item, title }) => [{ item, integrity: 'others', name: title }],
  summary: ({ id, tab }) => `Read the document ${id}${tab === undefined ? '' : `, tab ${quoted(tab)}`}`,
  async shown({ id }, _facts, { session }) {
    const { title: name } = await session.call('docs.documents.get', { documentId: id, fields: 'title' }, titled);
    return { items: { id: [{ name, type: 'document', link: documentLink(id) }] } };
  },
  async run({ id, tab, offset: start }, { session, capBytes }) {
    const wanted = { tab, start, capBytes };
    const { id: documentId, title, ...part } = await readDocument(session, id, wanted).catch((error) => explainTooLarge(error, id));
    return { id: documentId, title, link: documentLink(documentId), ...part };
  },
});

function explainTooLarge(error: unknown, id: string): never {
  if (!(error instanceof AppError) || error.code !== 'too_large') throw error;
  const link = documentLink(id);
  throw new AppError('too_large', `The document is too large to be read. Open it at ${link}.`, { details: { id, link }, cause: error });
}
