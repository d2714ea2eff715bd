import { AppError } from '../../errors.ts';
import { FOLDER } from '../../providers/workspace/folder-contents.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { quoted } from '../shared/display-text.ts';
import { type DriveFile, getFile, isShortcut, NATIVE } from './drive-file.ts';

/** A type of file, and the action that reads it. */
interface Kind {
  is: string;
  use: string;
}

const READ = 'drive.read';
const KINDS: Partial<Record<string, Kind>> = {
  [`${NATIVE}document`]: { is: 'a document', use: 'documents.read' },
  [`${NATIVE}spreadsheet`]: { is: 'a spreadsheet', use: 'spreadsheets.read' },
  [`${NATIVE}presentation`]: { is: 'a presentation', use: 'presentations.read' },
  [FOLDER]: { is: 'a folder', use: 'drive.search' },
  'application/pdf': { is: 'a PDF file', use: READ },
  'text/csv': { is: 'a CSV file', use: READ },
  'application/msword': { is: 'a Word file', use: READ },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': { is: 'a Word file', use: READ },
  'application/vnd.ms-excel': { is: 'an Excel file', use: READ },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': { is: 'an Excel file', use: READ },
  'application/vnd.ms-powerpoint': { is: 'a PowerPoint file', use: READ },
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': { is: 'a PowerPoint file', use: READ },
};

/**
 * Explains why an editor's API can't open a file: mostly the file has another type, which only the drive shows.
 *
 * @param mime the type that the API opens
 * @throws AppError `invalid_request` with the file's name, its type and the action to use; else the error itself
 */
export async function explainKind(error: unknown, session: WorkspaceSession, id: string, mime: string): Promise<never> {
  if (!isWrongKind(error)) throw error;
  // The granted scopes may not include the drive, and the file may not exist.
  const file = await getFile(session, id).catch(() => undefined);
  if (file === undefined || file.mimeType === mime) throw error;
  throw wrongKind(file, error);
}

/** @param cause how the provider reported it */
export function wrongKind(file: DriveFile, cause?: WorkspaceApiError): AppError {
  const { is, use } = kindOf(file);
  return new AppError('invalid_request', `id: ${quoted(file.name)} is ${is}: use ${use}.`, {
    details: { ...cause?.details, kind: file.mimeType, use },
    cause,
  });
}

/** The action that reads a file of its type. */
export function readerOf(file: DriveFile): string {
  return kindOf(file).use;
}

/** The editors' APIs respond with either to the id of a file that they can't open. */
function isWrongKind(error: unknown): error is WorkspaceApiError {
  if (!(error instanceof WorkspaceApiError)) return false;
  return error.httpStatus === 404 || (error.httpStatus === 400 && /^failed_?precondition$/i.test(error.reason));
}

function kindOf(file: DriveFile): Kind {
  const { mimeType, shortcutDetails } = file;
  if (isShortcut(file)) return { is: `a shortcut to ${shortcutDetails?.targetId ?? 'another file'}`, use: 'the id of its target' };
  const known = Object.hasOwn(KINDS, mimeType) ? KINDS[mimeType] : undefined;
  return known ?? { is: `of the type ${mimeType}`, use: READ };
}
