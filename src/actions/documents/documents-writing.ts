import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { list } from '../../providers/response-list.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { text } from '../../validation/validate.ts';
import { builtIn } from '../built-in.ts';
import { quoted } from '../display-text.ts';
import { fileReference } from '../file-reference.ts';
import { type EditableDocument, type EditableTab, openDocument } from './document-fetching.ts';
import { chooseTab, documentLink } from './document-response.ts';

const SCOPES = ['documents', 'drive'] as const;
const MAX_TEXT = 500_000;

const id = fileReference('document').describe('Id of the file, or its address in the browser.');
const tab = text(255).optional();
/** Plain text: the provider strips what is refused here, and the text would not be what was asked for. */
const plainText = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_TEXT, `must have at most ${MAX_TEXT} characters`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  .refine((value) => !/[\u0000-\u0008\u000b-\u000c\u000e-\u001f\ue000-\uf8ff]/.test(value) && value.isWellFormed(), 'must be plain text')
  .transform((value) => value.replaceAll(/\r\n?/g, '\n'));

const batchAnswer = z.object({
  replies: list(z.object({ replaceAllText: z.object({ occurrencesChanged: z.int().min(0).default(0) }).optional() })).default([]),
});

export const createDocumentAction = builtIn({
  name: 'documents.create',
  provider: 'workspace',
  effect: 'write',
  description: 'Create a document in My Drive, with plain text if any is given.',
  scopes: SCOPES,
  input: z.strictObject({ title: text(255), text: plainText.optional() }),
  output: z.object({
    id: z.string(),
    title: z.string(),
    link: z.string(),
    problem: z.string().optional().describe('The document was made, but this kept its text from being written.'),
  }),
  summary: ({ title, text: content = '' }) =>
    `Create the document ${quoted(title)}${content === '' ? '' : ` with ${content.length} characters of text`}`,
  async run({ title, text: content }, { session }) {
    const params = { requestBody: { title }, fields: 'documentId' };
    const { documentId } = await session.call(
      'docs.documents.create',
      params,
      z.object({ documentId: z.string().regex(/^[\w-]{1,255}$/) }),
    );
    const problem = content === undefined ? undefined : await fill(session, documentId, content);
    return { id: documentId, title, link: documentLink(documentId), ...(problem !== undefined && { problem }) };
  },
});

export const appendAction = builtIn({
  name: 'documents.append',
  provider: 'workspace',
  effect: 'write',
  description: 'Add plain text at the end of a tab, on a line of its own.',
  scopes: SCOPES,
  input: z.strictObject({ id, text: plainText, tab: tab.describe('Id or title of the tab; without it the first.') }),
  output: z.object({ id: z.string(), link: z.string(), tab: z.string(), characters: z.number().describe('UTF-16 units that were added.') }),
  summary: ({ id: document, text: content, tab: place }) =>
    `Add to the end of the document ${document}${place === undefined ? '' : `, tab ${quoted(place)}`}: ${quoted(content)}`,
  async run({ id: documentId, text: content, tab: wanted }, { session }) {
    const document = await openDocument(session, documentId);
    const target = wanted === undefined ? document.tabs[0] : chooseTab(document.tabs, wanted);
    await edit(session, document, [appendRequest(target, content)]);
    return { id: document.id, link: documentLink(document.id), tab: target.id, characters: content.length };
  },
});

export const replaceAction = builtIn({
  name: 'documents.replace',
  provider: 'workspace',
  effect: 'write',
  description:
    'Replace every place of a text, in one tab or in all, and say how many there were. A text that goes across paragraphs is not found.',
  scopes: SCOPES,
  input: z.strictObject({
    id,
    find: plainText.refine((value) => value.length <= 10_000, 'must have at most 10000 characters'),
    replace: z.union([z.literal(''), plainText]).describe('Empty to delete what is found.'),
    tab: tab.describe('Id or title of the tab; without it all of them.'),
    match_case: z.boolean().default(true).describe('false also finds it in other case.'),
  }),
  output: z.object({ id: z.string(), link: z.string(), replaced: z.number() }),
  summary: ({ id: document, find, replace, tab: place, match_case }) =>
    `In the document ${document}${place === undefined ? '' : `, tab ${quoted(place)}`}, replace ${quoted(find)}${match_case ? '' : ' (in any case)'} everywhere by ${quoted(replace)}`,
  async run({ id: documentId, find, replace, tab: wanted, match_case: matchCase }, { session }) {
    const document = await openDocument(session, documentId);
    const tabs = wanted === undefined ? document.tabs : [chooseTab(document.tabs, wanted)];
    const request = {
      replaceAllText: {
        containsText: { text: find, matchCase },
        replaceText: replace,
        tabsCriteria: { tabIds: tabs.map((one) => one.id) },
      },
    };
    const [reply] = await edit(session, document, [request]);
    return { id: document.id, link: documentLink(document.id), replaced: reply?.replaceAllText?.occurrencesChanged ?? 0 };
  },
});

/** The end of a tab has no index to get wrong; its last line is continued, so a line break comes first where it has text. */
function appendRequest(target: EditableTab, content: string): object {
  const lead = target.endsInEmptyLine ? '' : '\n';
  return { insertText: { text: lead + content, endOfSegmentLocation: { tabId: target.id } } };
}

/**
 * Writes the text of a new document. It exists by then, so a failure is told
 * with its id: an error would hide it and invite a second document.
 *
 * @returns why the text was not written; undefined when it was
 */
async function fill(session: WorkspaceSession, documentId: string, content: string): Promise<string | undefined> {
  try {
    const document = await openDocument(session, documentId);
    await edit(session, document, [appendRequest(document.tabs[0], content)]);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/**
 * Applies requests to the revision that was read, all of them or none.
 *
 * @throws AppError `conflict` when the document was changed meanwhile
 */
async function edit(session: WorkspaceSession, { id: documentId, revision }: EditableDocument, requests: object[]) {
  const writeControl = revision !== undefined && { writeControl: { requiredRevisionId: revision } };
  try {
    const params = { documentId, requestBody: { requests, ...writeControl }, fields: 'replies' };
    return (await session.call('docs.documents.batchUpdate', params, batchAnswer)).replies;
  } catch (error) {
    // A passed revision is refused by the same status as any other mistake: look whether it has passed.
    if (!(error instanceof WorkspaceApiError) || error.httpStatus !== 400) throw error;
    const now = error.reason === 'FAILED_PRECONDITION' ? undefined : await openDocument(session, documentId);
    if (now?.revision === revision) throw error;
    const message = 'The document was changed meanwhile. Read it again and retry.';
    throw new AppError('conflict', message, { cause: error, retryAfter: 1 });
  }
}
