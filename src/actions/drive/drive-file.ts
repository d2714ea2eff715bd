import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { list } from '../../providers/transport/response-list.ts';
import { FOLDER } from '../../providers/workspace/folder-contents.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { quoted, singleLine } from '../shared/display-text.ts';
import { type Source, within } from '../shared/labels.ts';
import type { ShownItem } from '../shared/shown.ts';

export const NATIVE = 'application/vnd.google-apps.';
/** The provider's alias of the top-level folder. */
export const MY_DRIVE = 'root';
const SHORTCUT = `${NATIVE}shortcut`;

/** Fields requested for every file. */
export const FILE_FIELDS =
  'id,name,mimeType,modifiedTime,size,webViewLink,parents,trashed,shared,owners(emailAddress,displayName),shortcutDetails(targetId)';

// Change the text direction, which could disguise a file name's extension.
const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/** One line of untrusted text. */
export const shownLine = singleLine.transform((text) => text.replace(DIRECTION_MARKS, ' '));
const id = z.string().regex(/^[\w.-]{1,255}$/);

/** The media type without parameters; an invalid one becomes `application/octet-stream`. */
const mimeType = z
  .string()
  .transform((value) => /^[\w.+-]{1,100}\/[\w.+-]{1,150}(?=;|$)/.exec(value)?.[0].toLowerCase() ?? 'application/octet-stream');

/** The fields of the API's file that are used. Optional fields with invalid values are dropped. */
export const driveFile = z.object({
  id,
  name: shownLine,
  mimeType,
  modifiedTime: z.iso.datetime({ offset: true }).optional().catch(undefined),
  size: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional()
    .catch(undefined),
  webViewLink: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional()
    .catch(undefined),
  parents: list(id, 100).optional(),
  trashed: z.boolean().optional(),
  shared: z.boolean().optional(),
  owners: list(z.object({ emailAddress: shownLine.optional(), displayName: shownLine.optional() }))
    .optional()
    .catch(undefined),
  shortcutDetails: z.object({ targetId: id.optional() }).optional(),
});

export type DriveFile = z.output<typeof driveFile>;

/** A file in results. */
export const fileItem = z.object({
  id: z.string(),
  name: z.string(),
  type: z
    .string()
    .describe('document, spreadsheet, presentation, folder, shortcut, pdf, image, text, file or another type of the provider.'),
  mime: z.string(),
  modified: z.string().optional(),
  size: z.number().optional().describe('Bytes; absent if the provider reports none.'),
  owner: z.string().optional(),
  link: z.string().optional(),
  folder: z.string().optional().describe('Id of its folder.'),
  shared: z.boolean().optional(),
  trashed: z.literal(true).optional(),
  target: z.string().optional().describe('For a shortcut: id of its target.'),
});

export type FileItem = z.input<typeof fileItem>;

export function toItem(file: DriveFile): FileItem {
  const [owner] = file.owners ?? [];
  return {
    id: file.id,
    name: file.name,
    type: typeOf(file.mimeType),
    mime: file.mimeType,
    modified: file.modifiedTime,
    size: file.size,
    owner: owner?.emailAddress ?? owner?.displayName,
    link: file.webViewLink,
    folder: file.parents?.[0],
    shared: file.shared,
    ...(file.trashed === true && { trashed: true }),
    target: file.shortcutDetails?.targetId,
  };
}

/** A shared file's name may be anyone's who sees it. */
export function fileSource({ id, name, owner, modified, shared }: z.output<typeof fileItem>): Source {
  const about = { item: id, name, author: owner, time: modified };
  return shared === false ? { ...about, integrity: 'own' } : { ...about, integrity: 'others', fields: ['name', 'description', 'people'] };
}

/** Under which names it is remembered that a file was written. */
export function writtenIn({ id, folder }: Pick<FileItem, 'id' | 'folder'>): string[] {
  return folder === undefined ? [id] : [id, within(folder)];
}

/** The file itself, even if it is a shortcut. */
export function getFile(session: WorkspaceSession, fileId: string): Promise<DriveFile> {
  return session.call('drive.files.get', { fileId, supportsAllDrives: true, fields: FILE_FIELDS }, driveFile);
}

/** For the approval prompt: `the document “Plan” (1hVP…)`. */
export function nameFile({ id, name, mimeType }: Pick<DriveFile, 'id' | 'name' | 'mimeType'>): string {
  const type = typeOf(mimeType);
  return `the ${type === 'file' || type === 'folder' ? type : `${type} file`} ${quoted(name)} (${id})${type === 'folder' ? ', with all its contents' : ''}`;
}

/** The same for a question's list. */
export function shownFile({ name, mimeType, webViewLink }: Pick<DriveFile, 'name' | 'mimeType' | 'webViewLink'>): ShownItem {
  return { name, type: typeOf(mimeType), link: webViewLink };
}

/** The top-level folder in the same. */
export const TOP_FOLDER: ShownItem = { name: 'My Drive', type: 'folder' };

const MAX_SHORTCUTS = 5;

/**
 * The file, or the target of a shortcut.
 *
 * @throws AppError `not_found` for a shortcut without a reachable target
 */
export function openFile(session: WorkspaceSession, fileId: string): Promise<DriveFile> {
  return followShortcuts(fileId, (id) => getFile(session, id));
}

/** The same, as `read` reads it. */
export async function followShortcuts<File extends DriveFile>(fileId: string, read: (id: string) => Promise<File>): Promise<File> {
  let file = await read(fileId);
  for (let followed = 0; file.mimeType === SHORTCUT; followed += 1) {
    const target = file.shortcutDetails?.targetId;
    if (target === undefined) throw brokenShortcut(file, 'has no target');
    if (followed === MAX_SHORTCUTS) throw brokenShortcut(file, 'only leads to other shortcuts');
    file = await getTarget(read(target), file);
  }
  return file;
}

async function getTarget<File>(target: Promise<File>, shortcut: DriveFile): Promise<File> {
  try {
    return await target;
  } catch (error) {
    if (!(error instanceof WorkspaceApiError) || error.code !== 'not_found') throw error;
    throw brokenShortcut(shortcut, 'leads to a file that was deleted or is not shared with this account');
  }
}

/**
 * The id of a folder, following shortcuts; `root` is returned without a request.
 *
 * @throws AppError `invalid_request` if it is not a folder
 */
export async function folderIdOf(session: WorkspaceSession, fileId: string): Promise<string> {
  return fileId === MY_DRIVE ? fileId : (await openFolder(session, fileId)).id;
}

/** A folder, following shortcuts. @throws AppError like {@link folderIdOf} */
export async function openFolder(session: WorkspaceSession, fileId: string): Promise<DriveFile> {
  const file = await openFile(session, fileId);
  if (file.mimeType === FOLDER) return file;
  throw new AppError('invalid_request', `folder: “${file.name}” is not a folder.`, { details: { file: file.id } });
}

/** Of new files and copies: a domain may make them visible to all its users (Drive API v3, `files.create`). */
export const NOT_VISIBLE_TO_DOMAIN = { ignoreDefaultVisibility: true };

/** Changes a file. @returns the file after the change */
export async function changeFile(session: WorkspaceSession, method: string, params: object): Promise<FileItem> {
  return toItem(await session.call(method, { ...params, supportsAllDrives: true, fields: FILE_FIELDS }, driveFile));
}

/**
 * The content of a file, native ones converted to `format`.
 *
 * @param use see {@link WorkspaceSession.download}
 */
export function downloadFile<Result>(
  session: WorkspaceSession,
  { id, mimeType }: DriveFile,
  format: string,
  maxBytes: number,
  use: (bytes: Uint8Array<ArrayBuffer>) => Result | Promise<Result>,
): Promise<Result> {
  const [method, params] = mimeType.startsWith(NATIVE)
    ? ['drive.files.export', { fileId: id, mimeType: format }]
    : ['drive.files.get', { fileId: id, alt: 'media', supportsAllDrives: true }];
  return session.download(method, params, maxBytes, use);
}

/** Whether the provider doesn't convert a file because of its size. */
export function isExportLimit(error: unknown): boolean {
  return error instanceof WorkspaceApiError && error.reason === 'exportSizeLimitExceeded';
}

export const LIST_FIELDS = `nextPageToken,incompleteSearch,files(${FILE_FIELDS})`;

export function isShortcut(file: DriveFile): boolean {
  return file.mimeType === SHORTCUT;
}

/** `document` and the like for native types, a general word for others. */
function typeOf(mime: string): string {
  if (mime.startsWith(NATIVE)) return mime.slice(NATIVE.length);
  if (mime === 'application/pdf') return 'pdf';
  const family = mime.split('/', 1)[0] ?? '';
  return ['text', 'image', 'audio', 'video'].includes(family) ? family : 'file';
}

function brokenShortcut({ id: shortcut, name }: DriveFile, why: string): AppError {
  return new AppError('not_found', `The shortcut “${name}” ${why}.`, { details: { shortcut } });
}
