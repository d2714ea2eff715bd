import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { UNKNOWN, union } from '../../providers/shared/audience.ts';
import { hashOf } from '../../providers/shared/version-hash.ts';
import { FOLDER, MAX_ITEMS, MAX_LEVELS } from '../../providers/workspace/folder-contents.ts';
import { text } from '../../validation/validate.ts';
import type { RunContext, Undo } from '../shared/action.ts';
import { assertAsShown } from '../shared/as-shown.ts';
import { seenBy } from '../shared/audience-text.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted } from '../shared/display-text.ts';
import { fileReference } from '../shared/file-reference.ts';
import { within } from '../shared/labels.ts';
import type { ShownItem } from '../shared/shown.ts';
import {
  changeFile,
  type DriveFile,
  type FileItem,
  fileItem,
  folderIdOf,
  getFile,
  MY_DRIVE,
  NOT_VISIBLE_TO_DOMAIN,
  nameFile,
  openFile,
  openFolder,
  shownFile,
  TOP_FOLDER,
  writtenIn,
} from './drive-file.ts';
import {
  contentsOf,
  destinationIn,
  type FileFacts,
  fileFacts,
  folderFacts,
  idsOf,
  openedFacts,
  placeVersion,
  type TreeFacts,
  treeFacts,
  treeVersion,
} from './file-sharing.ts';

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

const id = fileReference().describe('Id or URL of the file.');
const folder = fileReference().describe('Id or URL of a folder; `root` is My Drive.');
const name = text(255).describe('Name.');

export const createAction = builtIn('workspace', {
  name: 'drive.create',
  effect: 'write',
  description: 'Create a folder or a text file; for documents, use documents.create.',
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
  version: (folder) => placeVersion(folder),
  about: (_input, target) => idsOf(target),
  exposes: (_input, target) => target?.audience ?? [],
  writes: (_input, output) => (output === undefined ? [] : writtenIn(output)),
  destination: destinationIn,
  summary: (input) => describeCreation(input, folderById(input.folder)),
  shown: (_input, target) => ({ items: { folder: [shownFolder(target)] } }),
  preview: async (input, _context, target) => describeCreation(input, nameFolder(target)),
  async run({ name: title, content, type, folder: target }, context) {
    const { session, undoneBy } = context;
    const mimeType = TYPES[type];
    const parents = target && [await folderIdOf(session, target)];
    await assertAsShown(context.version, 'folder', async () => placeVersion(await folderFacts(context, target ?? MY_DRIVE)));
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
  description: 'Copy a file; for a shortcut, its target. Default folder: My Drive.',
  scopes: ['drive'],
  input: z.strictObject({ id, name: name.optional(), folder: folder.optional() }),
  output: fileItem,
  facts: copyFacts,
  version: (facts) => copyVersion(facts),
  about: ({ id: named }, { copied, destination }) => [named, copied.file.id, ...idsOf(destination)],
  exposes: (_input, { destination }) => destination?.audience ?? [],
  writes: (_input, output) => (output === undefined ? [] : writtenIn(output)),
  destination: ({ destination }) => destinationIn(destination),
  summary: (input) => describeCopy(input, `the file ${input.id}`, input.folder && folderById(input.folder)),
  shown: (_input, { copied, destination }) => ({ items: { id: [shownFile(copied.file)], folder: [shownFolder(destination)] } }),
  preview: async (input, _context, { copied, destination }) =>
    describeCopy(input, nameFile(copied.file), input.folder && nameFolder(destination)),
  async run(input, context) {
    const { name: title, folder: target } = input;
    const { session, undoneBy } = context;
    const file = await openFile(session, input.id);
    assertCopied(file);
    // Without one, the provider would create the copy next to the original, where others may see it.
    const parents = [target === undefined ? 'root' : await folderIdOf(session, target)];
    await assertAsShown(context.version, 'id', async () => copyVersion(await copyFacts(input, context)));
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
  facts: moveFacts,
  version: (facts) => moveVersion(facts),
  about: (_input, { moved, destination }) => [...idsOf(moved), ...idsOf(destination)],
  destination: ({ destination }) => destinationIn(destination),
  // Its folder holds it then, whatever was written before.
  writes: ({ id: moved, folder: target }, output) => (output === undefined ? [moved, within(target)] : writtenIn(output)),
  // Those who see the file through its folder lose it.
  exposes: (_input, { moved, destination }) => union(destination?.audience ?? [], moved.audience),
  summary: ({ id: file, folder: target }) => `Move into ${folderById(target)}: ${file}, with all its contents if it is a folder`,
  shown: (_input, { moved, destination }) => ({ items: { id: [shownTree(moved)], folder: [shownFolder(destination)] } }),
  preview: async (_input, _context, { moved, destination }) =>
    `Move into ${nameFolder(destination)}: ${nameTree(moved)}${seenBy(moved.audience)}`,
  async run(input, context) {
    const { session, undoneBy } = context;
    const [file, target] = await Promise.all([getFile(session, input.id), openFolder(session, input.folder)]);
    await assertAsShown(context.version, 'id', async () => moveVersion(await moveFacts(input, context)));
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
  // Its text was visible to them before.
  version: (file) => placeVersion(file),
  exposes: (_input, { audience }) => audience,
  writes: ({ id: written }, output) => (output === undefined ? [written] : writtenIn(output)),
  summary: ({ id: file, name: title }) => `Rename ${file} to ${quoted(title)}`,
  shown: (_input, { file }) => ({ items: { id: [shownFile(file)] } }),
  preview: async ({ name: title }, _context, { file, audience }) => `Rename ${nameFile(file)}${seenBy(audience)}, to ${quoted(title)}`,
  async run({ id: file, name: title }, context) {
    const { session, undoneBy } = context;
    await assertAsShown(context.version, 'id', async () => placeVersion(await fileFacts(context, file)));
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
  description: 'Move a file, or a folder with its contents, to the trash.',
  scopes: ['drive'],
  input: z.strictObject({ id }),
  output: fileItem,
  summary: ({ id: file }) => `Move to the trash: ${file}, with all its contents if it is a folder`,
  facts: ({ id: file }, context) => treeFacts(context, file),
  version: (tree) => treeVersion(tree),
  about: (_input, tree) => idsOf(tree),
  exposes: (_input, { audience }) => audience,
  shown: (_input, tree) => ({ items: { id: [shownTree(tree)] } }),
  preview: async (_input, _context, tree) => `Move to the trash: ${nameTree(tree)}${seenBy(tree.audience)}`,
  async run({ id: file }, context) {
    const { undoneBy } = context;
    const { file: thrown, isChanged } = await setTrashed(context, file, true);
    if (isChanged) undoneBy({ action: 'drive.untrash', input: { id: file }, summary: `Take out of the trash: ${named(thrown)}` });
    return thrown;
  },
});

export const untrashAction = builtIn('workspace', {
  name: 'drive.untrash',
  effect: 'write',
  description: 'Take a file, or a folder with its contents, out of the trash.',
  scopes: ['drive'],
  input: z.strictObject({ id }),
  output: fileItem,
  facts: ({ id: file }, context) => treeFacts(context, file),
  version: (tree) => treeVersion(tree),
  about: (_input, tree) => idsOf(tree),
  // A folder's own sharing doesn't tell who sees what is in it.
  exposes: (_input, { file, audience }) => (file.mimeType === FOLDER ? union(audience, UNKNOWN) : audience),
  summary: ({ id: file }) => `Take out of the trash: ${file}, with all its contents if it is a folder`,
  shown: (_input, tree) => ({ items: { id: [shownTree(tree)] } }),
  preview: async (_input, _context, tree) => `Take out of the trash: ${nameTree(tree)}${seenBy(tree.audience)}`,
  async run({ id: file }, context) {
    const { undoneBy } = context;
    const { file: restored, isChanged } = await setTrashed(context, file, false);
    if (isChanged) undoneBy(trashing(restored));
    return restored;
  },
});

/** Moves a file to the trash, or out of it. @returns also whether it was elsewhere before */
async function setTrashed(context: RunContext<'workspace'>, id: string, trashed: boolean): Promise<{ file: FileItem; isChanged: boolean }> {
  const { session } = context;
  const before = await getFile(session, id);
  await assertAsShown(context.version, 'id', async () => treeVersion(await treeFacts(context, id)));
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

/** For the approval prompt. */
export function nameTree({ file, contents }: Pick<TreeFacts, 'file' | 'contents'>): string {
  const isPart = contents?.isComplete === false;
  return `${nameFile(file)}${isPart ? `, more than ${MAX_ITEMS} items or ${MAX_LEVELS} levels, which may change until then` : ''}`;
}

/** For a question's list. @param folder undefined: My Drive */
export function shownFolder(folder: FileFacts | undefined): ShownItem {
  return folder === undefined ? TOP_FOLDER : shownFile(folder.file);
}

/** For a question's list. */
export function shownTree({ file, contents }: Pick<TreeFacts, 'file' | 'contents'>): ShownItem {
  return { ...shownFile(file), ...(contents?.isComplete === false && { isPart: true }) };
}

/** @throws AppError `not_found`, `invalid_request` for what can't be copied or isn't a folder */
async function copyFacts(input: { id: string; folder?: string | undefined }, context: RunContext<'workspace'>) {
  const { id: wanted, folder: target = MY_DRIVE } = input;
  const [copied, destination] = await Promise.all([openedFacts(context, wanted), folderFacts(context, target)]);
  assertCopied(copied.file);
  return { copied, destination };
}

/** The copy has the text of the original. */
function copyVersion({ copied, destination }: Awaited<ReturnType<typeof copyFacts>>): string {
  return hashOf([copied.version.content, placeVersion(destination)]);
}

/** @throws AppError `not_found`, `invalid_request` */
async function moveFacts({ id: wanted, folder: target }: { id: string; folder: string }, context: RunContext<'workspace'>) {
  const [file, destination] = await Promise.all([fileFacts(context, wanted), folderFacts(context, target)]);
  // What is in a folder matters only to those who will see it, or have seen it.
  const isSeen = file.audience.length > 0 || (destination?.audience ?? []).length > 0;
  return { moved: { ...file, contents: isSeen ? await contentsOf(context, file.file) : undefined }, destination };
}

function moveVersion({ moved, destination }: Awaited<ReturnType<typeof moveFacts>>): string {
  return hashOf([treeVersion(moved), placeVersion(destination)]);
}

function assertCopied({ id: file, mimeType, name: title }: DriveFile): void {
  if (mimeType !== FOLDER) return;
  throw new AppError('invalid_request', `id: “${title}” is a folder, and folders can’t be copied.`, { details: { file } });
}
