import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Undo } from '../../../../src/actions/shared/action.ts';
import { callApproved, newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { startFileAgents } from '../../../support/scenes/file-agents.ts';
import type { TestSteward } from '../../../support/steward.ts';

let steward: TestSteward;
let me: Person;
let number = 0;

beforeAll(async () => {
  steward = await startFileAgents();
  me = await newPerson(steward);
});
afterAll(() => steward.stop());

const OF_FILE = 'id,name,mimeType,parents,trashed,permissions(type,role,emailAddress,domain)';

/** What the provider stores of a file. */
async function stored(id: string): Promise<unknown> {
  return (await me.google('GET', `/drive/v3/files/${id}?fields=${OF_FILE}&supportsAllDrives=true`)).body;
}

async function storedDocument(id: string): Promise<unknown> {
  const { revisionId: _, ...document } = (await me.google('GET', `/v1/documents/${id}?includeTabsContent=true`)).body as Record<
    string,
    unknown
  >;
  return document;
}

/** The call that reverts a call, and the id of its file. */
async function act(action: string, input: object): Promise<{ id: string; undo: Undo | undefined }> {
  const { data, meta } = await callApproved(steward, me.token, action, input);
  return { id: data.id, undo: meta.undo };
}

async function newFile(folder?: string): Promise<string> {
  number += 1;
  return (await act('drive.create', { name: `file ${number}.txt`, content: 'x', ...(folder !== undefined && { folder }) })).id;
}

async function newFolder(): Promise<string> {
  number += 1;
  return (await act('drive.create', { name: `folder ${number}`, type: 'folder' })).id;
}

async function newDocument(text?: string): Promise<string> {
  return (await act('documents.create', { title: 'Notes', ...(text !== undefined && { text }) })).id;
}

/** Makes a change and reverts it. @returns the summary of the undo */
async function doAndUndo(action: string, input: object, state: () => Promise<unknown>): Promise<string> {
  const before = await state();
  const { undo } = await act(action, input);
  if (undo === undefined) throw new Error(`${action} names no undo`);
  expect(await state()).not.toEqual(before);
  await act(undo.action, undo.input);
  expect(await state()).toEqual(before);
  return undo.summary;
}

describe('the undo of a change of a file', () => {
  it('renames it back, whatever its name was', async () => {
    const name = `“Quotes”\u202e" and 'more'`;
    const id = await newFile();
    await me.google('PATCH', `/drive/v3/files/${id}`, { name });
    const summary = await doAndUndo('drive.rename', { id, name: 'plain' }, () => stored(id));
    expect(summary).toBe(`Rename the text file “plain” (${id}) to “'Quotes' ' and 'more'”`);
  });

  it('moves it back', async () => {
    const [from, to] = [await newFolder(), await newFolder()];
    const id = await newFile(from);
    expect(await doAndUndo('drive.move', { id, folder: to }, () => stored(id))).toMatch(
      /^Move back to its folder: the text file “file \d+\.txt” \(/,
    );
    const top = await newFile();
    await doAndUndo('drive.move', { id: top, folder: to }, () => stored(top));
  });

  it('takes it out of the trash, or puts it back there', async () => {
    const folder = await newFolder();
    const id = await newFile(folder);
    const both = async () => [await stored(folder), await stored(id)];
    expect(await doAndUndo('drive.trash', { id: folder }, both)).toMatch(
      /^Take out of the trash: the folder “folder \d+” \(\S+\), with all its contents$/,
    );
    await act('drive.trash', { id });
    expect(await doAndUndo('drive.untrash', { id }, () => stored(id))).toMatch(/^Move to the trash: the text file “file \d+\.txt” \(/);
  });

  it('unshares it, or shares it again with the same role', async () => {
    const id = await newFile();
    const who = 'zoe@example.org';
    const share = { id, email: who, role: 'commenter' };
    expect(await doAndUndo('drive.share', share, () => stored(id))).toMatch(
      /^Take away the access of “zoe@example\.org” to the text file “file/,
    );
    await act('drive.share', share);
    expect(await doAndUndo('drive.unshare', { id, who: 'Zoe@Example.org' }, () => stored(id))).toMatch(
      /^Share with zoe@example\.org as commenter: /,
    );
  });

  it.each([
    ['drive.create', async () => ({ name: 'new.txt', content: 'x' })],
    ['drive.copy', async () => ({ id: await newFile() })],
    ['documents.create', async () => ({ title: 'New “title”', text: 'x' })],
  ])('puts what is new into the trash: %s', async (action, input) => {
    const { id, undo } = await act(action, await input());
    expect(undo).toMatchObject({
      action: 'drive.trash',
      input: { id },
      summary: expect.stringMatching(/^Move to the trash: the \w+( file)? “/),
    });
    expect(await act(undo?.action ?? '', undo?.input ?? {})).toMatchObject({ id });
    expect(await stored(id)).toMatchObject({ trashed: true });
  });

  it.each([
    ['sharing with someone who had access', 'drive.share', (id: string) => ({ id, email: 'ana@example.org', role: 'writer' })],
    ['trashing what is in the trash', 'drive.trash', (id: string) => ({ id })],
    ['unsharing from a domain', 'drive.unshare', (id: string) => ({ id, who: 'example.org' })],
  ])('is not named for %s', async (_what, action, input) => {
    const id = await newFile();
    await act('drive.share', { id, email: 'ana@example.org', role: 'reader' });
    await me.google('POST', `/drive/v3/files/${id}/permissions`, { type: 'domain', role: 'reader', domain: 'example.org' });
    await act('drive.trash', { id });
    expect((await act(action, input(id))).undo).toBeUndefined();
  });

  it('is not named for moving a file that was in no folder', async () => {
    const { files } = (await me.google('GET', "/drive/v3/files?q=name%20%3D%20'Shared%20checklist.txt'")).body as {
      files: { id: string }[];
    };
    const id = files[0]?.id ?? '';
    expect((await act('drive.move', { id, folder: await newFolder() })).undo).toBeUndefined();
  });
});

describe('the undo of a change of a document', () => {
  it('replaces the other way round', async () => {
    const id = await newDocument('Boats come in.\nBoats go out.');
    const summary = await doAndUndo('documents.replace', { id, find: 'Boats', replace: 'Ships' }, () => storedDocument(id));
    expect(summary).toBe(`In the document ${id}, replace “Ships” everywhere with “Boats”`);
    await doAndUndo('documents.replace', { id, find: 'Boats', replace: 'ts' }, () => storedDocument(id));
    await doAndUndo('documents.replace', { id, find: 'Boats', replace: '$& and $1' }, () => storedDocument(id));
  });

  it('removes appended text', async () => {
    const id = await newDocument();
    await doAndUndo('documents.append', { id, text: 'One more line.' }, () => storedDocument(id));
  });

  it.each([
    ['documents.append', 'after other text', 'Text', { text: 'more' }],
    ['documents.append', 'that was there before', 'more\n', { text: 'more' }],
    ['documents.append', 'of several lines', undefined, { text: 'a\nb' }],
    ['documents.append', 'that is too long to find', undefined, { text: 'x'.repeat(10_001) }],
    ['documents.replace', 'of nothing', 'Text', { find: 'absent', replace: 'x' }],
    ['documents.replace', 'by nothing', 'Text', { find: 'Text', replace: '' }],
    ['documents.replace', 'by what was there before', 'one two', { find: 'one', replace: 'two' }],
    ['documents.replace', 'that forms more of the new text', 'abx', { find: 'x', replace: 'aba' }],
    ['documents.replace', 'in another case', 'Text text', { find: 'text', replace: 'x', match_case: false }],
    ['documents.replace', 'by more than can be found', 'a', { find: 'a', replace: 'b'.repeat(10_001) }],
    ['documents.replace', 'by a line break', 'a b', { find: ' ', replace: '\n' }],
  ])('%s is not named for text %s', async (action, _what, before, input) => {
    const id = await newDocument(before);
    expect((await act(action, { id, ...input })).undo).toBeUndefined();
  });

  it('is not named if the replaced text has several styles', async () => {
    const id = await newDocument('Hello');
    const range = { startIndex: 1, endIndex: 3, tabId: 't.0' };
    await me.google('POST', `/v1/documents/${id}:batchUpdate`, {
      requests: [{ updateTextStyle: { range, textStyle: { bold: true }, fields: 'bold' } }],
    });
    expect((await act('documents.replace', { id, find: 'Hello', replace: 'Bye' })).undo).toBeUndefined();
  });
});
