import { z } from 'zod';
import { ApiFault, invalid, notFound } from '../api-fault.ts';
import type { Account } from '../workspace-accounts.ts';
import type { ApiRequest } from './api-method.ts';
import { newTabs } from './docs-world.ts';
import { storedContent } from './drive-content.ts';
import {
  DOCUMENT,
  type DriveState,
  FOLDER,
  fileOf,
  newFileId,
  ownFile,
  permissionsOf,
  SHORTCUT,
  type StoredFile,
  type StoredPermission,
  touch,
} from './drive-state.ts';
import type { Upload } from './drive-upload.ts';

type Request = ApiRequest<DriveState>;

const metadata = z.object({
  name: z.string().max(32_767).optional(),
  mimeType: z.string().optional(),
  description: z.string().optional(),
  parents: z.array(z.string()).optional(),
  starred: z.boolean().optional(),
  trashed: z.boolean().optional(),
  shortcutDetails: z.object({ targetId: z.string() }).optional(),
});

type Metadata = z.output<typeof metadata>;

/** files.create: metadata, with or without content. */
export function createFile(request: Request): StoredFile {
  const { state, query, upload } = request;
  const given = parseMetadata(request.body);
  const [parent = 'root', ...others] = given.parents ?? [];
  if (others.length > 0) throw new ApiFault(403, 'multipleParentsNotAllowed', 'A file cannot have more than one parent.');
  const folder = writableFolder(state, parent, query);
  const mimeType = given.mimeType ?? upload?.mimeType ?? 'application/octet-stream';
  const file = ownFile(request.account, newFileId(state, request.account), given.name ?? 'Untitled', mimeType, folder.id, request.now);
  if (given.description !== undefined) file.description = given.description;
  if (mimeType === SHORTCUT) file.shortcut = shortcutTo(state, given.shortcutDetails?.targetId, query);
  state.files.push(file);
  if (mimeType === DOCUMENT) addDocument(state, file, upload?.bytes.toString() ?? '');
  else if (upload !== undefined) file.content = storedContent(upload.bytes);
  return file;
}

/** files.copy. */
export function copyFile(request: Request): StoredFile {
  const { state, query, account } = request;
  const original = fileOf(state, request.params.fileId, query);
  if (original.mimeType === FOLDER) throw new ApiFault(403, 'cannotCopyFile', 'This file cannot be copied by the user.');
  const given = parseMetadata(request.body ?? {});
  const parent = given.parents?.[0] ?? (original.role === 'owner' ? original.parents[0] : undefined) ?? 'root';
  const folder = writableFolder(state, parent, query);
  const copy = ownFile(
    account,
    newFileId(state, account),
    given.name ?? `Copy of ${original.name}`,
    original.mimeType,
    folder.id,
    request.now,
  );
  if (original.content !== undefined) copy.content = structuredClone(original.content);
  if (original.shortcut !== undefined) copy.shortcut = { ...original.shortcut };
  if (original.exportBytes !== undefined) copy.exportBytes = original.exportBytes;
  state.files.push(copy);
  const document = state.documents[original.id];
  if (document !== undefined) state.documents[copy.id] = { ...structuredClone(document), id: copy.id, title: copy.name, revision: 1 };
  return copy;
}

/** files.update: metadata, parents and content. */
export function updateFile(request: Request): StoredFile {
  const { state, query, upload } = request;
  const file = fileOf(state, request.params.fileId, query);
  const given = parseMetadata(request.body ?? {});
  requireRole(file, ['owner', 'writer']);
  if (given.parents !== undefined) {
    const message =
      'The parents field is not directly writable in update requests. Use the addParents and removeParents parameters instead.';
    throw new ApiFault(403, 'fieldNotWritable', message);
  }
  if (given.trashed !== undefined) trash(state, file, given.trashed);
  if (given.name !== undefined) rename(state, file, given.name);
  if (given.description !== undefined) file.description = given.description;
  if (given.starred !== undefined) file.starred = given.starred;
  move(state, file, query);
  if (upload !== undefined) replaceContent(state, file, upload);
  touch(file, request.now, request.account);
  return file;
}

/** files.delete: permanently, a folder with its content. */
export function deleteFile({ state, params, query }: Request): void {
  const file = fileOf(state, params.fileId, query);
  requireRole(file, ['owner']);
  if (file.id === state.rootId) throw insufficient();
  const gone = new Set([file.id, ...descendants(state, file.id)]);
  state.files = state.files.filter(({ id }) => !gone.has(id));
  for (const id of gone) delete state.documents[id];
}

const permission = z.object({
  type: z.enum(['user', 'group', 'domain', 'anyone']),
  role: z.enum(['owner', 'organizer', 'fileOrganizer', 'writer', 'commenter', 'reader']),
  emailAddress: z.string().optional(),
  domain: z.string().optional(),
});

/** permissions.create. Of two permissions of one user, the wider one applies. */
export function addPermission({ state, params, query, body, account }: Request): StoredPermission {
  const file = fileOf(state, params.fileId, query);
  requireRole(file, ['owner', 'writer']);
  const given = permission.safeParse(body);
  if (!given.success) throw invalid('The permission type or role field is invalid.');
  const { type, role, emailAddress, domain: company } = given.data;
  if (role === 'owner')
    throw new ApiFault(403, 'forbidden', 'The transferOwnership parameter must be enabled when the permission role is owner.');
  if (role !== 'writer' && role !== 'commenter' && role !== 'reader')
    throw new ApiFault(403, 'forbidden', 'This role is for shared drives.');
  const named = type === 'user' || type === 'group';
  if (named && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(emailAddress ?? ''))
    throw new ApiFault(400, 'invalidSharingRequest', 'The email address is not valid.');
  if (type === 'domain' && !/^[\w-]+(\.[\w-]+)+$/.test(company ?? ''))
    throw new ApiFault(400, 'invalidSharingRequest', 'The domain is not valid.');
  const email = named ? emailAddress?.toLowerCase() : undefined;
  const domain = type === 'domain' ? company?.toLowerCase() : undefined;
  const isSame = (candidate: StoredPermission) => candidate.type === type && candidate.email === email && candidate.domain === domain;
  const known = file.permissions.find(isSame);
  if (known !== undefined) {
    if (ROLES.indexOf(role) > ROLES.indexOf(known.role)) known.role = role;
    return known;
  }
  const grantee = { ...(email !== undefined && { email }), ...(domain !== undefined && { domain }) };
  const added: StoredPermission = { id: permissionId(account, file, email ?? domain ?? type), type, role, ...grantee };
  file.permissions.push(added);
  return added;
}

/** permissions.delete. What a folder passes on is removed at the folder. */
export function deletePermission({ state, params, query }: Request): void {
  const file = fileOf(state, params.fileId, query);
  requireRole(file, ['owner', 'writer']);
  const permission = permissionsOf(state, file).find(({ id }) => id === params.permissionId);
  if (permission === undefined) throw notFound(`Permission not found: ${params.permissionId}.`);
  if (permission.role === 'owner') throw insufficient();
  if (permission.inheritedFrom !== undefined)
    throw new ApiFault(403, 'cannotModifyInheritedPermission', 'An inherited permission cannot be removed from this file.');
  file.permissions = file.permissions.filter(({ id }) => id !== permission.id);
}

const ROLES = ['reader', 'commenter', 'writer', 'owner'];

/** A new document for a file of that type. */
export function addDocument(state: DriveState, file: StoredFile, text: string): void {
  state.documents[file.id] = { id: file.id, title: file.name, revision: 1, tabs: newTabs(text) };
}

function parseMetadata(body: unknown): Metadata {
  const parsed = metadata.safeParse(body ?? {});
  if (!parsed.success) throw invalid('Invalid Value');
  return parsed.data;
}

function rename(state: DriveState, file: StoredFile, name: string): void {
  file.name = name;
  const document = state.documents[file.id];
  if (document !== undefined) document.title = name;
}

/** A folder's content is moved to the trash with it. */
function trash(state: DriveState, file: StoredFile, trashed: boolean): void {
  requireRole(file, ['owner']);
  if (file.id === state.rootId) throw insufficient();
  const ids = new Set([file.id, ...descendants(state, file.id)]);
  for (const one of state.files) if (ids.has(one.id)) one.trashed = trashed;
}

function move(state: DriveState, file: StoredFile, query: URLSearchParams): void {
  const [added, ...others] = ids(query.get('addParents'));
  const removed = ids(query.get('removeParents')).map((id) => (id === 'root' ? state.rootId : id));
  const kept = file.parents.filter((id) => !removed.includes(id));
  if (added === undefined) {
    file.parents = kept;
    return;
  }
  const folder = writableFolder(state, added, query);
  if (removed.includes(folder.id)) throw invalid('A parent cannot be added and removed at once.');
  if (others.length > 0 || kept.some((id) => id !== folder.id)) {
    throw new ApiFault(403, 'cannotAddParent', 'Increasing the number of parents is not allowed');
  }
  if (folder.id === file.id || descendants(state, file.id).includes(folder.id)) {
    throw new ApiFault(403, 'cyclicFolders', 'A folder cannot lie in itself.');
  }
  file.parents = [folder.id];
}

function ids(list: string | null): string[] {
  return (list ?? '').split(',').filter((id) => id !== '');
}

function replaceContent(state: DriveState, file: StoredFile, upload: Upload): void {
  const document = state.documents[file.id];
  if (document === undefined) file.content = storedContent(upload.bytes);
  else state.documents[file.id] = { ...document, revision: document.revision + 1, tabs: newTabs(upload.bytes.toString()) };
}

function writableFolder(state: DriveState, id: string, query: URLSearchParams): StoredFile {
  const folder = fileOf(state, id, query);
  if (folder.mimeType !== FOLDER) throw new ApiFault(403, 'parentNotAFolder', 'The specified parent is not a folder.');
  requireRole(folder, ['owner', 'writer']);
  return folder;
}

function shortcutTo(state: DriveState, targetId: string | undefined, query: URLSearchParams) {
  const target = fileOf(state, targetId, query);
  if (target.mimeType === SHORTCUT) throw new ApiFault(400, 'shortcutTargetInvalid', 'A shortcut cannot target a shortcut.');
  return { targetId: target.id, targetMimeType: target.mimeType };
}

function descendants(state: DriveState, id: string): string[] {
  const children = state.files.filter((file) => file.parents.includes(id)).map((file) => file.id);
  return children.flatMap((child) => [child, ...descendants(state, child)]);
}

function requireRole(file: StoredFile, roles: readonly string[]): void {
  if (!roles.includes(file.role)) throw insufficient();
}

function insufficient(): ApiFault {
  return new ApiFault(403, 'insufficientFilePermissions', 'The user does not have sufficient permissions for this file.');
}

function permissionId(account: Account, file: StoredFile, who: string): string {
  return String(BigInt(`0x${Buffer.from(`${account.sub}:${file.id}:${who}`).toString('hex')}`) % 10n ** 20n).padStart(20, '0');
}
