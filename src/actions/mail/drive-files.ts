import type { z } from 'zod';
import { AppError } from '../../errors.ts';
import { hashOf } from '../../providers/shared/version-hash.ts';
import { VERSION_FIELDS, versioned } from '../../providers/workspace/file-version.ts';
import { FOLDER } from '../../providers/workspace/folder-contents.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { type DriveFile, downloadFile, driveFile, FILE_FIELDS, followShortcuts, isExportLimit, NATIVE } from '../drive/drive-file.ts';
import { quoted } from '../shared/display-text.ts';
import type { ShownItem } from '../shared/shown.ts';
import type { AttachedFile } from './mail-compose.ts';

export const MAX_FILES = 10;
/** Of all files of a message together; mail services reject much larger messages. */
const MAX_BYTES = 10 * 1024 * 1024;
const PDF = 'application/pdf';
/** Native types that the provider exports as PDF. */
const PRINTABLE = new Set(['document', 'spreadsheet', 'presentation', 'drawing'].map((type) => `${NATIVE}${type}`));

const FIELDS = `${FILE_FIELDS},${VERSION_FIELDS}`;
const attachable = versioned(driveFile);

/** A file with its version. */
export type AttachableFile = z.output<typeof attachable>;

/**
 * The files that a message attaches, without their content.
 *
 * @throws AppError `not_found`, `invalid_request` for what can't be attached, `too_large`
 */
export async function findFiles(session: WorkspaceSession, ids: readonly string[]): Promise<AttachableFile[]> {
  const read = (fileId: string) => session.call('drive.files.get', { fileId, supportsAllDrives: true, fields: FIELDS }, attachable);
  const files = await Promise.all([...new Set(ids)].map((id) => followShortcuts(id, read)));
  for (const file of files) {
    const isFile = file.mimeType !== FOLDER && (!file.mimeType.startsWith(NATIVE) || PRINTABLE.has(file.mimeType));
    if (isFile) continue;
    throw new AppError('invalid_request', `files: ${quoted(file.name)} can’t be attached: share it instead.`, {
      details: { file: file.id },
    });
  }
  if (files.reduce((sum, { size = 0 }) => sum + size, 0) > MAX_BYTES) throw tooLarge();
  return files;
}

/** Their content, which no result contains. Native documents as PDF. @throws AppError `too_large` */
export async function downloadFiles(session: WorkspaceSession, files: readonly DriveFile[]): Promise<AttachedFile[]> {
  const attached: AttachedFile[] = [];
  let left = MAX_BYTES;
  // One by one, so that no more than the limit is held.
  for (const file of files) {
    const content = await download(session, file, left);
    left -= content.length;
    attached.push({ name: nameOf(file), mime: isNative(file) ? PDF : file.mimeType, content });
  }
  return attached;
}

/** Changes with the files' names, types and content. */
export function filesVersion(files: readonly AttachableFile[]): string {
  return hashOf(files.map(({ version }) => version.content));
}

/** For the approval prompt: `the file “Plan.pdf” (a document, as PDF, 1hVP…)`. */
export function describeFiles(files: readonly DriveFile[]): string[] {
  return files.map((file) => {
    const what = isNative(file) ? `a ${file.mimeType.slice(NATIVE.length)}, as PDF` : `${file.mimeType}, ${file.size ?? 0} bytes`;
    return `the file ${quoted(nameOf(file))} (${what}, ${file.id})`;
  });
}

/** The same for a question's list. */
export function shownFiles(files: readonly DriveFile[]): ShownItem[] {
  return files.map((file) => ({
    name: nameOf(file),
    link: file.webViewLink,
    type: isNative(file) ? PDF : file.mimeType,
    bytes: file.size,
  }));
}

async function download(session: WorkspaceSession, file: DriveFile, maxBytes: number): Promise<Buffer> {
  try {
    return await downloadFile(session, file, PDF, maxBytes, (bytes) => Buffer.from(bytes));
  } catch (error) {
    throw isExportLimit(error) || (error instanceof AppError && error.code === 'too_large') ? tooLarge() : error;
  }
}

function isNative({ mimeType }: DriveFile): boolean {
  return mimeType.startsWith(NATIVE);
}

function nameOf(file: DriveFile): string {
  const name = file.name.replace(/[/\\]/g, '_') || 'unnamed';
  return isNative(file) && !name.toLowerCase().endsWith('.pdf') ? `${name}.pdf` : name;
}

function tooLarge(): AppError {
  return new AppError('too_large', 'files: have more than 10 MB together. Share them instead.');
}
