import { ApiFault, invalid } from '../api-fault.ts';
import type { ApiMethod, ApiRequest, ApiResponse, SandboxApi } from './api-method.ts';
import { listChanges, startPageToken, watchDrive } from './drive-changes.ts';
import { commentList } from './drive-comments.ts';
import { download, exported, sizeOf } from './drive-content.ts';
import { addPermission, copyFile, createFile, deleteFile, deletePermission, updateFile } from './drive-editing.ts';
import { changePart, filePart, listPart } from './drive-fields.ts';
import { integer, listFiles } from './drive-listing.ts';
import { fileResource, permissionResource } from './drive-resource.ts';
import { type DriveState, fileOf, permissionsOf, type StoredFile } from './drive-state.ts';
import { seedDrive } from './drive-world.ts';

type Request = ApiRequest<DriveState>;

const SCOPES = ['https://www.googleapis.com/auth/drive'];
const FILES = '/drive/v3/files';
const FILE = `${FILES}/:fileId`;

/** The emulator of the drive API. */
export const driveApi: SandboxApi<DriveState> = {
  name: 'drive',
  unitsPerMinute: 325_000,
  seed: seedDrive,
  watch: watchDrive,
  methods: [
    method('GET', FILES, 100, ({ state, query }) => ({ json: listPart(listFiles(state, query), query.get('fields')) })),
    method('GET', FILE, 5, getFile),
    method('GET', `${FILE}/export`, 5, ({ state, params, query }) => {
      const mimeType = query.get('mimeType');
      if (mimeType === null) throw invalid('Required parameter: mimeType');
      // This method has no supportsAllDrives: every readable file can be exported.
      const file = fileOf(state, params.fileId, new URLSearchParams({ supportsAllDrives: 'true' }));
      return { bytes: exported(file, mimeType, state), contentType: mimeType };
    }),
    method('POST', FILES, 50, (request) => fileResponse(request, createFile(request))),
    method('POST', `/upload${FILES}`, 50, (request) => fileResponse(request, createFile(request))),
    method('POST', `${FILE}/copy`, 50, (request) => fileResponse(request, copyFile(request))),
    method('PATCH', FILE, 50, (request) => fileResponse(request, updateFile(request))),
    method('PATCH', `/upload${FILE}`, 50, (request) => fileResponse(request, updateFile(request))),
    method('DELETE', FILE, 50, (request) => {
      deleteFile(request);
      return { empty: true };
    }),
    method('GET', `${FILE}/permissions`, 5, listPermissions),
    method('POST', `${FILE}/permissions`, 50, (request) => ({ json: permissionResource(addPermission(request)) })),
    method('DELETE', `${FILE}/permissions/:permissionId`, 50, (request) => {
      deletePermission(request);
      return { empty: true };
    }),
    method('GET', `${FILE}/comments`, 5, listComments),
    method('GET', '/drive/v3/about', 5, about),
    method('GET', '/drive/v3/changes/startPageToken', 5, (request) => ({ json: startPageToken(request) })),
    method('GET', '/drive/v3/changes', 100, (request) => ({ json: changePart(listChanges(request), request.query.get('fields')) })),
  ],
};

function method(
  verb: ApiMethod<DriveState>['verb'],
  path: string,
  units: number,
  handle: (request: Request) => ApiResponse,
): ApiMethod<DriveState> {
  return { verb, path, scopes: SCOPES, units, handle };
}

function getFile(request: Request): ApiResponse {
  const file = fileOf(request.state, request.params.fileId, request.query);
  if (request.query.get('alt') !== 'media') return fileResponse(request, file);
  return { bytes: download(file), contentType: file.mimeType };
}

function fileResponse({ query, state }: Request, file: StoredFile): ApiResponse {
  return { json: filePart(fileResource(state, file), query.get('fields')) };
}

/** Without `pageSize`, the list is complete (permissions.list). */
function listPermissions({ state, params, query }: Request): ApiResponse {
  const file = fileOf(state, params.fileId, query);
  if (file.role !== 'owner' && file.role !== 'writer') {
    throw new ApiFault(403, 'insufficientFilePermissions', 'The user does not have sufficient permissions for this file.');
  }
  const all = permissionsOf(state, file).map(permissionResource);
  const size = integer(query.get('pageSize') ?? '1000000', 1, 1_000_000);
  const start = integer(query.get('pageToken') ?? '0', 0, all.length);
  const next = start + size < all.length ? { nextPageToken: String(start + size) } : {};
  return { json: { kind: 'drive#permissionList', ...next, permissions: all.slice(start, start + size) } };
}

function about({ account, query, state }: Request): ApiResponse {
  assertFields(query);
  const usage = state.files.reduce((sum, file) => sum + (sizeOf(file) ?? 0), 0);
  const user = { kind: 'drive#user', displayName: account.name, emailAddress: account.email, me: true, permissionId: account.sub };
  const storageQuota = { limit: String(15 * 1024 ** 3), usage: String(usage), usageInDrive: String(usage), usageInDriveTrash: '0' };
  return { json: { kind: 'drive#about', user, storageQuota } };
}

function listComments({ state, params, query }: Request): ApiResponse {
  assertFields(query);
  // Comments have no supportsAllDrives either.
  const file = fileOf(state, params.fileId, new URLSearchParams({ supportsAllDrives: 'true' }));
  return { json: commentList(file, query) };
}

function assertFields(query: URLSearchParams): void {
  if (!query.has('fields')) throw new ApiFault(400, 'required', "The 'fields' parameter is required for this method.");
}
