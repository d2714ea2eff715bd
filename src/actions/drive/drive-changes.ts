import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { UNKNOWN, union } from '../../providers/audience.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { text } from '../../validation/validate.ts';
import type { Undo } from '../action.ts';
import { seenBy } from '../audience-text.ts';
import { builtIn } from '../built-in.ts';
import { quoted } from '../display-text.ts';
import { fileReference } from '../file-reference.ts';
import {
  changeFile,
  type DriveFile,
  type FileItem,
  FOLDER,
  fileItem,
  folderIdOf,
  getFile,
  MY_DRIVE,
  NOT_VISIBLE_TO_DOMAIN,
  nameFile,
  openFile,
  openFolder,
} from './drive-file.ts';
import { destinationIn, type FileFacts, fileFacts, folderFacts } from './file-sharing.ts';

/**
 * None is a native type: the provider would convert an upload to it, and spreadsheets and presentations are read-only
 * here.
 */
const TYPES = {
  folder: FOLDER,
  text: 'text/plain',
  markdown: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
};
const typeNames = Object.keys(TYPES) as [keyof typeof TYPES, ...(keyof typeof TYPES)[]];

/** As it is, so that it can be given back. */
const nameBefore = z.object({ name: z.string() });

const id = fileReference().describe('Id or web address of the file.');
const folder = fileReference().describe('Id or web address of a folder; `root` is My Drive.');
const name = text(255).describe('Name.');

export const createAction = builtIn('workspace', {
  name: 'drive.create',
  effect: 'write',
  description: 'Create a folder, or a file with text content. Use documents.create for documents.',
  scopes: ['drive'],
  integrity: 'own',
  input: z
    .strictObject({
      name,
      content: z.string().max(1_000_000, 'must have at most 1000000 characters').optional().describe('Text of the file.'),
      type: z.enum(typeNames).default('text').describe('What to create.'),
      folder: folder.optional(),
    })
    .refine(({ type, content }) => type !== 'folder' || content === undefined, {
      path: ['content'],
      message: 'must be absent for a folder',
    }),
  output: fileItem,
  facts: ({ folder: target = MY_DRIVE }, context) => folderFacts(context, target),
  exposes: (_input, target) => target?.audience ?? [],
  writes: (_input, output) => (output === undefined ? [] : [output.id]),
  destination: destinationIn,
  summary: (input) => describeCreation(input, folderById(input.folder)),
  preview: async (input, _context, target) => describeCreation(input, nameFolder(target)),
  async run({ name: title, content, type, folder: target }, { session, undoneBy }) {
    const mimeType = TYPES[type];
    const parents = target && [await folderIdOf(session, target)];
    const created = await changeFile(session, 'drive.files.create', {
      ...NOT_VISIBLE_TO_DOMAIN,
      requestBody: { name: title, mimeType, ...(parents && { parents }) },
      // Without content the provider creates an empty file; an empty upload is not accepted.
      ...(content !== undefined && content !== '' && { media: { mimeType, body: content } }),
    });
    undoneBy(trashing(created));
    return created;
  },
});

/** A copy has no content from the caller, so read-only types can be copied too. */
export const copyAction = builtIn('workspace', {
  name: 'drive.copy',
  effect: 'write',
  description: 'Copy a file; for a shortcut, its target. Without a folder, the copy is created in My Drive.',
  scopes: ['drive'],
  input: z.strictObject({ id, name: name.optional(), folder: folder.optional() }),
  output: fileItem,
  facts: ({ folder: target = MY_DRIVE }, context) => folderFacts(context, target),
  exposes: (_input, target) => target?.audience ?? [],
  writes: (_input, output) => (output === undefined ? [] : [output.id]),
  destination: destinationIn,
  summary: (input) => describeCopy(input, `the file ${input.id}`, input.folder && folderById(input.folder)),
  async preview(input, { session }, target) {
    return describeCopy(input, nameFile(await fileToCopy(session, input.id)), input.folder && nameFolder(target));
  },
  async run({ id: wanted, name: title, folder: target }, { session, undoneBy }) {
    const file = await fileToCopy(session, wanted);
    // Without one, the provider would create the copy next to the original, where others may see it.
    const parents = [target === undefined ? 'root' : await folderIdOf(session, target)];
    const copy = await changeFile(session, 'drive.files.copy', {
      ...NOT_VISIBLE_TO_DOMAIN,
      fileId: file.id,
      requestBody: { ...(title !== undefined && { name: title }), parents },
    });
    undoneBy(trashing(copy));
    return copy;
  },
});

export const moveAction = builtIn('workspace', {
  name: 'drive.move',
  effect: 'write',
  description: 'Move a file or folder into another folder.',
  scopes: ['drive'],
  input: z.strictObject({ id, folder }),
  output: fileItem,
  async facts({ id: wanted, folder: target }, context) {
    const [moved, destination] = await Promise.all([fileFacts(context, wanted), folderFacts(context, target)]);
    return { moved, destination };
  },
  destination: ({ destination }) => destinationIn(destination),
  // Those who see the file through its folder lose it.
  exposes: (_input, { moved, destination }) => union(destination?.audience ?? [], moved.audience),
  summary: ({ id: file, folder: target }) => `Move into ${folderById(target)}: ${file}, with all its contents if it is a folder`,
  preview: async (_input, _context, { moved, destination }) =>
    `Move into ${nameFolder(destination)}: ${nameFile(moved.file)}${seenBy(moved.audience)}`,
  async run({ id: wanted, folder: destination }, { session, undoneBy }) {
    const [file, target] = await Promise.all([getFile(session, wanted), openFolder(session, destination)]);
    // A file has one parent at most, which is replaced; files shared with the user have none.
    const left = (file.parents ?? []).filter((parent) => parent !== target.id);
    const moved = await changeFile(session, 'drive.files.update', {
      fileId: file.id,
      addParents: target.id,
      ...(left.length > 0 && { removeParents: left.join(',') }),
    });
    const [before] = left;
    if (before !== undefined) {
      undoneBy({ action: 'drive.move', input: { id: file.id, folder: before }, summary: `Move back to its folder: ${nameFile(file)}` });
    }
    return moved;
  },
});

export const renameAction = builtIn('workspace', {
  name: 'drive.rename',
  effect: 'write',
  description: 'Rename a file or folder.',
  scopes: ['drive'],
  input: z.strictObject({ id, name }),
  output: fileItem,
  facts: ({ id: file }, context) => fileFacts(context, file),
  exposes: (_input, { audience }) => audience,
  writes: ({ id: written }) => [written],
  summary: ({ id: file, name: title }) => `Rename ${file} to ${quoted(title)}`,
  preview: async ({ name: title }, _context, { file, audience }) => `Rename ${nameFile(file)}${seenBy(audience)}, to ${quoted(title)}`,
  async run({ id: file, name: title }, { session, undoneBy }) {
    const before = await session.call('drive.files.get', { fileId: file, supportsAllDrives: true, fields: 'name' }, nameBefore);
    const renamed = await changeFile(session, 'drive.files.update', { fileId: file, requestBody: { name: title } });
    const input = { id: file, name: before.name };
    if (name.safeParse(before.name).success) {
      undoneBy({ action: 'drive.rename', input, summary: `Rename ${named(renamed)} to ${quoted(before.name)}` });
    }
    return renamed;
  },
});

export const trashAction = builtIn('workspace', {
  name: 'drive.trash',
  effect: 'destructive',
  description: 'Move a file, or a folder with all its contents, to the trash.',
  scopes: ['drive'],
  input: z.strictObject({ id }),
  output: fileItem,
  summary: ({ id: file }) => `Move to the trash: ${file}, with all its contents if it is a folder`,
  facts: ({ id: file }, context) => fileFacts(context, file),
  exposes: (_input, { audience }) => audience,
  preview: async (_input, _context, { file, audience }) => `Move to the trash: ${nameFile(file)}${seenBy(audience)}`,
  async run({ id: file }, { session, undoneBy }) {
    const { file: thrown, isChanged } = await setTrashed(session, file, true);
    if (isChanged) undoneBy({ action: 'drive.untrash', input: { id: file }, summary: `Take out of the trash: ${named(thrown)}` });
    return thrown;
  },
});

export const untrashAction = builtIn('workspace', {
  name: 'drive.untrash',
  effect: 'write',
  description: 'Take a file, or a folder with all its contents, out of the trash.',
  scopes: ['drive'],
  input: z.strictObject({ id }),
  output: fileItem,
  facts: ({ id: file }, context) => fileFacts(context, file),
  // A folder's own sharing doesn't tell who sees what is in it.
  exposes: (_input, { file, audience }) => (file.mimeType === FOLDER ? union(audience, UNKNOWN) : audience),
  summary: ({ id: file }) => `Take out of the trash: ${file}, with all its contents if it is a folder`,
  preview: async (_input, _context, { file, audience }) => `Take out of the trash: ${nameFile(file)}${seenBy(audience)}`,
  async run({ id: file }, { session, undoneBy }) {
    const { file: restored, isChanged } = await setTrashed(session, file, false);
    if (isChanged) undoneBy(trashing(restored));
    return restored;
  },
});

/** Moves a file to the trash, or out of it. @returns also whether it was elsewhere before */
async function setTrashed(session: WorkspaceSession, id: string, trashed: boolean): Promise<{ file: FileItem; isChanged: boolean }> {
  const before = await getFile(session, id);
  const file = await changeFile(session, 'drive.files.update', { fileId: id, requestBody: { trashed } });
  return { file, isChanged: before.trashed === !trashed };
}

function trashing(file: FileItem): Undo {
  return { action: 'drive.trash', input: { id: file.id }, summary: `Move to the trash: ${named(file)}` };
}

function named(file: FileItem): string {
  return nameFile({ ...file, mimeType: file.mime });
}

/** The folder comes before any text that the caller chose. */
function describeCreation({ name: title, type }: { name: string; type: string }, target: string): string {
  return `Create in ${target}: the ${type === 'folder' ? 'folder' : 'file'} ${quoted(title)}`;
}

function describeCopy({ name: title }: { name?: string | undefined }, file: string, target: string | undefined): string {
  return `Copy${target === undefined ? '' : ` into ${target}`}: ${file}${title === undefined ? '' : ` as ${quoted(title)}`}`;
}

function folderById(folderId = MY_DRIVE): string {
  return folderId === MY_DRIVE ? 'My Drive' : `the folder ${folderId}`;
}

/** For the approval prompt, with those who see it. @param folder undefined: My Drive */
export function nameFolder(folder: FileFacts | undefined): string {
  return folder === undefined ? 'My Drive' : `the folder ${quoted(folder.file.name)} (${folder.file.id})${seenBy(folder.audience)}`;
}

async function fileToCopy(session: WorkspaceSession, id: string): Promise<DriveFile> {
  const file = await openFile(session, id);
  if (file.mimeType === FOLDER) throw new AppError('invalid_request', `id: “${file.name}” is a folder, and folders can’t be copied.`);
  return file;
}
