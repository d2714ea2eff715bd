import type { Audience } from '../../providers/audience.ts';
import { fileAudience, fileSharing, SHARING_FIELDS } from '../../providers/workspace/file-audience.ts';
import type { Destination, RunContext } from '../action.ts';
import { type DriveFile, driveFile, FILE_FIELDS, FOLDER, MY_DRIVE, openFolder } from './drive-file.ts';

const sharedFile = driveFile.extend(fileSharing.shape);

/** A file and who sees it besides the account. */
export interface FileFacts {
  file: DriveFile;
  audience: Audience;
}

type Context = Pick<RunContext<'workspace'>, 'session' | 'account'>;

/** The file itself, even if it is a shortcut. @throws AppError `not_found` */
export async function fileFacts({ session, account }: Context, fileId: string): Promise<FileFacts> {
  const fields = `${FILE_FIELDS},${SHARING_FIELDS}`;
  const file = await session.call('drive.files.get', { fileId, supportsAllDrives: true, fields }, sharedFile);
  return { file, audience: fileAudience(file, account.label) };
}

/**
 * A folder, following shortcuts, and who sees what is in it. Nobody else sees the top-level folder, which can't be
 * shared.
 *
 * @throws AppError `not_found`, `invalid_request` if it isn't a folder
 */
export async function folderFacts(context: Context, folder: string): Promise<FileFacts | undefined> {
  if (folder === MY_DRIVE) return undefined;
  const found = await fileFacts(context, folder);
  return found.file.mimeType === FOLDER ? found : fileFacts(context, (await openFolder(context.session, folder)).id);
}

/** @param folder undefined: the top-level folder */
export function destinationIn(folder: FileFacts | undefined): Destination {
  if (folder === undefined) return { id: MY_DRIVE, name: 'My Drive', audience: [] };
  return { id: folder.file.id, name: folder.file.name, audience: folder.audience };
}
