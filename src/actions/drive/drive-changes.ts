import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { text } from '../../validation/validate.ts';
import { builtIn } from '../built-in.ts';
import { quoted } from '../display-text.ts';
import { fileReference } from '../file-reference.ts';
import { changeFile, FOLDER, fileItem, folderIdOf, getFile, mayBeShared, nameFile, namePlace, openFile, openFolder } from './drive-file.ts';

/**
 * None of them is native to the drive: the provider converts an upload when the
 * file's own type is native, and spreadsheets and presentations are read-only here.
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

export const createAction = builtIn({
  name: 'drive.create',
  provider: 'workspace',
  effect: 'write',
  description: 'Create a folder, or a file with the text given. documents.create is for documents.',
  scopes: ['drive'],
  input: z
    .strictObject({
      name,
      content: z.string().max(1_000_000, 'must have at most 1000000 characters').optional().describe('Text of the file.'),
      type: z.enum(typeNames).default('text'),
      folder: folder.optional(),
    })
    .refine(({ type, content }) => type !== 'folder' || content === undefined, { path: ['content'], message: 'a folder has none' }),
  output: fileItem,
  exposes: ({ folder: place }) => mayBeShared(place),
  summary: (input) => describeCreation(input, bareName(input.folder)),
  preview: async (input, { session }) => describeCreation(input, await namePlace(session, input.folder ?? 'root')),
  async run({ name: title, content, type, folder: place }, { session }) {
    const mimeType = TYPES[type];
    const parents = place && [await folderIdOf(session, place)];
    return changeFile(session, 'drive.files.create', {
      requestBody: { name: title, mimeType, ...(parents && { parents }) },
      // An empty text is no upload: the provider makes an empty file.
      ...(content !== undefined && content !== '' && { media: { mimeType, body: content } }),
    });
  },
});

/** A plain copy writes no content of a caller's, so spreadsheets and presentations may be copied too. */
export const copyAction = builtIn({
  name: 'drive.copy',
  provider: 'workspace',
  effect: 'write',
  description: 'Copy a file; of a shortcut, what it leads to. Without a folder the copy goes into the top level of the drive.',
  scopes: ['drive'],
  input: z.strictObject({ id, name: name.optional(), folder: folder.optional() }),
  output: fileItem,
  exposes: ({ folder: place }) => mayBeShared(place),
  summary: (input) => describeCopy(input, `the file ${input.id}`, input.folder && bareName(input.folder)),
  async preview(input, { session }) {
    const [file, place] = await Promise.all([nameFile(session, input.id), input.folder && namePlace(session, input.folder)]);
    return describeCopy(input, file, place);
  },
  async run({ id: wanted, name: title, folder: place }, { session }) {
    const file = await openFile(session, wanted);
    if (file.mimeType === FOLDER) throw new AppError('invalid_request', `id: “${file.name}” is a folder, and folders can’t be copied.`);
    // Without one, the provider would put it beside the original, where others may see it.
    const parents = [place === undefined ? 'root' : await folderIdOf(session, place)];
    return changeFile(session, 'drive.files.copy', {
      fileId: file.id,
      requestBody: { ...(title !== undefined && { name: title }), parents },
    });
  },
});

export const moveAction = builtIn({
  name: 'drive.move',
  provider: 'workspace',
  effect: 'write',
  description: 'Move a file or folder into another folder.',
  scopes: ['drive'],
  input: z.strictObject({ id, folder }),
  output: fileItem,
  exposes: ({ folder: place }) => mayBeShared(place),
  summary: ({ id: file, folder: place }) => `Move into ${bareName(place)}: ${file}, with all that is in it if it is a folder`,
  async preview({ id: wanted, folder: place }, { session }) {
    const [file, target] = await Promise.all([nameFile(session, wanted), namePlace(session, place)]);
    return `Move into ${target}: ${file}`;
  },
  async run({ id: wanted, folder: place }, { session }) {
    const [file, target] = await Promise.all([getFile(session, wanted), openFolder(session, place)]);
    // A file has one parent, so it leaves the old one; what was only shared with the user has none.
    const removeParents = (file.parents ?? []).filter((parent) => parent !== target.id).join(',');
    return changeFile(session, 'drive.files.update', {
      fileId: file.id,
      addParents: target.id,
      ...(removeParents !== '' && { removeParents }),
    });
  },
});

export const renameAction = builtIn({
  name: 'drive.rename',
  provider: 'workspace',
  effect: 'write',
  description: 'Give a file or folder another name.',
  scopes: ['drive'],
  input: z.strictObject({ id, name }),
  output: fileItem,
  summary: ({ id: file, name: title }) => `Rename ${file} to ${quoted(title)}`,
  run: ({ id: file, name: title }, { session }) =>
    changeFile(session, 'drive.files.update', { fileId: file, requestBody: { name: title } }),
});

export const trashAction = builtIn({
  name: 'drive.trash',
  provider: 'workspace',
  effect: 'destructive',
  description: 'Move a file to the trash, a folder with all that is in it.',
  scopes: ['drive'],
  input: z.strictObject({ id }),
  output: fileItem,
  summary: ({ id: file }) => `Move to the trash: ${file}, with all that is in it if it is a folder`,
  preview: async ({ id: file }, { session }) => `Move to the trash: ${await nameFile(session, file)}`,
  run: ({ id: file }, { session }) => changeFile(session, 'drive.files.update', { fileId: file, requestBody: { trashed: true } }),
});

/** Where something is put comes before any words that somebody chose. */
function describeCreation({ name: title, type }: { name: string; type: string }, place: string): string {
  return `Create in ${place}: the ${type === 'folder' ? 'folder' : 'file'} ${quoted(title)}`;
}

function describeCopy({ name: title }: { name?: string | undefined }, file: string, place: string | undefined): string {
  return `Copy${place === undefined ? '' : ` into ${place}`}: ${file}${title === undefined ? '' : ` as ${quoted(title)}`}`;
}

function bareName(place: string | undefined): string {
  return mayBeShared(place) ? `the folder ${place}` : 'My Drive';
}
