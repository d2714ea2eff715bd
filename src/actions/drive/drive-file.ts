import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { list } from '../../providers/response-list.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { quoted, singleLine } from '../display-text.ts';

export const NATIVE = 'application/vnd.google-apps.';
export const FOLDER = `${NATIVE}folder`;
/** How the provider names the uppermost folder. */
const MY_DRIVE = 'root';
const SHORTCUT = `${NATIVE}shortcut`;

/** What is asked of every file; `owners`, for one, is not part of the default answer. */
export const FILE_FIELDS =
  'id,name,mimeType,modifiedTime,size,webViewLink,parents,trashed,shared,owners(emailAddress,displayName),shortcutDetails(targetId)';

const MAX_NAME = 500;
// They turn the direction of what follows: a name must not disguise its ending.
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** A line that the provider or another of its users wrote. */
export const shownLine = singleLine(MAX_NAME).transform((text) => text.replace(TURNING, ' '));
const id = z.string().regex(/^[\w.-]{1,255}$/);

/** `text/html; charset=utf-8` is a kind too; what is none is just bytes. */
const mimeType = z
  .string()
  .transform((value) => /^[\w.+-]{1,100}\/[\w.+-]{1,150}(?=;|$)/.exec(value)?.[0].toLowerCase() ?? 'application/octet-stream');

/** A file as the API answers it, as far as it is used. What only adorns it is left out where it is odd. */
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

/** A file as agents see it. */
export const fileItem = z.object({
  id: z.string(),
  name: z.string(),
  type: z
    .string()
    .describe('document, spreadsheet, presentation, folder, shortcut, pdf, image, text, file or another word of the provider’s.'),
  mime: z.string(),
  modified: z.string().optional(),
  size: z.number().optional().describe('Bytes; absent where the provider counts none.'),
  owner: z.string().optional(),
  link: z.string().optional(),
  folder: z.string().optional().describe('Id of the folder it lies in.'),
  shared: z.boolean().optional(),
  trashed: z.literal(true).optional(),
  target: z.string().optional().describe('Of a shortcut: id of what it leads to.'),
});

export type FileItem = z.input<typeof fileItem>;

export function toItem(file: DriveFile): FileItem {
  const [owner] = file.owners ?? [];
  const item = {
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
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as FileItem;
}

/** The file itself, be it a shortcut. */
export function getFile(session: WorkspaceSession, fileId: string): Promise<DriveFile> {
  return session.call('drive.files.get', { fileId, supportsAllDrives: true, fields: FILE_FIELDS }, driveFile);
}

/** For whoever approves: `the document “Plan” (1hVP…)`. */
export async function nameFile(session: WorkspaceSession, fileId: string): Promise<string> {
  const { name, mimeType } = await getFile(session, fileId);
  const type = typeOf(mimeType);
  return `the ${type === 'file' || type === 'folder' ? type : `${type} file`} ${quoted(name)} (${fileId})${type === 'folder' ? ', with all that is in it' : ''}`;
}

/** For whoever approves: where something is put, and whether others see it there. */
export async function namePlace(session: WorkspaceSession, fileId: string): Promise<string> {
  if (fileId === MY_DRIVE) return 'My Drive';
  const { id: folderId, name, shared } = await openFolder(session, fileId);
  return `the folder ${quoted(name)} (${folderId})${shared === true ? ', which others can see' : ''}`;
}

/** Others may see a folder, and with it what is put there: only one's own uppermost is known to be nobody else's. */
export function mayBeShared(folderId: string | undefined): boolean {
  return folderId !== undefined && folderId !== MY_DRIVE;
}

const MAX_SHORTCUTS = 5;

/**
 * The file, or what a shortcut leads to.
 *
 * @throws AppError `not_found` when a shortcut leads nowhere or in a circle
 */
export async function openFile(session: WorkspaceSession, fileId: string): Promise<DriveFile> {
  let file = await getFile(session, fileId);
  for (let followed = 0; file.mimeType === SHORTCUT; followed += 1) {
    const target = file.shortcutDetails?.targetId;
    if (target === undefined) throw leadsNowhere(file, 'leads to no file');
    if (followed === MAX_SHORTCUTS) throw leadsNowhere(file, 'leads from shortcut to shortcut only');
    file = await getTarget(session, file, target);
  }
  return file;
}

async function getTarget(session: WorkspaceSession, shortcut: DriveFile, target: string): Promise<DriveFile> {
  try {
    return await getFile(session, target);
  } catch (error) {
    if (!(error instanceof WorkspaceApiError) || error.code !== 'not_found') throw error;
    throw leadsNowhere(shortcut, 'leads to a file that is gone or not shared with this account');
  }
}

/**
 * The id of the folder that is meant, through a shortcut too; `root` stays as it is, and need not be asked for.
 *
 * @throws AppError `invalid_request` when it is no folder
 */
export async function folderIdOf(session: WorkspaceSession, fileId: string): Promise<string> {
  return fileId === MY_DRIVE ? fileId : (await openFolder(session, fileId)).id;
}

/** The folder that is meant. @throws AppError as {@link folderIdOf} */
export async function openFolder(session: WorkspaceSession, fileId: string): Promise<DriveFile> {
  const file = await openFile(session, fileId);
  if (file.mimeType !== FOLDER) throw new AppError('invalid_request', `folder: “${file.name}” is not a folder.`);
  return file;
}

/** Asks for a change to a file, and for the file as it is then. */
export async function changeFile(session: WorkspaceSession, method: string, params: object): Promise<FileItem> {
  return toItem(await session.call(method, { ...params, supportsAllDrives: true, fields: FILE_FIELDS }, driveFile));
}

export const LIST_FIELDS = `nextPageToken,incompleteSearch,files(${FILE_FIELDS})`;

export function isShortcut(file: DriveFile): boolean {
  return file.mimeType === SHORTCUT;
}

/** `document` for the drive's own kinds, a plain word for well-known others. */
function typeOf(mime: string): string {
  if (mime.startsWith(NATIVE)) return mime.slice(NATIVE.length);
  if (mime === 'application/pdf') return 'pdf';
  const family = mime.split('/', 1)[0] ?? '';
  return ['text', 'image', 'audio', 'video'].includes(family) ? family : 'file';
}

function leadsNowhere({ id: shortcut, name }: DriveFile, why: string): AppError {
  return new AppError('not_found', `The shortcut “${name}” ${why}.`, { details: { shortcut } });
}
