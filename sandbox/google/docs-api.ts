import { z } from 'zod';
import { ApiFault, notFound } from '../api-fault.ts';
import type { ApiRequest, ApiResponse, SandboxApi } from './api-method.ts';
import { applyBatch } from './docs-batch.ts';
import { checkDocumentMask } from './docs-mask.ts';
import type { StoredDocument } from './docs-model.ts';
import { documentResource } from './docs-resource.ts';
import { watchDrive } from './drive-changes.ts';
import { addDocument } from './drive-editing.ts';
import { DOCUMENT, type DriveState, newFileId, ownFile, type StoredFile, touch } from './drive-state.ts';
import { seedDrive } from './drive-world.ts';

type Request = ApiRequest<DriveState>;

const SCOPES = ['https://www.googleapis.com/auth/documents', 'https://www.googleapis.com/auth/drive'];

/** Documents have no suggestions, so all views are equal. */
const VIEWS: Record<string, string> = {
  DEFAULT_FOR_CURRENT_ACCESS: 'SUGGESTIONS_INLINE',
  SUGGESTIONS_INLINE: 'SUGGESTIONS_INLINE',
  PREVIEW_SUGGESTIONS_ACCEPTED: 'PREVIEW_SUGGESTIONS_ACCEPTED',
  PREVIEW_WITHOUT_SUGGESTIONS: 'PREVIEW_WITHOUT_SUGGESTIONS',
};

/** The emulator of the docs API. Documents are files of the drive. */
export const docsApi: SandboxApi<DriveState> = {
  name: 'docs',
  store: 'drive',
  unitsPerMinute: 300,
  seed: seedDrive,
  watch: watchDrive,
  methods: [
    { verb: 'GET', path: '/v1/documents/:documentId', scopes: SCOPES, units: 1, handle: getDocument },
    { verb: 'POST', path: '/v1/documents', scopes: SCOPES, units: 1, handle: createDocument },
    { verb: 'POST', path: '/v1/documents/:documentId\\:batchUpdate', scopes: SCOPES, units: 1, handle: updateDocument },
  ],
};

function getDocument(request: Request): ApiResponse {
  const { document } = find(request);
  const { query } = request;
  checkDocumentMask(query.get('fields'));
  const view = VIEWS[query.get('suggestionsViewMode') ?? 'DEFAULT_FOR_CURRENT_ACCESS'];
  return { json: documentResource(document, query.get('includeTabsContent') === 'true', view) };
}

function createDocument({ state, body, account, now, query }: Request): ApiResponse {
  checkDocumentMask(query.get('fields'));
  const title = z.object({ title: z.string() }).safeParse(body).data?.title ?? 'Untitled document';
  const file = ownFile(account, newFileId(state, account), title, DOCUMENT, state.rootId, now);
  state.files.push(file);
  addDocument(state, file, '');
  return { json: documentResource(state.documents[file.id] as StoredDocument, false) };
}

function updateDocument(request: Request): ApiResponse {
  const { document, file } = find(request);
  if (file.role !== 'owner' && file.role !== 'writer') throw new ApiFault(403, 'forbidden', 'The caller does not have permission');
  const { document: changed, response } = applyBatch(document, request.body);
  request.state.documents[document.id] = changed;
  if (changed.revision !== document.revision) touch(file, request.now, request.account);
  return { json: response };
}

/** @throws ApiFault 404; 400 for a file that is not a document */
function find({ state, params }: Request): { document: StoredDocument; file: StoredFile } {
  const file = state.files.find(({ id }) => id === params.documentId);
  if (file === undefined) throw notFound();
  const document = state.documents[file.id];
  if (document === undefined) throw new ApiFault(400, 'failedPrecondition', 'This operation is not supported for this document');
  return { document, file };
}
