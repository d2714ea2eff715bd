import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { emailAddress } from '../../src/validation/validate.ts';
import { driveApi } from '../google/drive-api.ts';
import { type DriveState, FOLDER, newFileId, ownFile, type StoredFile, touch } from '../google/drive-state.ts';
import type { WorkspaceProvider } from '../workspace/workspace-provider.ts';
import type { Account } from '../workspace-accounts.ts';
import { accountOf, line } from './happening.ts';

export const fileChange = z.strictObject({
  email: emailAddress.optional(),
  change: z.enum(['create', 'edit', 'trash']).default('create'),
  /** Of the file that is edited or trashed; default: the newest one. */
  name: line(300).optional(),
  by: emailAddress.optional(),
});

type FileChange = z.output<typeof fileChange>;

/** A file that somebody else shares, edits or moves to the trash. @throws AppError `not_found` without the file */
export function changeFileOfOthers({ data, grants }: WorkspaceProvider, given: FileChange): object {
  const account = accountOf(grants, given.email);
  const email = given.by ?? 'tom@partner.example';
  const by = { email, name: given.by === undefined ? 'Tom Ellery' : email };
  return data.change(driveApi, account, (state, now) => {
    const file = given.change === 'create' ? share(state, account, { ...given, by }, now) : find(state, given);
    if (given.change === 'trash') file.trashed = true;
    touch(file, now, by, false);
    return { success: true, email: account.email, id: file.id, name: file.name };
  });
}

/** Into the account's drive, as a text file. */
function share(
  state: DriveState,
  account: Account,
  given: { name?: string | undefined; by: { email: string; name: string } },
  now: number,
) {
  const { email, name } = given.by;
  const made = ownFile(account, newFileId(state, account), given.name ?? 'Minutes of the review.txt', 'text/plain', state.rootId, now);
  const owner = { email, name };
  const file: StoredFile = {
    ...made,
    owner,
    role: 'writer',
    sharedWithMeTime: made.createdTime,
    permissions: [
      { id: `${account.sub}1`, type: 'user', role: 'owner', email },
      { id: account.sub, type: 'user', role: 'writer', email: account.email },
    ],
    content: { kind: 'text', text: 'Decided: we go on as planned. Open: the budget of the last quarter.\n' },
  };
  state.files.push(file);
  return file;
}

function find({ files, rootId }: DriveState, { name }: FileChange): StoredFile {
  const found = files
    .filter((file) => file.id !== rootId && file.mimeType !== FOLDER && !file.trashed && (name === undefined || file.name === name))
    .sort((one, other) => other.modifiedTime.localeCompare(one.modifiedTime));
  if (found[0] === undefined) throw new AppError('not_found', 'There is no such file.');
  return found[0];
}
