import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { list } from '../../providers/transport/response-list.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { severalLines } from '../../validation/text-input.ts';
import { text } from '../../validation/validate.ts';
import { nameFile, shownFile } from '../drive/drive-file.ts';
import { type FileFacts, fileFacts, placeVersion } from '../drive/file-sharing.ts';
import { wrongKind } from '../drive/wrong-kind.ts';
import type { Action, RunContext } from '../shared/action.ts';
import { assertAsShown } from '../shared/as-shown.ts';
import { seenBy } from '../shared/audience-text.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted } from '../shared/display-text.ts';
import { fileReference } from '../shared/file-reference.ts';
import { appendRequests } from './document-appending.ts';
import { DOCUMENT, type EditableDocument, NOTHING, openDocument } from './document-fetching.ts';
import type { Replacement } from './document-replacing.ts';
import { chooseTab, documentLink } from './document-response.ts';
import { readDocumentAction } from './documents-reading.ts';

const SCOPES = ['documents', 'drive'] as const;
const MAX_TEXT = 500_000;

const id = fileReference('document').describe('Id or URL of the file.');
const tab = text(255).optional();
/** Characters that the provider would strip are rejected, so that the text is written as given. */
const textOf = (min: 0 | 1, max: number) =>
  severalLines(max, min).refine((value) => !/[\ue000-\uf8ff]/.test(value), 'must not contain characters for private use');
const plainText = textOf(1, MAX_TEXT);

const batchResponse = z.object({
  replies: list(z.object({ replaceAllText: z.object({ occurrencesChanged: z.int().min(0).default(0) }).optional() })).default([]),
});

const createDocumentAction = builtIn('workspace', {
  name: 'documents.create',
  effect: 'write',
  description: 'Create a document in My Drive, optionally with plain text.',
  scopes: SCOPES,
  integrity: 'own',
  input: z.strictObject({ title: text(255).describe('Title.'), text: plainText.optional().describe('Text.') }),
  output: z.object({
    id: z.string(),
    title: z.string(),
    link: z.string(),
    problem: z.string().optional().describe('The document was created, but its text could not be written, for this reason.'),
  }),
  writes: (_input, output) => (output === undefined ? [] : [output.id]),
  summary: ({ title, text: content = '' }) =>
    `Create the document ${quoted(title)}${content === '' ? '' : ` with ${content.length} characters of text`}`,
  async run({ title, text: content }, { session, wrote, undoneBy }) {
    const params = { requestBody: { title }, fields: 'documentId' };
    const { documentId } = await session.call(
      'docs.documents.create',
      params,
      z.object({ documentId: z.string().regex(/^[\w-]{1,255}$/) }),
    );
    // Its text may take too long.
    wrote([documentId]);
    const summary = `Move to the trash: the document ${quoted(title)} (${documentId})`;
    undoneBy({ action: 'drive.trash', input: { id: documentId }, summary });
    const problem = content === undefined ? undefined : await fill(session, documentId, content);
    return { id: documentId, title, link: documentLink(documentId), problem };
  },
});

const appendAction = builtIn('workspace', {
  name: 'documents.append',
  effect: 'write',
  description: 'Append plain text to a tab, on a line of its own.',
  scopes: SCOPES,
  integrity: 'own',
  input: z.strictObject({ id, text: plainText.describe('Text to append.'), tab: tab.describe('Id or title of a tab; default the first.') }),
  output: z.object({
    id: z.string(),
    link: z.string(),
    tab: z.string(),
    characters: z.number().describe('Number of characters added, UTF-16 units.'),
  }),
  facts: documentFacts,
  // Only the new text is shown, and only it will be new to those who see the document.
  version: (document) => placeVersion(document),
  exposes: (_input, { audience }) => audience,
  writes: ({ id: written }) => [written],
  summary: (input) => describeAppending(input, `the document ${input.id}`),
  shown: (_input, { file }) => ({ items: { id: [shownFile(file)] } }),
  preview: async (input, _context, { file, audience }) => describeAppending(input, nameFile(file) + seenBy(audience)),
  async run({ id: documentId, text: content, tab: wanted }, context) {
    const { session, undoneBy } = context;
    const removal = { find: content, replace: '' };
    const mayBeRemoved = !content.includes('\n') && replacement.shape.find.safeParse(content).success;
    const document = await openDocument(session, documentId, mayBeRemoved ? removal : NOTHING);
    const target = chooseTab(document.tabs, wanted);
    await assertAsShown(context.version, 'id', async () => placeVersion(await documentFacts({ id: documentId }, context)));
    await edit(session, document, appendRequests(target.id, target.end, content));
    // A line break that was added would stay, the line's style would be lost, and the same text elsewhere would go.
    const isReversible = mayBeRemoved && target.end.isEmpty && target.end.isPlain && target.matches === 0;
    if (isReversible) undoByReplacing(document, { ...removal, tab: target.id }, undoneBy);
    return { id: document.id, link: documentLink(document.id), tab: target.id, characters: content.length };
  },
});

const replacement = z.strictObject({
  id,
  find: textOf(1, 10_000).describe('Text to find.'),
  replace: textOf(0, MAX_TEXT).describe('Text in its place; empty deletes it.'),
  tab: tab.describe('Id or title of a tab; default all.'),
  match_case: z.boolean().default(true).describe('Whether case matters.'),
});

const replaceAction = builtIn('workspace', {
  name: 'documents.replace',
  effect: 'write',
  description: 'Replace all occurrences of a text in one tab or in all. Text that spans paragraphs is not found.',
  scopes: SCOPES,
  integrity: 'own',
  input: replacement,
  output: z.object({ id: z.string(), link: z.string(), replaced: z.number() }),
  facts: documentFacts,
  // What is replaced is part of the text.
  version: ({ version }) => version.content,
  exposes: (_input, { audience }) => audience,
  writes: ({ id: written }) => [written],
  summary: (input) => describeReplacing(input, `the document ${input.id}`),
  shown: (_input, { file }) => ({ items: { id: [shownFile(file)] } }),
  preview: async (input, _context, { file, audience }) => describeReplacing(input, nameFile(file) + seenBy(audience)),
  async run({ id: documentId, find, replace, tab: wanted, match_case: matchCase }, context) {
    const { session, undoneBy } = context;
    const document = await openDocument(session, documentId, { find, replace });
    // After its revision was read, which the edit requires: so there is no time between in which it could change.
    await assertAsShown(context.version, 'id', async () => (await documentFacts({ id: documentId }, context)).version.content);
    const tabs = wanted === undefined ? document.tabs : [chooseTab(document.tabs, wanted)];
    const request = {
      replaceAllText: {
        containsText: { text: find, matchCase },
        replaceText: replace,
        tabsCriteria: { tabIds: tabs.map((one) => one.id) },
      },
    };
    const [reply] = await edit(session, document, [request]);
    const replaced = reply?.replaceAllText?.occurrencesChanged ?? 0;
    // If the provider counted others, it found some in another case.
    const isExact = tabs.reduce((sum, { matches }) => sum + matches, 0) === replaced && tabs.every(({ isReversible }) => isReversible);
    if (replaced > 0 && isExact)
      undoByReplacing(document, { find: replace, replace: find, ...(wanted !== undefined && { tab: wanted }) }, undoneBy);
    return { id: document.id, link: documentLink(document.id), replaced };
  },
});

/** The opposite replacement; none for texts that the action doesn't take. */
function undoByReplacing(
  { id: documentId }: EditableDocument,
  opposite: Replacement & { tab?: string },
  undoneBy: RunContext['undoneBy'],
): void {
  const input = replacement.safeParse({ id: documentId, ...opposite });
  if (!input.success) return;
  undoneBy({
    action: 'documents.replace',
    input: { id: documentId, ...opposite },
    // Without its title, which others may have written: the result counts as the user's own text.
    summary: describeReplacing(input.data, `the document ${documentId}`),
  });
}

/** @throws AppError `not_found`, `invalid_request` for a file of another type */
async function documentFacts({ id: document }: { id: string }, context: RunContext<'workspace'>): Promise<FileFacts> {
  const facts = await fileFacts(context, document);
  if (facts.file.mimeType !== DOCUMENT) throw wrongKind(facts.file);
  return facts;
}

function describeAppending({ text: content, tab: tabName }: { text: string; tab?: string | undefined }, document: string): string {
  return `Append to ${document}${inTab(tabName)}: ${quoted(content)}`;
}

function describeReplacing(input: z.output<typeof replacement>, document: string): string {
  const { find, replace, tab: tabName, match_case: matchCase } = input;
  return `In ${document}${inTab(tabName)}, replace ${quoted(find)}${matchCase ? '' : ' (in any case)'} everywhere with ${quoted(replace)}`;
}

function inTab(name: string | undefined): string {
  return name === undefined ? '' : `, tab ${quoted(name)}`;
}

/**
 * Writes the text of a new document. The document exists already, so a failure is reported with its id: an error would
 * lead the caller to create a second one.
 *
 * @returns why the text was not written; undefined on success
 */
async function fill(session: WorkspaceSession, documentId: string, content: string): Promise<string | undefined> {
  try {
    const document = await openDocument(session, documentId);
    const { id: tabId, end } = chooseTab(document.tabs, undefined);
    await edit(session, document, appendRequests(tabId, end, content));
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/**
 * Applies requests atomically to the revision that was read.
 *
 * @throws AppError `conflict` if the document has changed since
 */
async function edit(session: WorkspaceSession, { id: documentId, revision }: EditableDocument, requests: object[]) {
  const writeControl = revision !== undefined && { writeControl: { requiredRevisionId: revision } };
  try {
    const params = { documentId, requestBody: { requests, ...writeControl }, fields: 'replies(replaceAllText(occurrencesChanged))' };
    return (await session.call('docs.documents.batchUpdate', params, batchResponse)).replies;
  } catch (error) {
    // An outdated revision is rejected with the same status as other errors, so compare the current one.
    if (!(error instanceof WorkspaceApiError) || error.httpStatus !== 400) throw error;
    const now = error.reason === 'FAILED_PRECONDITION' ? undefined : await openDocument(session, documentId);
    if (now?.revision === revision) throw error;
    const message = 'The document has been changed in the meantime. Read it again and retry.';
    throw new AppError('conflict', message, { cause: error, retryAfter: 1 });
  }
}

/** Built-in actions of the documents agent. */
export const documentsActions: readonly Action[] = [readDocumentAction, createDocumentAction, appendAction, replaceAction];
