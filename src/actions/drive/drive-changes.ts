import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { text } from '../../validation/validate.ts';
import { builtIn } from '../built-in.ts';
import { quoted } from '../display-text.ts';
import { fileReference } from '../file-reference.ts';
import {
  changeFile,
  FOLDER,
  fileItem,
  folderIdOf,
  getFile,
  mayBeShared,
  nameFile,
  nameFolder,
  openFile,
  openFolder,
} from './drive-file.ts';

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

const id = fileReference().describe('Id or web address of the file.');
const folder = fileReference().describe('Id or web address of a folder; `root` is My Drive.');
const name = text(255);

export const createAction = builtIn('workspace', {
  name: 'drive.create',
  effect: 'write',
  description: 'Create a folder, or a file with text content. Use documents.create for documents.',
  scopes: ['drive'],
  input: z
    .strictObject({
      name,
      content: z.string().max(1_000_000, 'must have at most 1000000 characters').optional().describe('Text of the file.'),
      type: z.enum(typeNames).default('text'),
      folder: folder.optional(),
    })
    .refine(({ type, content }) => type !== 'folder' || content === undefined, {
      path: ['content'],
      message: 'must be absent for a folder',
    }),
  output: fileItem,
  exposes: ({ folder: target }) => mayBeShared(target),
  summary: (input) => describeCreation(input, folderById(input.folder)),
  preview: async (input, { session }) => describeCreation(input, await nameFolder(session, input.folder ?? 'root')),
  async run({ name: title, content, type, folder: target }, { session }) {
    const mimeType = TYPES[type];
    const parents = target && [await folderIdOf(session, target)];
    return changeFile(session, 'drive.files.create', {
      requestBody: { name: title, mimeType, ...(parents && { parents }) },
      // Without content the provider creates an empty file; an empty upload is not accepted.
      ...(content !== undefined && content !== '' && { media: { mimeType, body: content } }),
    });
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
  exposes: ({ folder: target }) => mayBeShared(target),
  summary: (input) => describeCopy(input, `the file ${input.id}`, input.folder && folderById(input.folder)),
  async preview(input, { session }) {
    const [file, target] = await Promise.all([nameFile(session, input.id), input.folder && nameFolder(session, input.folder)]);
    return describeCopy(input, file, target);
  },
  async run({ id: wanted, name: title, folder: target }, { session }) {
    const file = await openFile(session, wanted);
    if (file.mimeType === FOLDER) throw new AppError('invalid_request', `id: “${file.name}” is a folder, and folders can’t be copied.`);
    // Without one, the provider would create the copy next to the original, where others may see it.
    const parents = [target === undefined ? 'root' : await folderIdOf(session, target)];
    return changeFile(session, 'drive.files.copy', {
      fileId: file.id,
      requestBody: { ...(title !== undefined && { name: title }), parents },
    });
  },
});

export const moveAction = builtIn('workspace', {
  name: 'drive.move',
  effect: 'write',
  description: 'Move a file or folder into another folder.',
  scopes: ['drive'],
  input: z.strictObject({ id, folder }),
  output: fileItem,
  exposes: ({ folder: target }) => mayBeShared(target),
  summary: ({ id: file, folder: target }) => `Move into ${folderById(target)}: ${file}, with all its contents if it is a folder`,
  async preview({ id: wanted, folder: target }, { session }) {
    const [file, folderName] = await Promise.all([nameFile(session, wanted), nameFolder(session, target)]);
    return `Move into ${folderName}: ${file}`;
  },
  async run({ id: wanted, folder: destination }, { session }) {
    const [file, target] = await Promise.all([getFile(session, wanted), openFolder(session, destination)]);
    // A file has one parent at most, which is replaced; files shared with the user have none.
    const removeParents = (file.parents ?? []).filter((parent) => parent !== target.id).join(',');
    return changeFile(session, 'drive.files.update', {
      fileId: file.id,
      addParents: target.id,
      ...(removeParents !== '' && { removeParents }),
    });
  },
});

export const renameAction = builtIn('workspace', {
  name: 'drive.rename',
  effect: 'write',
  description: 'Rename a file or folder.',
  scopes: ['drive'],
  input: z.strictObject({ id, name }),
  output: fileItem,
  summary: ({ id: file, name: title }) => `Rename ${file} to ${quoted(title)}`,
  run: ({ id: file, name: title }, { session }) =>
    changeFile(session, 'drive.files.update', { fileId: file, requestBody: { name: title } }),
});

export const trashAction = builtIn('workspace', {
  name: 'drive.trash',
  effect: 'destructive',
  description: 'Move a file, or a folder with all its contents, to the trash.',
  scopes: ['drive'],
  input: z.strictObject({ id }),
  output: fileItem,
  summary: ({ id: file }) => `Move to the trash: ${file}, with all its contents if it is a folder`,
  preview: async ({ id: file }, { session }) => `Move to the trash: ${await nameFile(session, file)}`,
  run: ({ id: file }, { session }) => changeFile(session, 'drive.files.update', { fileId: file, requestBody: { trashed: true } }),
});

/** The folder comes before any text that the caller chose. */
function describeCreation({ name: title, type }: { name: string; type: string }, target: string): string {
  return `Create in ${target}: the ${type === 'folder' ? 'folder' : 'file'} ${quoted(title)}`;
}

function describeCopy({ name: title }: { name?: string | undefined }, file: string, target: string | undefined): string {
  return `Copy${target === undefined ? '' : ` into ${target}`}: ${file}${title === undefined ? '' : ` as ${quoted(title)}`}`;
}

function folderById(folderId: string | undefined): string {
  return mayBeShared(folderId) ? `the folder ${folderId}` : 'My Drive';
}
