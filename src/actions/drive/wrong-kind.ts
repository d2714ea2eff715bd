import { AppError } from '../../errors.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { quoted } from '../display-text.ts';
import { type DriveFile, FOLDER, getFile, isShortcut, NATIVE } from './drive-file.ts';

/** What a file is, and the action that takes it. */
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
 * Why the editor's API can't open a file: mostly the file is of another kind, which only the drive knows.
 *
 * @param mime the kind that the API opens
 * @throws AppError `invalid_request` that names the file, its kind and the action that takes it; else the error itself
 */
export async function explainKind(error: unknown, session: WorkspaceSession, id: string, mime: string): Promise<never> {
  if (!saysWrongKind(error)) throw error;
  // The consent may not cover the drive, and a file that isn't there has no kind.
  const file = await getFile(session, id).catch(() => undefined);
  if (file === undefined || file.mimeType === mime) throw error;
  const { is, use } = kindOf(file);
  throw new AppError('invalid_request', `id: ${quoted(file.name)} is ${is}: use ${use}.`, {
    details: { ...error.details, kind: file.mimeType, use },
    cause: error,
  });
}

/** The editors' APIs answer either to the id of a file that they don't open. */
function saysWrongKind(error: unknown): error is WorkspaceApiError {
  if (!(error instanceof WorkspaceApiError)) return false;
  return error.httpStatus === 404 || (error.httpStatus === 400 && /^failed_?precondition$/i.test(error.reason));
}

function kindOf(file: DriveFile): Kind {
  const { mimeType, shortcutDetails } = file;
  if (isShortcut(file)) return { is: `a shortcut to ${shortcutDetails?.targetId ?? 'another file'}`, use: 'the id of what it leads to' };
  const known = Object.hasOwn(KINDS, mimeType) ? KINDS[mimeType] : undefined;
  return known ?? { is: `of the kind ${mimeType}`, use: READ };
}
