import type { z } from 'zod';
import type { Audience } from '../../providers/shared/audience.ts';
import { hashOf } from '../../providers/shared/version-hash.ts';
import { fileAudience, fileSharing, SHARING_FIELDS } from '../../providers/workspace/file-audience.ts';
import { type FileVersion, VERSION_FIELDS, versioned } from '../../providers/workspace/file-version.ts';
import { FOLDER, type FolderContents, idsIn, readContents } from '../../providers/workspace/folder-contents.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import type { Destination, RunContext } from '../shared/action.ts';
import { type DriveFile, driveFile, FILE_FIELDS, followShortcuts, MY_DRIVE, openFolder } from './drive-file.ts';

/** A file's own fields, its sharing, and what its version needs. */
const FACT_FIELDS = `${FILE_FIELDS},${SHARING_FIELDS},${VERSION_FIELDS}`;
const sharedFile = versioned(driveFile.extend(fileSharing.shape));

export type SharedFile = z.output<typeof sharedFile>;

/** A file and who sees it besides the account. */
export interface FileFacts {
  file: DriveFile;
  audience: Audience;
  version: FileVersion;
}

/** A file, or a folder with what it holds. */
export interface TreeFacts extends FileFacts {
  /** undefined: it isn't a folder, or this wasn't read. */
  contents: FolderContents | undefined;
}

type SharingContext = Pick<RunContext<'workspace'>, 'session' | 'account'>;

/** The file itself, even if it is a shortcut. @throws AppError `not_found` */
export async function fileFacts(context: SharingContext, fileId: string): Promise<FileFacts> {
  return factsOf(context, await readSharedFile(context.session, fileId));
}

/** The file, or the target of a shortcut. @throws AppError `not_found` */
export async function openedFacts(context: SharingContext, fileId: string): Promise<FileFacts> {
  return factsOf(context, await followShortcuts(fileId, (id) => readSharedFile(context.session, id)));
}

/** The file itself, with its sharing and its version. @throws AppError `not_found` */
export function readSharedFile(session: WorkspaceSession, fileId: string): Promise<SharedFile> {
  return session.call('drive.files.get', { fileId, supportsAllDrives: true, fields: FACT_FIELDS }, sharedFile);
}

function factsOf({ account }: SharingContext, file: SharedFile): FileFacts {
  return { file, audience: fileAudience(file, account.label), version: file.version };
}

/** The file itself, even if it is a shortcut, with what it holds if it is a folder. @throws AppError `not_found` */
export async function treeFacts(context: SharingContext, fileId: string): Promise<TreeFacts> {
  const facts = await fileFacts(context, fileId);
  return { ...facts, contents: await contentsOf(context, facts.file) };
}

/** What a folder holds; undefined: it isn't one. */
export async function contentsOf(
  { session }: SharingContext,
  { id, mimeType, trashed = false }: DriveFile,
): Promise<FolderContents | undefined> {
  return mimeType === FOLDER ? readContents(session, id, trashed) : undefined;
}

/** Of all that those see who see a file: what a folder holds included. */
export function treeVersion({ version, contents }: Pick<TreeFacts, 'version' | 'contents'>): string {
  return hashOf([version.content, contents?.version]);
}

/** Of a file, and of what a folder holds, known or not. @param tree undefined: the top-level folder */
export function idsOf(tree: (Pick<TreeFacts, 'file'> & Partial<Pick<TreeFacts, 'contents'>>) | undefined): string[] {
  return tree === undefined ? [] : [tree.file.id, ...idsIn(tree.contents)];
}

/** Of a folder that something is put into: which one it is, not what else is in it. @param folder undefined: the top-level folder */
export function placeVersion(folder: Pick<FileFacts, 'version'> | undefined): string {
  return folder?.version.place ?? MY_DRIVE;
}

/**
 * A folder, following shortcuts, and who sees what is in it. No one else sees the top-level folder, which can't be
 * shared.
 *
 * @throws AppError `not_found`, `invalid_request` if it isn't a folder
 */
export async function folderFacts(context: SharingContext, folder: string): Promise<FileFacts | undefined> {
  if (folder === MY_DRIVE) return undefined;
  const found = await fileFacts(context, folder);
  return found.file.mimeType === FOLDER ? found : fileFacts(context, (await openFolder(context.session, folder)).id);
}

/** @param folder undefined: the top-level folder */
export function destinationIn(folder: FileFacts | undefined): Destination {
  if (folder === undefined) return { id: MY_DRIVE, name: 'My Drive', audience: [] };
  return { id: folder.file.id, name: folder.file.name, audience: folder.audience };
}
