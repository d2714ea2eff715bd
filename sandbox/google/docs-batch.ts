import { z } from 'zod';
import { ApiFault, invalid } from '../api-fault.ts';
import { deleteRange, insertText, replaceText } from './docs-edit.ts';
import { allTabs, type DocTab, endOf, type StoredDocument, segmentsOf } from './docs-model.ts';
import { revisionOf } from './docs-resource.ts';
import { deleteBullets, paragraphStyle, textStyle, updateParagraphStyle, updateTextStyle } from './docs-style.ts';

const index = z.number().int();
const location = z.object({ index, tabId: z.string().optional(), segmentId: z.literal('').optional() });
const range = z.object({ startIndex: index, endIndex: index, tabId: z.string().optional(), segmentId: z.literal('').optional() });
const tabsCriteria = z.object({ tabIds: z.array(z.string()) });

const editRequest = z.union([
  z.strictObject({
    insertText: z.object({
      text: z.string(),
      location: location.optional(),
      endOfSegmentLocation: z.object({ tabId: z.string().optional(), segmentId: z.literal('').optional() }).optional(),
    }),
  }),
  z.strictObject({
    replaceAllText: z.object({
      containsText: z.object({ text: z.string(), matchCase: z.boolean().optional() }),
      replaceText: z.string().optional(),
      tabsCriteria: tabsCriteria.optional(),
    }),
  }),
  z.strictObject({ deleteContentRange: z.object({ range }) }),
  z.strictObject({ updateTextStyle: z.strictObject({ range, textStyle, fields: z.string() }) }),
  z.strictObject({ updateParagraphStyle: z.strictObject({ range, paragraphStyle, fields: z.string() }) }),
  z.strictObject({ deleteParagraphBullets: z.strictObject({ range }) }),
]);

const batch = z.object({
  requests: z.array(editRequest).default([]),
  writeControl: z.object({ requiredRevisionId: z.string().optional() }).optional(),
});

type EditRequest = z.output<typeof editRequest>;

/**
 * Applies a batch as a whole, or not at all.
 *
 * @returns the changed document, and the response
 * @throws ApiFault also when the document does not have the required revision
 */
export function applyBatch(document: StoredDocument, body: unknown): { document: StoredDocument; response: object } {
  const parsed = batch.safeParse(body);
  if (!parsed.success) throw invalid(`Invalid requests: ${parsed.error.issues[0]?.path.join('.')}`);
  const { requests, writeControl } = parsed.data;
  const required = writeControl?.requiredRevisionId;
  if (required !== undefined && required !== revisionOf(document)) {
    throw new ApiFault(400, 'failedPrecondition', `The required revision ID '${required}' does not match the latest revision.`);
  }
  const changed = structuredClone(document);
  const replies = requests.map((request, at) => applyEdit(changed, request, `requests[${at}]`));
  if (requests.length > 0) changed.revision += 1;
  return { document: changed, response: { documentId: changed.id, replies, writeControl: { requiredRevisionId: revisionOf(changed) } } };
}

function applyEdit(document: StoredDocument, request: EditRequest, name: string): object {
  if ('insertText' in request) return insert(document, request.insertText, name);
  if ('replaceAllText' in request) return replaceAll(document, request.replaceAllText, name);
  if ('deleteContentRange' in request) {
    const { startIndex, endIndex, tabId } = request.deleteContentRange.range;
    deleteRange(tabOf(document, tabId), startIndex, endIndex);
    return {};
  }
  if ('deleteParagraphBullets' in request) {
    const { range: where } = request.deleteParagraphBullets;
    deleteBullets(tabOf(document, where.tabId), where);
    return {};
  }
  if ('updateParagraphStyle' in request) {
    const { range: where, paragraphStyle: style, fields } = request.updateParagraphStyle;
    updateParagraphStyle(tabOf(document, where.tabId), where, style, fields);
    return {};
  }
  const { range: where, textStyle: style, fields } = request.updateTextStyle;
  updateTextStyle(tabOf(document, where.tabId), where, style, fields);
  return {};
}

function insert(document: StoredDocument, request: Extract<EditRequest, { insertText: unknown }>['insertText'], name: string): object {
  const { location: where, endOfSegmentLocation: end, text } = request;
  if ((where === undefined) === (end === undefined)) throw invalid(`Invalid ${name}.insertText: exactly one location is needed.`);
  if (text === '') throw invalid(`Invalid ${name}.insertText: Insert text requests must specify text to insert.`);
  const tab = tabOf(document, where?.tabId ?? end?.tabId);
  insertText(tab, where?.index ?? endOf(tab.blocks) - 1, text);
  return {};
}

function replaceAll(
  document: StoredDocument,
  request: Extract<EditRequest, { replaceAllText: unknown }>['replaceAllText'],
  name: string,
): object {
  const { containsText, replaceText: replacement = '', tabsCriteria: criteria } = request;
  if (containsText.text === '') throw invalid(`Invalid ${name}.replaceAllText: The search text should not be empty.`);
  const tabs = criteria === undefined ? allTabs(document.tabs) : criteria.tabIds.map((id) => tabOf(document, id));
  const segments = tabs.flatMap((tab) => segmentsOf(tab).map((blocks) => ({ ...tab, blocks })));
  const counts = segments.map((segment) => replaceText(segment, containsText.text, replacement, containsText.matchCase ?? false));
  const occurrencesChanged = counts.reduce((sum, count) => sum + count, 0);
  // The provider's responses leave out zero.
  return { replaceAllText: occurrencesChanged === 0 ? {} : { occurrencesChanged } };
}

/** @param id undefined: the first tab */
function tabOf(document: StoredDocument, id: string | undefined): DocTab {
  const tab = id === undefined ? document.tabs[0] : allTabs(document.tabs).find((candidate) => candidate.id === id);
  if (tab === undefined) throw invalid(`The tab ID ${id} does not exist in the document.`);
  return tab;
}
